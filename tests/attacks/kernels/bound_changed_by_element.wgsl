// ends for
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1) fn main() {
    var n = array<u32, 2>(5u, 5u);
    for (var i = 0u; i < n[0]; i++) { (n)[o[1]] += 2u; o[0]++; }
}
