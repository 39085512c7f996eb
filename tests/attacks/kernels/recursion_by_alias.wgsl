// refused kernel_syntax
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
alias A = B;
alias B = array<A, 2>;
@compute @workgroup_size(1) fn main() {
    var x: A;
    o[0] = x;
}
