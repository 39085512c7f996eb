// kernel_limit 3:15 a value of 1024 elements is written out; the limit is 512
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
const table = array<array<u32, 32>, 32>();
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    result[0] = table[3][result[1]];
}
