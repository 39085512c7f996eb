// kernel_unsupported 5:12 there is no type 'i64' that a kernel may use
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var x: i64 = 5li;
    result[0] = u32(x);
}
