// ends for
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
fn min(x: u32, y: u32) -> u32 { return x; }
@compute @workgroup_size(1) fn main() {
    for (var i = 0u; i < min(i + 2u, 9u); i++) { o[1]++; }
}
