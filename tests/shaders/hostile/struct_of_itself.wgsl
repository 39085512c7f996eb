// kernel_syntax 7:8 'A' is declared in terms of itself
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
struct A {
    b: B,
}
struct B {
    a: A,
}
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var a: A;
    result[0] = 1u;
}
