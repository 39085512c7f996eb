// ends loop
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) g: vec3<u32>) {
    var i = 0u;
    loop { i++; continuing { break if i == 0u; } }
    o[0] = i;
}
