// kernel_unsupported 5:11 the character U+00F6 is outside ASCII
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let größe = 3u;
    result[0] = größe;
}
