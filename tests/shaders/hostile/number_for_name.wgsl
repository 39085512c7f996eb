// kernel_syntax 5:9 expected a name, found '1x'
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let 1x = 2u;
}
