// ends for
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1) fn main() {
    var n = 5u;
    for (var i = 0u; i < n; i++) { n = n + 1u - u32(o[1023] == 77u); }
}
