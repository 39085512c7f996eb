// kernel_limit 4:4 the kernel has 6048 bytes of private and function variables; the limit is 4096
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var big = array<f32, 500>();
    var more = array<f32, 500>();
    var rest = array<f32, 500>();
    result[0] = u32(big[result[1]] + more[result[2]] + rest[result[3]]);
}
