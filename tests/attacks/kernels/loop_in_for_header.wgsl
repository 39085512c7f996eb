// ends for
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
fn f(x: u32) -> u32 { var y = 0u; for (var k = 0u; k < x; k++) { y += 2u; } return y; }
fn h(p: ptr<function, u32>) { }
@compute @workgroup_size(1) fn main() {
    for (var i = f(1u); f(i) < 40u; h(&i)) { o[0]++; }
}
