// gives 16
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
const binding = 7u;
const group = 3u;
const builtin = 1u;
const workgroup_size = 5u;
@compute @workgroup_size(1) fn main() {
    o[0] = binding + group + builtin + workgroup_size;
}
