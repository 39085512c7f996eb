// kernel_unsupported 3:48 'result' and 'other' share @group(0) @binding(0)
@group(0) @binding(0) var<uniform> other: vec4<u32>;
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    result[0] = 1u;
}
