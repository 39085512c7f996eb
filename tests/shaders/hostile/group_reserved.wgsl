// kernel_unsupported 2:36 'secret' is in group 3; kernels may use groups 0, 1, 2
@group(3) @binding(0) var<storage> secret: array<u32>;
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    result[0] = secret[0];
}
