// kernel_unsupported 10:11 'store' gets a pointer that is not to a whole variable
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
alias Target = ptr<function, u32>;
fn store(p: Target) {
    *p = 4u;
}
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var a: array<u32, 4>;
    store(&a[2]);
    result[0] = a[2];
}
