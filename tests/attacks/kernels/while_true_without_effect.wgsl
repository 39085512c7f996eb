// ends while
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) g: vec3<u32>) {
    var x = 0u;
    while (true) { x += 1u; }
    o[0] = x;
}
