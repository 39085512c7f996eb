// kernel_unsupported 3:10 the override 'n' has no default, and a dispatch cannot give one
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
override n: u32;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    result[0] = n;
}
