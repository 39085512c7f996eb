// ends for
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1) fn main() {
    for (var i = 0; i < 10; i += -1) { o[1]++; }
}
