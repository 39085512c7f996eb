// gives 0 0
struct S { a: array<u32, 4>, b: array<u32, 12> }
@group(0) @binding(0) var<storage, read_write> o: S;
@compute @workgroup_size(1) fn main() {
    let i = o.b[0] + 9u;
    o.a[0] = o.b[min(i + 2000u, 2000u)];
    o.b[1] = o.a[i];
}
