// gives 0 0 0
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
struct S { b: bool, m: mat3x3<f32>, a: array<atomic<u32>, 3> }
var<workgroup> w: array<S, 32>;
var<workgroup> v: array<vec2<i32>, 32>;
@compute @workgroup_size(32) fn main(@builtin(local_invocation_index) l: u32) {
    o[l] = u32(w[l].b) + u32(w[l].m[1].x != 0.0) + atomicLoad(&w[l].a[1]) + u32(any(v[l] != vec2<i32>()));
}
