// kernel_syntax 3:10 a workgroup has at least one invocation each way
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
@compute @workgroup_size(0)
fn main() {
    result[0] = 1u;
}
