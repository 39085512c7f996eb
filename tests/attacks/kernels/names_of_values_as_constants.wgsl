// gives 7
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
const workgroup_id = 7u;
const local_invocation_index = 3u;
const num_workgroups = 1u;
@compute @workgroup_size(1) fn main() {
    var i = 0u;
    while (i < workgroup_id) { i++; }
    o[0] = i;
}
