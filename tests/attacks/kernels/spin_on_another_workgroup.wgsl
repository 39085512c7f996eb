// ends while
@group(0) @binding(0) var<storage, read_write> o: array<atomic<u32>>;
@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) w: vec3<u32>) {
    if (w.x == 0u) { while (atomicLoad(&o[0]) == 0u) { } }
    else if (w.x == 9999u) { atomicStore(&o[0], 1u); }
}
