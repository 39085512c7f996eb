// kernel_unsupported 4:30 'n' is an override; sizes must be constants
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
override n: u32 = 4;
var<workgroup> a: array<u32, n>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    a[0] = 1u;
}
