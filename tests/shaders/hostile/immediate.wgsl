// kernel_unsupported 2:16 the address space 'immediate' is not available
var<immediate> speed: u32;
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    result[0] = speed;
}
