// ends while
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
var<workgroup> w: u32;
@compute @workgroup_size(16) fn main(@builtin(local_invocation_index) l: u32) {
    while (workgroupUniformLoad(&w) < 5u) { o[l]++; }
}
