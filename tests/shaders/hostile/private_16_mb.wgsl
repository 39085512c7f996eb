// kernel_limit 4:19 'array<u32, 4194304>' has 16777216 bytes; the limit is 65536
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
const n = 1u << 22u;
var<private> big: array<u32, n>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    big[result[1]] = 1u;
}
