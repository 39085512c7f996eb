// runs
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
var<private> p: array<u32, 4>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) g: vec3<u32>) {
    let i = o[15] + 1000u;
    p[i] = 9u;
    var q: array<u32, 4>;
    q[i] = 7u;
    o[0] = p[i] + q[i];
}
