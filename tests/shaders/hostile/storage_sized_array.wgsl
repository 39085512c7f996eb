// kernel_limit 2:56 'array<u32, 1000000>' has 4000000 bytes; the limit is 65536
@group(0) @binding(0) var<storage, read_write> result: array<u32, 1000000>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    result[0] = 1u;
}
