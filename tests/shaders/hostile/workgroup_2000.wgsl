// kernel_limit 3:10 a workgroup of 2000 x 1 x 1 has 2000 invocations; the limit is 256, and 64 along z
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
@compute @workgroup_size(2000)
fn main() {
    result[0] = 1u;
}
