// ends for (var
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) g: vec3<u32>) {
    for (var i = 0u; i < 0xfffffu; i++) {
        for (var j = 0u; j < 0xfffffu; j++) { o[1] += 1u; }
    }
}
