// ends while
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
fn f() -> u32 { var i = 1u; while (i != 0u) { i += 2u; } return i; }
@compute @workgroup_size(1) fn main() {
    o[f()] = 1u;
}
