// kernel_syntax 4:4 'main' needs @workgroup_size with one to three numbers
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
@compute
fn main() {
    result[0] = 1u;
}
