// refused kernel_compile
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
var<workgroup> w: u32 = 5u;
@compute @workgroup_size(1) fn main() {
    o[0] = w;
}
