// kernel_unsupported 4:26 'n' is an override; sizes must be constants
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
override n: u32 = 5000;
@compute @workgroup_size(n)
fn main() {
    result[0] = 1u;
}
