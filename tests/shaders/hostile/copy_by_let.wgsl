// kernel_limit 5:4 the kernel has 65536 bytes of private and function variables; the limit is 4096
struct Large { all: array<u32, 16384> }
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@group(0) @binding(1) var<storage, read> large: Large;
fn at(i: u32) -> u32 {
    let copy = large.all;
    return copy[i];
}
@compute @workgroup_size(1)
fn main() {
    o[0] = at(o[1]);
}
