// refused kernel_compile
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@group(0) @binding(1) var<storage, read> a: array<u32>;
@compute @workgroup_size(1) fn main() {
    a[0] = 7u;
}
