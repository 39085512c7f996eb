@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

struct Params {
    count: u32,
    scale: f32,
    shape: array<vec4<u32>, 2>,
    shift: i32,
    first_thread: u32,
}

@group(0) @binding(2) var<uniform> params: Params;

fn shape_at(i: u32) -> u32 {
    return params.shape[i >> 2u][i & 3u];
}

@compute @workgroup_size(8, 8, 1)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(local_invocation_id) lid: vec3<u32>,
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) nwg: vec3<u32>,
) {
    let thread = (wid.x + wid.y * nwg.x) * 8u + lid.x + params.first_thread;
    if thread < params.count {
        y[thread] = params.scale * x[thread % shape_at(5u)] + f32(params.shift);
    }
}
