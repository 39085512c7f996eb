// gives 1 2 3 4 5
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1) fn main() {
    o[0] = 1u; // x  o[1] = 2u;
    // y o[2] = 3u;
    // z o[3] = 4u;
    // r o[4] = 5u;
}
