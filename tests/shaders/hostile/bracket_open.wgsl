// kernel_syntax 4:55 '{' is never closed
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if result[0] == 1u {
}
