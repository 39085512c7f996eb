// ends for
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1) fn main() {
    var n = vec2<u32>(5u);
    let p = &n;
    let q = p;
    for (var i = 0u; i < q.x; i++) { (*p).x += 2u; }
}
