// ends for
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
const n = 4u;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) g: vec3<u32>) {
    let n = 0xffffffffu - o[3];
    for (var i = 0u; i < n; i++) { o[1] += 1u; }
}
