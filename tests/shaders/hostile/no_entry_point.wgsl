// kernel_syntax - the kernel has no @compute entry point
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
fn helper() {
    result[0] = 1u;
}
