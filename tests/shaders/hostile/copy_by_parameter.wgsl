// kernel_limit 3:4 the kernel has 65536 bytes of private and function variables; the limit is 4096
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
fn at(all: array<u32, 16384>, i: u32) -> u32 {
    return all[i];
}
@group(0) @binding(1) var<storage, read_write> large: array<u32, 16384>;
@compute @workgroup_size(1)
fn main() {
    o[0] = at(large, o[1]);
}
