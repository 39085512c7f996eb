// kernel_unsupported 2:1 the extension 'readonly_and_readwrite_storage_textures' is not available
requires readonly_and_readwrite_storage_textures;
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    result[0] = 1u;
}
