// ends for
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
override n: u32 = 4294967295u;
@compute @workgroup_size(1) fn main() {
    for (var i = 0u; i < n; i++) { o[1]++; }
}
