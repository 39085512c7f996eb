// refused kernel_unsupported
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
alias u32 = f32;
@compute @workgroup_size(1) fn main() {
    o[0] = 1;
}
