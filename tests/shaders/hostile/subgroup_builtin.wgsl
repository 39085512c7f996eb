// kernel_unsupported 4:9 the built-in value 'subgroup_size' is not available
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(subgroup_size) size: u32) {
    result[0] = size;
}
