// kernel_limit 3:21 'array<u32, 100000000>' has 400000000 bytes; the limit is 65536
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
var<workgroup> big: array<u32, 100000000>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    big[id.x] = 1u;
}
