// ends for
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
fn back(p: ptr<function, u32>) -> u32 { *p = 0u; return 5u; }
@compute @workgroup_size(1) fn main() {
    for (var i = 0u; i < back(&i); i++) { o[1]++; }
}
