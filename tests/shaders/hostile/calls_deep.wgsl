// kernel_limit 5:208 brackets nest deeper than 48
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    result[0] = max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(1u, 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u), 1u);
}
