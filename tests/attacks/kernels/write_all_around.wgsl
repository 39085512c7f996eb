// runs
// on a GPU: ends for
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) g: vec3<u32>) {
    for (var k = 0u; k < 30000u; k++) { o[1024u + k * 4099u] = 0xdeadbeefu; o[0u - k - 1u] = 0xdeadbeefu; }
}
