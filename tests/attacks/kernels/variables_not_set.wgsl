// gives 0 0 0
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
var<private> mine: u32;
@compute @workgroup_size(1) fn main() {
    var a: array<u32, 16>;
    var s = 0u;
    for (var i = 0u; i < 16u; i++) { s += a[i]; }
    o[0] = s + mine;
    var b: u32;
    o[1] = b;
    var c: vec3<f32>;
    o[2] = u32(c.y);
}
