// kernel_syntax 4:12 'f' calls itself; WGSL has no recursion
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
fn f(x: u32) -> u32 {
    return f(x + 1u);
}
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    result[0] = f(1u);
}
