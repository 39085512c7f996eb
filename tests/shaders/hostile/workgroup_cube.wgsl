// kernel_limit 4:10 a workgroup of 8 x 8 x 8 has 512 invocations; the limit is 256, and 64 along z
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
const side = 8;
@compute @workgroup_size(side, side, side)
fn main() {
    result[0] = 1u;
}
