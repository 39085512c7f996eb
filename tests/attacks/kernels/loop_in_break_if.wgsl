// ends while
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
fn f(x: u32) -> u32 { var y = x; while (y < 3u || o[1023] == 0u) { y++; } return y; }
@compute @workgroup_size(1) fn main() {
    loop { continuing { break if f(o[2]) > 9u; } }
}
