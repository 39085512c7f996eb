// ends loop
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
fn f() -> u32 { loop { if (o[1023] == 9u) { return 1u; } } }
@compute @workgroup_size(1) fn main() {
    while (f() < 5u) { }
}
