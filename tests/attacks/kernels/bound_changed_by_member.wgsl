// ends for
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1) fn main() {
    var n = vec2<u32>(5u);
    for (var i = 0u; i < n.x; i++) { n.x += 2u; o[0]++; }
}
