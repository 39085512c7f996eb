// ends for
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
fn back(p: ptr<function, u32>) { *p = 0u; }
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) g: vec3<u32>) {
    for (var i = 0u; i < 16u; i++) { back(&i); }
}
