// ends for
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) g: vec3<u32>) {
    var n = 0u;
    for (var i = 0u; i < 0xffffffffu; i++) { n += o[2]; n ^= i; }
    o[0] = n;
}
