// kernel log_softmax
@group(0) @binding(0) var<storage, read> in0: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

struct Params {
    rows: u32,
    columns: u32,
    inner: u32,
    offset_in0: u32,
    step_in0: u32,
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

var<workgroup> row_peak: array<f32, 32>;
var<workgroup> row_total: array<f32, 32>;
var<private> infinity_bits: u32 = 0x7f800000u;
fn infinity() -> f32 {
  return bitcast<f32>(infinity_bits);
}
var<private> nan_bits: u32 = 0x7fc00000u;
fn not_a_number() -> f32 {
  return bitcast<f32>(nan_bits);
}
fn magnitude_bits(x: f32) -> u32 {
  return bitcast<u32>(x) & 0x7fffffffu;
}
fn is_nan(x: f32) -> bool {
  return magnitude_bits(x) > 0x7f800000u;
}
fn log_parts(x: f32) -> vec2<f32> {
  let bits = bitcast<u32>(x);
  let subnormal = bits < 0x00800000u;
  let normal = select(bits, bitcast<u32>(f32(bits)), subnormal);
  let shift = (normal - 0x3f3504f3u) & 0xff800000u;
  let e = f32((bitcast<i32>(shift) >> 23u) - select(0i, 149i, subnormal));
  return vec2<f32>(e, bitcast<f32>(normal - shift) - 1.0f);
}
fn log_cubic(m: f32) -> f32 {
  var p = fma(7.0376836292e-2f, m, -1.1514610310e-1f);
  p = fma(p, m, 1.1676998740e-1f);
  p = fma(p, m, -1.2420140846e-1f);
  p = fma(p, m, 1.4249322787e-1f);
  p = fma(p, m, -1.6668057665e-1f);
  p = fma(p, m, 2.0000714765e-1f);
  p = fma(p, m, -2.4999993993e-1f);
  p = fma(p, m, 3.3333331174e-1f);
  return p * m * (m * m);
}
fn log_at_edges(x: f32, finite: f32) -> f32 {
  let bits = bitcast<u32>(x);
  let positive = select(finite, x, bits >= 0x7f800000u);
  let signed = select(positive, not_a_number(), (bits & 0x80000000u) != 0u);
  return select(select(signed, -infinity(), magnitude_bits(x) == 0u), x, is_nan(x));
}
fn log_f32(x: f32) -> f32 {
  let parts = log_parts(x);
  let m = parts.y;
  let p = fma(parts.x, -2.12194440e-4f, log_cubic(m));
  let finite = fma(parts.x, 0.693359375f, m + fma(-0.5f, m * m, p));
  return log_at_edges(x, finite);
}
fn load(x0: f32) -> f32 {
  return x0;
}

fn finite_power(x: f32) -> f32 {
  let bounded = max(x, f32(-104.0f));
  let n = bounded * 1.44269502f;
  let rest = fma(bounded, f32(1.92596303e-8f), fma(bounded, f32(1.44269502f), -n));
  return exp2(n) * fma(rest, f32(0.693147181f), f32(1.0f));
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


fn power(x: f32) -> f32 {
  return select(finite_power(x), x, (bitcast<u32>(x) & u32(0x7fffffffu)) > u32(0x7f800000u));
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
    let at_out = row / params.inner * params.inner * params.columns + row % params.inner;
    let has0 = lane + 0u < params.columns;
    let i0 = min(lane + 0u, params.columns - 1u);
    let read0 = in0[at_in0 + i0 * params.step_in0];
    let x0 = select(f32(-infinity()), read0, has0);
    let peak = x0;
    row_peak[lane] = peak;
    workgroupBarrier();
    if (lane < 16u) {
        row_peak[lane] = max(row_peak[lane], row_peak[lane + 16u]);
    }
    workgroupBarrier();
    let all_peak = max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(row_peak[0], row_peak[1]), row_peak[2]), row_peak[3]), row_peak[4]), row_peak[5]), row_peak[6]), row_peak[7]), row_peak[8]), row_peak[9]), row_peak[10]), row_peak[11]), row_peak[12]), row_peak[13]), row_peak[14]), row_peak[15]);
    let e0 = power(x0 - all_peak);
    let total = e0;
    row_total[lane] = total;
    workgroupBarrier();
    if (lane < 16u) {
        row_total[lane] = row_total[lane] + row_total[lane + 16u];
    }
    workgroupBarrier();
    let all_total = row_total[0] + row_total[1] + row_total[2] + row_total[3] + row_total[4] + row_total[5] + row_total[6] + row_total[7] + row_total[8] + row_total[9] + row_total[10] + row_total[11] + row_total[12] + row_total[13] + row_total[14] + row_total[15];
    let sum_log = log_f32(all_total);
    if (has0) {
        out[at_out + i0 * params.inner] = x0 - all_peak - sum_log;
    }
}
