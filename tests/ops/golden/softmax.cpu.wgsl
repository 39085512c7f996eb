// kernel softmax
@group(0) @binding(0) var<storage, read> in0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>>;

struct Params {
    rows: u32,
    columns: u32,
    offset_in0: u32,
    shape: array<vec4<u32>, 1>,
    strides_in0: array<vec4<u32>, 1>,
    first_thread: u32,
}

@group(0) @binding(2) var<uniform> params: Params;

fn shape_at(i: u32) -> u32 {
    return params.shape[i >> 2u][i & 3u];
}

fn strides_in0_at(i: u32) -> u32 {
    return params.strides_in0[i >> 2u][i & 3u];
}

var<workgroup> row_peak: array<f32, 8>;
var<workgroup> row_total: array<f32, 8>;
var<private> infinity_bits: u32 = 0x7f800000u;
fn infinity() -> f32 {
  return bitcast<f32>(infinity_bits);
}
fn load(x0: f32) -> f32 {
  return x0;
}

fn finite_power(x: vec4<f32>) -> vec4<f32> {
  let turned = max(fma(x, vec4<f32>(1.44269504f), vec4<f32>(12583039.0f)), vec4<f32>(12582912.0f));
  let n = turned - 12583039.0f;
  let coarse = max(fma(n, vec4<f32>(-0.693359375f), x), vec4<f32>(-1.0f));
  let r = fma(n, vec4<f32>(2.12194440e-4f), coarse);
  var p = fma(vec4<f32>(8.3125159144e-3f), r, vec4<f32>(4.1890200227e-2f));
  p = fma(p, r, vec4<f32>(1.6667114198e-1f));
  p = fma(p, r, vec4<f32>(4.9999231100e-1f));
  p = fma(p, r, vec4<f32>(1.0f));
  p = fma(p, r, vec4<f32>(1.0f));
  return p * bitcast<vec4<f32>>(bitcast<vec4<u32>>(turned) << vec4<u32>(23u));
}


fn shrink(x: f32) -> f32 {
  let turned = max(fma(x, f32(1.44269504f), f32(12583039.0f)), f32(12582912.0f));
  let n = turned - 12583039.0f;
  let coarse = max(fma(n, f32(-0.693359375f), x), f32(-1.0f));
  let r = fma(n, f32(2.12194440e-4f), coarse);
  var p = fma(f32(8.3125159144e-3f), r, f32(4.1890200227e-2f));
  p = fma(p, r, f32(1.6667114198e-1f));
  p = fma(p, r, f32(4.9999231100e-1f));
  p = fma(p, r, f32(1.0f));
  p = fma(p, r, f32(1.0f));
  return p * bitcast<f32>(bitcast<u32>(turned) << u32(23u));
}


fn power(x: vec4<f32>) -> vec4<f32> {
  return select(finite_power(x), x, (bitcast<vec4<u32>>(x) & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x7f800000u));
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
    let at_out = row * params.columns;
    var peak = vec4<f32>(-infinity());
    for (var i = lane; i < params.columns; i += 8u) {
    let x0 = in0[at_in0 + i];
    peak = max(peak, x0);
    }
    row_peak[lane] = max(max(max(peak.x, peak.y), peak.z), peak.w);
    workgroupBarrier();
    let all_peak = max(max(max(max(max(max(max(row_peak[0], row_peak[1]), row_peak[2]), row_peak[3]), row_peak[4]), row_peak[5]), row_peak[6]), row_peak[7]);
    var total = vec4<f32>();
    for (var i = lane; i < params.columns; i += 8u) {
    let e = power(in0[at_in0 + i] - all_peak);
    total += e;
    out[at_out + i] = e;
    }
    row_total[lane] = total.x + total.y + total.z + total.w;
    workgroupBarrier();
    let all_total = row_total[0] + row_total[1] + row_total[2] + row_total[3] + row_total[4] + row_total[5] + row_total[6] + row_total[7];
    let scale = 1.0f / all_total;
    for (var i = lane; i < params.columns; i += 8u) {
    out[at_out + i] *= scale;
    }
}
