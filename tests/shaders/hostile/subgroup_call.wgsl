// kernel_unsupported 5:17 'subgroupAdd' is not available: kernels have no subgroup operations
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    result[0] = subgroupAdd(1u);
}
