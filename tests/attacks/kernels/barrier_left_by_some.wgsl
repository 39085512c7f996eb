// runs
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(16) fn main(@builtin(local_invocation_index) l: u32) {
    for (var i = 0u; i < 4u; i++) { if (l == i) { break; } workgroupBarrier(); }
    o[l] = 1u;
}
