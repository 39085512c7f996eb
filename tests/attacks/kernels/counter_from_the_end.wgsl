// gives 1
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) g: vec3<u32>) {
    for (var i = 4294967294u; i < 4294967295u; i++) { if (g.x == 0u) { o[0] += 1u; } }
}
