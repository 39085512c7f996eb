// kernel_unsupported 5:9 'atomicMax' is a name of WGSL and cannot be declared anew
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let atomicMax = 1u;
    result[0] = atomicMax;
}
