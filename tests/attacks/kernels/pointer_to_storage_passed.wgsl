// refused kernel_compile
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
fn f(a: ptr<storage, array<u32>, read_write>) { (*a)[0] = 5u; }
@compute @workgroup_size(1) fn main() {
    f(&o);
}
