// kernel_unsupported 5:5 the attribute @unroll is not available here
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    @unroll for (var i = 0u; i < 2u; i++) {
    }
}
