// gives 8
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1) fn main() {
    var j = 0u;
    var n = array<u32, 4>(8u, 8u, 8u, 8u);
    for (var i = 0u; i < n[j]; i++) { j = i % 4u; }
    var s = 0u;
    for (var i = 0u; i < n[j]; i++) { s++; }
    o[0] = s;
}
