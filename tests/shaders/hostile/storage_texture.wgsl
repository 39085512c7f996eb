// kernel_unsupported 2:36 textures and samplers are not available
@group(0) @binding(1) var picture: texture_storage_2d<rgba8unorm, write>;
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    result[0] = 1u;
}
