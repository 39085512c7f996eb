// kernel_unsupported 3:4 'array' is a name of WGSL and cannot be declared anew
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
fn array(x: u32) -> u32 {
    return x;
}
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    result[0] = array(1u);
}
