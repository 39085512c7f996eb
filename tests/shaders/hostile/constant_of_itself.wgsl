// kernel_syntax 4:11 'a' is declared in terms of itself
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
const a = b + 1u;
const b = a + 1u;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    result[0] = a;
}
