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

var<workgroup> row_total: array<f32, 8>;
var<workgroup> row_square: array<f32, 8>;
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

@compute @workgroup_size(8, 1, 1)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(local_invocation_id) lid: vec3<u32>,
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) nwg: vec3<u32>,
) {
    let thread = (wid.x + wid.y * nwg.x) * 8u + lid.x + params.first_thread;
    let row = wid.x + wid.y * nwg.x + params.first_thread / 8u;
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
    var mine = vec4<f32>();
    for (var i = lane; i < params.columns; i += 8u) {
    let v0_0 = f16_quad(in0[at_in0 + i]);
    let x0 = vec4<f32>(load(v0_0.x), load(v0_0.y), load(v0_0.z), load(v0_0.w));
    out[at_in1 + i] = x0;
    mine += x0;
    }
    row_total[lane] = mine.x + mine.y + mine.z + mine.w;
    }
    workgroupBarrier();
    let all_total = row_total[0] + row_total[1] + row_total[2] + row_total[3] + row_total[4] + row_total[5] + row_total[6] + row_total[7];
    total = all_total;
    let mean = vec4<f32>(total / params.size);
    var square = 0.0f;
    {
    var mine = vec4<f32>();
    for (var i = lane; i < params.columns; i += 8u) {
    let x0 = out[at_in1 + i];
    mine += (x0 - mean) * (x0 - mean);
    }
    row_square[lane] = mine.x + mine.y + mine.z + mine.w;
    }
    workgroupBarrier();
    let all_square = row_square[0] + row_square[1] + row_square[2] + row_square[3] + row_square[4] + row_square[5] + row_square[6] + row_square[7];
    square = all_square;
    let scale = vec4<f32>(1.0f / sqrt(square / params.size + params.eps));
    for (var i = lane; i < params.columns; i += 8u) {
    let x0 = out[at_in1 + i];
    let r0 = (x0 - mean) * scale;
    out[at_in1 + i] = r0;
    }
}
