// ends loop
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(16) fn main(@builtin(local_invocation_index) l: u32) {
    loop { workgroupBarrier(); if (l == 3u) { break; } }
    o[l] = 1u;
}
