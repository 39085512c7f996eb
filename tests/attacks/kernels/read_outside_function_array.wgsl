// runs
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1) fn main() {
    let t = array<vec4<u32>, 4>(vec4<u32>(1u), vec4<u32>(2u), vec4<u32>(3u), vec4<u32>(4u));
    var u = t;
    let i = o[15] + 1000u;
    o[0] = u[i].x;
    u[i].y = 7u;
    o[1] = u[3].y;
}
