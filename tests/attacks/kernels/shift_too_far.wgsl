// gives 256 8388608 4294967295 1
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1) fn main() {
    let z = o[15] + 40u;
    o[0] = 1u << z;
    o[1] = 0x80000000u >> z;
    o[2] = bitcast<u32>(-8 >> z);
    o[3] = 1u << (z - 8u);
}
