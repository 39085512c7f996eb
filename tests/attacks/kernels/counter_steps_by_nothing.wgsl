// ends for
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
const N = 1u - 1u;
@compute @workgroup_size(1) fn main() {
    for (var i = 0u; i < 10u; i += N) { o[1]++; }
}
