// ends loop
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
struct S { a: array<u32, 3>, b: vec2<f32> }
fn f() -> S { loop { if (o[1023] > 3u) { return S(); } } }
@compute @workgroup_size(1) fn main() {
    o[0] = f().a[1];
}
