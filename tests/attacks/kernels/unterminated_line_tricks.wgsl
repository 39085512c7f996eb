// gives 1 2 3 0
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) g: vec3<u32>) {
    o[0] = 1u; // x  o[1] = 2u;
 // y o[2] = 3u;
}
