// kernel_unsupported 3:1 @vertex entry points are not available, only @compute
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
@vertex
fn corner() -> @builtin(position) vec4<f32> {
    return vec4<f32>();
}
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    result[0] = 1u;
}
