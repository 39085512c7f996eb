// gives 1024
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1) fn main() {
    var n = 0u;
    for (var i = 0u; i < arrayLength(&o); i++) { n++; }
    o[0] = n;
}
