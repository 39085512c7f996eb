// refused kernel_unsupported
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
fn f(select: u32) { loop { } }
@compute @workgroup_size(1) fn main() {
    f(1u);
}
