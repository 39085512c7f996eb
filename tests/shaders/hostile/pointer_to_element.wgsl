// kernel_unsupported 9:11 'store' gets a pointer that is not to a whole variable
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
fn store(p: ptr<function, u32>) {
    *p = 4u;
}
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var a: array<u32, 4>;
    store(&a[result[1]]);
    result[0] = a[3];
}
