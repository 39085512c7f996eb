// gives 0 0 0 0
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
var<workgroup> w: u32;
@compute @workgroup_size(1)
fn main() {
    o[0] = workgroupUniformLoad(&w);
}
