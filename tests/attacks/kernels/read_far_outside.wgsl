// gives 0 0 0 0
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) g: vec3<u32>) {
    var k = 0xffffffffu;
    o[0] = o[100000u]; o[1] = o[k]; o[2] = o[k / 2u]; var i = -1; o[3] = o[i];
}
