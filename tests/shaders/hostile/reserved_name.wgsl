// kernel_unsupported 5:9 names that begin with '_wf' are reserved
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let _wf_fuel = 1u;
    result[0] = _wf_fuel;
}
