@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

const weight_values = array<f32, 5>(
    0.5f,
    -1.25f,
    3.0000000054977558e+38f,
    1.401298464324817e-45f,
    -0.0f,
);

fn weight(i: u32) -> f32 {
    return weight_values[i];
}

const offset_values = array<i32, 2>(
    i32(-2147483648),
    7i,
);

fn offset(i: u32) -> i32 {
    return offset_values[i];
}

@compute @workgroup_size(64, 1, 1)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(local_invocation_id) lid: vec3<u32>,
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) nwg: vec3<u32>,
) {
    let thread = (wid.x + wid.y * nwg.x) * 64u + lid.x;
    y[thread] = weight(thread) + f32(offset(thread));
}
