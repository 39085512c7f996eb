// ends loop
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
fn f() -> u32 { loop { o[1] += 1u; } }
fn g() -> u32 { return f() + 1u; }
@compute @workgroup_size(1) fn main() {
    o[0] = g();
}
