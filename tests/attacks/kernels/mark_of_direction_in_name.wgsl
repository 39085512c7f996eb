// refused kernel_syntax
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1) fn main() {
    fo‎r (var i = 0u; i < 1u; i++) { }
}
