// ends for
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
fn max(a: u32, b: u32) -> u32 { return a; }
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) g: vec3<u32>) {
    for (var i = 0u; i < arrayLength(&o) * 1000000u; i++) { o[0] += 1u; }
    o[1] = max(1u, 2u);
}
