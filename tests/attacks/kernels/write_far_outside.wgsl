// runs
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) g: vec3<u32>) {
    var k = 0xffffffffu;
    o[100000u] = 77u; o[1024u] = 78u; o[k] = 79u; o[k / 4u + 1u] = 80u;
    var i = -1;
    o[i] = 81u;
}
