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

var<workgroup> row_peak: array<f32, 32>;
var<workgroup> row_total: array<f32, 32>;
var<private> infinity_bits: u32 = 0x7f800000u;
fn infinity() -> f32 {
  return bitcast<f32>(infinity_bits);
}
fn load(x0: f32) -> f32 {
  return x0;
}

fn finite_power(x: vec4<f32>) -> vec4<f32> {
  let bounded = max(x, vec4<f32>(-104.0f));
  let n = bounded * 1.44269502f;
  let rest = fma(bounded, vec4<f32>(1.92596303e-8f), fma(bounded, vec4<f32>(1.44269502f), -n));
  return exp2(n) * fma(rest, vec4<f32>(0.693147181f), vec4<f32>(1.0f));
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
    let at_out = row * params.columns;
    let has0 = lane + 0u < params.columns;
    let i0 = min(lane + 0u, params.columns - 1u);
    let has1 = lane + 32u < params.columns;
    let i1 = min(lane + 32u, params.columns - 1u);
    let has2 = lane + 64u < params.columns;
    let i2 = min(lane + 64u, params.columns - 1u);
    let has3 = lane + 96u < params.columns;
    let i3 = min(lane + 96u, params.columns - 1u);
    let read0 = in0[at_in0 + i0];
    let read1 = in0[at_in0 + i1];
    let read2 = in0[at_in0 + i2];
    let read3 = in0[at_in0 + i3];
    let x0 = select(vec4<f32>(-infinity()), read0, has0);
    let x1 = select(vec4<f32>(-infinity()), read1, has1);
    let x2 = select(vec4<f32>(-infinity()), read2, has2);
    let x3 = select(vec4<f32>(-infinity()), read3, has3);
    let peak = max(max(max(x0, x1), x2), x3);
    row_peak[lane] = max(max(max(peak.x, peak.y), peak.z), peak.w);
    workgroupBarrier();
    if (lane < 16u) {
        row_peak[lane] = max(row_peak[lane], row_peak[lane + 16u]);
    }
    workgroupBarrier();
    let all_peak = max(max(max(max(max(max(max(max(max(max(max(max(max(max(max(row_peak[0], row_peak[1]), row_peak[2]), row_peak[3]), row_peak[4]), row_peak[5]), row_peak[6]), row_peak[7]), row_peak[8]), row_peak[9]), row_peak[10]), row_peak[11]), row_peak[12]), row_peak[13]), row_peak[14]), row_peak[15]);
    let e0 = power(x0 - all_peak);
    let e1 = power(x1 - all_peak);
    let e2 = power(x2 - all_peak);
    let e3 = power(x3 - all_peak);
    let total = e0 + e1 + e2 + e3;
    row_total[lane] = total.x + total.y + total.z + total.w;
    workgroupBarrier();
    if (lane < 16u) {
        row_total[lane] = row_total[lane] + row_total[lane + 16u];
    }
    workgroupBarrier();
    let all_total = row_total[0] + row_total[1] + row_total[2] + row_total[3] + row_total[4] + row_total[5] + row_total[6] + row_total[7] + row_total[8] + row_total[9] + row_total[10] + row_total[11] + row_total[12] + row_total[13] + row_total[14] + row_total[15];
    let scale = 1.0f / all_total;
    if (has0) {
        out[at_out + i0] = e0 * scale;
    }
    if (has1) {
        out[at_out + i1] = e1 * scale;
    }
    if (has2) {
        out[at_out + i2] = e2 * scale;
    }
    if (has3) {
        out[at_out + i3] = e3 * scale;
    }
}
