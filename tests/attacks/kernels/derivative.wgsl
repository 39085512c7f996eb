// refused kernel_compile
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1) fn main() {
    o[0] = u32(dpdx(f32(o[1])));
}
