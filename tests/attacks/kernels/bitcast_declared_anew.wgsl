// refused kernel_unsupported
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
fn bitcast(x: u32) -> u32 { return x; }
@compute @workgroup_size(1) fn main() {
    o[0] = bitcast(1u);
}
