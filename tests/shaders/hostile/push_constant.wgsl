// kernel_unsupported 2:20 the address space 'push_constant' is not available
var<push_constant> speed: u32;
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    result[0] = speed;
}
