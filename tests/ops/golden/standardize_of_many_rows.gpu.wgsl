// kernel standardize
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

var<workgroup> row_total: array<f32, 32>;
var<workgroup> row_square: array<f32, 32>;

@compute @workgroup_size(32, 1, 1)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(local_invocation_id) lid: vec3<u32>,
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) nwg: vec3<u32>,
) {
    let thread = (wid.x + wid.y * nwg.x) * 32u + lid.x + params.first_thread;
    let row = wid.x + wid.y * nwg.x + params.first_thread / 32u;
    if (row >= params.rows) {
        return;
    }
    let lane = lid.x;
    var rest = row;
    let c1 = rest % shape_at(1u);
    rest /= shape_at(1u);
    let c0 = rest;
    let at_in0 = params.offset_in0 + c0 * strides_in0_at(0u) + c1 * strides_in0_at(1u);
    let at_in1 = params.offset_in1 + c0 * strides_in1_at(0u) + c1 * strides_in1_at(1u);
    var total = 0.0f;
    {
    var mine = f32();
    for (var i = lane; i < params.columns; i += 32u) {
    let x0 = in0[at_in0 + i * params.step_in0];
    mine += x0;
    }
    row_total[lane] = mine;
    }
    workgroupBarrier();
    if (lane < 16u) {
        row_total[lane] = row_total[lane] + row_total[lane + 16u];
    }
    workgroupBarrier();
    if (lane < 8u) {
        row_total[lane] = row_total[lane] + row_total[lane + 8u];
    }
    workgroupBarrier();
    if (lane < 4u) {
        row_total[lane] = row_total[lane] + row_total[lane + 4u];
    }
    workgroupBarrier();
    if (lane < 2u) {
        row_total[lane] = row_total[lane] + row_total[lane + 2u];
    }
    workgroupBarrier();
    if (lane < 1u) {
        row_total[lane] = row_total[lane] + row_total[lane + 1u];
    }
    workgroupBarrier();
    total = row_total[0];
    let mean = f32(total / params.size);
    var square = 0.0f;
    {
    var mine = f32();
    for (var i = lane; i < params.columns; i += 32u) {
    let x0 = in0[at_in0 + i * params.step_in0];
    mine += (x0 - mean) * (x0 - mean);
    }
    row_square[lane] = mine;
    }
    workgroupBarrier();
    if (lane < 16u) {
        row_square[lane] = row_square[lane] + row_square[lane + 16u];
    }
    workgroupBarrier();
    if (lane < 8u) {
        row_square[lane] = row_square[lane] + row_square[lane + 8u];
    }
    workgroupBarrier();
    if (lane < 4u) {
        row_square[lane] = row_square[lane] + row_square[lane + 4u];
    }
    workgroupBarrier();
    if (lane < 2u) {
        row_square[lane] = row_square[lane] + row_square[lane + 2u];
    }
    workgroupBarrier();
    if (lane < 1u) {
        row_square[lane] = row_square[lane] + row_square[lane + 1u];
    }
    workgroupBarrier();
    square = row_square[0];
    let scale = f32(1.0f / sqrt(square / params.size + params.eps));
    for (var i = lane; i < params.columns; i += 32u) {
    let x0 = in0[at_in0 + i * params.step_in0];
    let r0 = (x0 - mean) * scale;
    out[at_in1 + i * params.step_in1] = r0;
    }
}
