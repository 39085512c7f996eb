// kernel standardize_rows
@group(0) @binding(0) var<storage, read> in0: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

struct Params {
    rows: u32,
    columns: u32,
    size: f32,
    eps: f32,
    offset_in0: u32,
    step_in0: u32,
    offset_in1: u32,
    step_in1: u32,
    shape: array<vec4<u32>, 1>,
    strides_in0: array<vec4<u32>, 1>,
    strides_in1: array<vec4<u32>, 1>,
    first_thread: u32,
}

@group(0) @binding(2) var<uniform> params: Params;

fn shape_at(i: u32) -> u32 {
    return params.shape[i >> 2u][i & 3u];
}

fn strides_in0_at(i: u32) -> u32 {
    return params.strides_in0[i >> 2u][i & 3u];
}

fn strides_in1_at(i: u32) -> u32 {
    return params.strides_in1[i >> 2u][i & 3u];
}

@compute @workgroup_size(8, 1, 1)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(local_invocation_id) lid: vec3<u32>,
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) nwg: vec3<u32>,
) {
    let thread = (wid.x + wid.y * nwg.x) * 8u + lid.x + params.first_thread;
    let row = thread;
    if (row >= params.rows) {
        return;
    }
    var rest = row;
    let c1 = rest % shape_at(1u);
    rest /= shape_at(1u);
    let c0 = rest;
    let at_in0 = params.offset_in0 + c0 * strides_in0_at(0u) + c1 * strides_in0_at(1u);
    let at_in1 = params.offset_in1 + c0 * strides_in1_at(0u) + c1 * strides_in1_at(1u);
    var total = 0.0f;
    {
    var mine = f32();
    {
    var i = 0u;
    for (; i + 4u <= params.columns; i += 4u) {
    let x0 = in0[at_in0 + i * params.step_in0];
    let x1 = in0[at_in0 + (i + 1u) * params.step_in0];
    let x2 = in0[at_in0 + (i + 2u) * params.step_in0];
    let x3 = in0[at_in0 + (i + 3u) * params.step_in0];
    mine += (((x0 + x1) + x2) + x3);
    }
    for (; i < params.columns; i++) {
    let x0 = in0[at_in0 + i * params.step_in0];
    mine += x0;
    }
    }
    total = mine;
    }
    let mean = f32(total / params.size);
    var square = 0.0f;
    {
    var mine = f32();
    {
    var i = 0u;
    for (; i + 4u <= params.columns; i += 4u) {
    let x0 = in0[at_in0 + i * params.step_in0];
    let x1 = in0[at_in0 + (i + 1u) * params.step_in0];
    let x2 = in0[at_in0 + (i + 2u) * params.step_in0];
    let x3 = in0[at_in0 + (i + 3u) * params.step_in0];
    mine += ((((x0 - mean) * (x0 - mean) + (x1 - mean) * (x1 - mean)) + (x2 - mean) * (x2 - mean)) + (x3 - mean) * (x3 - mean));
    }
    for (; i < params.columns; i++) {
    let x0 = in0[at_in0 + i * params.step_in0];
    mine += (x0 - mean) * (x0 - mean);
    }
    }
    square = mine;
    }
    let scale = f32(1.0f / sqrt(square / params.size + params.eps));
    {
    var i = 0u;
    for (; i + 4u <= params.columns; i += 4u) {
    let x0 = in0[at_in0 + i * params.step_in0];
    let x1 = in0[at_in0 + (i + 1u) * params.step_in0];
    let x2 = in0[at_in0 + (i + 2u) * params.step_in0];
    let x3 = in0[at_in0 + (i + 3u) * params.step_in0];
    let r0 = (x0 - mean) * scale;
    out[at_in1 + i * params.step_in1] = r0;
    let r1 = (x1 - mean) * scale;
    out[at_in1 + (i + 1u) * params.step_in1] = r1;
    let r2 = (x2 - mean) * scale;
    out[at_in1 + (i + 2u) * params.step_in1] = r2;
    let r3 = (x3 - mean) * scale;
    out[at_in1 + (i + 3u) * params.step_in1] = r3;
    }
    for (; i < params.columns; i++) {
    let x0 = in0[at_in0 + i * params.step_in0];
    let r0 = (x0 - mean) * scale;
    out[at_in1 + i * params.step_in1] = r0;
    }
    }
}
