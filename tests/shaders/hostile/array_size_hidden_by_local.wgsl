// kernel_unsupported 7:25 'n' is declared in this function; a type here cannot use it
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
const n = 2u;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    const n = 100000u;
    var big: array<u32, n>;
    result[0] = big[result[1]];
}
