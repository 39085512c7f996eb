// ends for
// on a GPU: runs
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
const far: f32 = 536870912;
@compute @workgroup_size(1) fn main() {
    for (var i = far; i < far + 64; i += 1) { o[0]++; }
}
