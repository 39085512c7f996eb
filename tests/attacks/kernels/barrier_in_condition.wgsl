// ends while
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
var<workgroup> w: u32;
fn f(l: u32) -> u32 { workgroupBarrier(); if (l == 99u) { w++; } workgroupBarrier(); return w; }
@compute @workgroup_size(16) fn main(@builtin(local_invocation_index) l: u32) {
    while (f(l) < 5u) { o[l]++; }
}
