// gives 6
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
var<private> x: u32;
fn f(a: ptr<private, u32>, b: ptr<private, u32>) { *a = 5u; *b = 6u; }
@compute @workgroup_size(1) fn main() {
    f(&x, &x);
    o[0] = x;
}
