// ends for
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
var<private> n: u32 = 5u;
fn more() { n += 2u; }
@compute @workgroup_size(1) fn main() {
    for (var i = 0u; i < n; i++) { more(); o[0]++; }
    { let n = 1u; o[1] = n; }
}
