// kernel_unsupported 2:1 the extension 'subgroups' is not available
enable f16, subgroups;
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    result[0] = 1u;
}
