@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

fn weight(i: u32) -> f32 {
    switch i {
        case 0u: { return 0.5f; }
        case 1u: { return -1.25f; }
        case 2u: { return 3.0000000054977558e+38f; }
        case 3u: { return 1.401298464324817e-45f; }
        case 4u: { return -0.0f; }
        default: { return f32(); }
    }
}

fn mask(i: u32) -> u32 {
    switch i {
        case 0u: { return 0u; }
        case 1u: { return 4294967295u; }
        default: { return u32(); }
    }
}

@compute @workgroup_size(64, 1, 1)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(local_invocation_id) lid: vec3<u32>,
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) nwg: vec3<u32>,
) {
    let thread = (wid.x + wid.y * nwg.x) * 64u + lid.x;
    y[thread] = weight(thread) + f32(mask(thread));
}
