// kernel standardize
@group(0) @binding(0) var<storage, read> in0: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>>;

struct Params {
    rows: u32,
    columns: u32,
    size: f32,
    eps: f32,
    offset_in0: u32,
    offset_in1: u32,
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
fn f16_value(bits: u32) -> f32 {
  let size = bits & 0x7fffu;
  let small = bitcast<u32>(f32(size) * 5.9604644775390625e-8f);
  let large = (size << 13u) + select(0x38000000u, 0x70000000u, size >= 0x7c00u);
  return bitcast<f32>(((bits & 0x8000u) << 16u) | select(small, large, size >= 0x400u));
}
fn f16_at(word: u32, place: u32) -> f32 {
  return f16_value((word >> (16u * (place & 1u))) & 0xffffu);
}
fn f16_quad(words: vec2<u32>) -> vec4<f32> {
  return vec4<f32>(f16_at(words.x, 0u), f16_at(words.x, 1u), f16_at(words.y, 0u), f16_at(words.y, 1u));
}
fn load(x0: f32) -> f32 {
  return x0;
}

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
    let has0 = lane + 0u < params.columns;
    let i0 = min(lane + 0u, params.columns - 1u);
    let has1 = lane + 32u < params.columns;
    let i1 = min(lane + 32u, params.columns - 1u);
    let has2 = lane + 64u < params.columns;
    let i2 = min(lane + 64u, params.columns - 1u);
    let has3 = lane + 96u < params.columns;
    let i3 = min(lane + 96u, params.columns - 1u);
    let v0_0 = f16_quad(in0[at_in0 + i0]);
    let kept0 = vec4<f32>(load(v0_0.x), load(v0_0.y), load(v0_0.z), load(v0_0.w));
    let v0_1 = f16_quad(in0[at_in0 + i1]);
    let kept1 = vec4<f32>(load(v0_1.x), load(v0_1.y), load(v0_1.z), load(v0_1.w));
    let v0_2 = f16_quad(in0[at_in0 + i2]);
    let kept2 = vec4<f32>(load(v0_2.x), load(v0_2.y), load(v0_2.z), load(v0_2.w));
    let v0_3 = f16_quad(in0[at_in0 + i3]);
    let kept3 = vec4<f32>(load(v0_3.x), load(v0_3.y), load(v0_3.z), load(v0_3.w));
    var total = 0.0f;
    {
    var mine = vec4<f32>();
    if (has0) {
    let x0 = kept0;
    mine += x0;
    }
    if (has1) {
    let x0 = kept1;
    mine += x0;
    }
    if (has2) {
    let x0 = kept2;
    mine += x0;
    }
    if (has3) {
    let x0 = kept3;
    mine += x0;
    }
    row_total[lane] = mine.x + mine.y + mine.z + mine.w;
    }
    workgroupBarrier();
    if (lane < 16u) {
        row_total[lane] = row_total[lane] + row_total[lane + 16u];
    }
    workgroupBarrier();
    let all_total = row_total[0] + row_total[1] + row_total[2] + row_total[3] + row_total[4] + row_total[5] + row_total[6] + row_total[7] + row_total[8] + row_total[9] + row_total[10] + row_total[11] + row_total[12] + row_total[13] + row_total[14] + row_total[15];
    total = all_total;
    let mean = vec4<f32>(total / params.size);
    var square = 0.0f;
    {
    var mine = vec4<f32>();
    if (has0) {
    let x0 = kept0;
    mine += (x0 - mean) * (x0 - mean);
    }
    if (has1) {
    let x0 = kept1;
    mine += (x0 - mean) * (x0 - mean);
    }
    if (has2) {
    let x0 = kept2;
    mine += (x0 - mean) * (x0 - mean);
    }
    if (has3) {
    let x0 = kept3;
    mine += (x0 - mean) * (x0 - mean);
    }
    row_square[lane] = mine.x + mine.y + mine.z + mine.w;
    }
    workgroupBarrier();
    if (lane < 16u) {
        row_square[lane] = row_square[lane] + row_square[lane + 16u];
    }
    workgroupBarrier();
    let all_square = row_square[0] + row_square[1] + row_square[2] + row_square[3] + row_square[4] + row_square[5] + row_square[6] + row_square[7] + row_square[8] + row_square[9] + row_square[10] + row_square[11] + row_square[12] + row_square[13] + row_square[14] + row_square[15];
    square = all_square;
    let scale = vec4<f32>(1.0f / sqrt(square / params.size + params.eps));
    let x0 = kept0;
    let x1 = kept1;
    let x2 = kept2;
    let x3 = kept3;
    let r0 = (x0 - mean) * scale;
    let r1 = (x1 - mean) * scale;
    let r2 = (x2 - mean) * scale;
    let r3 = (x3 - mean) * scale;
    let y0 = r0;
    let y1 = r1;
    let y2 = r2;
    let y3 = r3;
    if (has0) {
        out[at_in1 + i0] = y0;
    }
    if (has1) {
        out[at_in1 + i1] = y1;
    }
    if (has2) {
        out[at_in1 + i2] = y2;
    }
    if (has3) {
        out[at_in1 + i3] = y3;
    }
}
