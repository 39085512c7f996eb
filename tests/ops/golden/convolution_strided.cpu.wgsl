// kernel convolution
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> w: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

struct Params {
    offset_x: u32,
    row_x: u32,
    columns: u32,
    points: u32,
    last: u32,
    outputs: u32,
    row_tiles: u32,
    quads: u32,
    channels: u32,
    first: u32,
    stop: u32,
    begin: u32,
    end: u32,
    tap_begin: u32,
    tap_end: u32,
    is_last: u32,
    shape: array<vec4<u32>, 1>,
    strides_x: array<vec4<u32>, 1>,
    strides_out: array<vec4<u32>, 1>,
    taps: array<vec4<u32>, 1>,
    reach: array<vec4<u32>, 1>,
    first_thread: u32,
}

@group(0) @binding(3) var<uniform> params: Params;

fn shape_at(i: u32) -> u32 {
    return params.shape[i >> 2u][i & 3u];
}

fn strides_x_at(i: u32) -> u32 {
    return params.strides_x[i >> 2u][i & 3u];
}

fn strides_out_at(i: u32) -> u32 {
    return params.strides_out[i >> 2u][i & 3u];
}

fn taps_at(i: u32) -> u32 {
    return params.taps[i >> 2u][i & 3u];
}

fn reach_at(i: u32) -> u32 {
    return params.reach[i >> 2u][i & 3u];
}

fn begin_of(column: u32) -> u32 {
var rest = column * 1u;
let c3 = rest % shape_at(3u);
rest /= shape_at(3u);
let c2 = rest % shape_at(2u);
rest /= shape_at(2u);
let c1 = rest % shape_at(1u);
rest /= shape_at(1u);
let c0 = rest;
return c0 * strides_x_at(0u) + c1 * strides_x_at(1u) + c2 * strides_x_at(2u) + c3 * strides_x_at(3u);
}

// Where a column of places begins for an output, how many of its places and lines there are, and how many outputs.
fn spot_of(group: u32, row: u32, place: u32) -> vec4<u32> {
var rest = place;
let c3 = rest % shape_at(3u);
rest /= shape_at(3u);
let c2 = rest % shape_at(2u);
rest /= shape_at(2u);
let c1 = rest % shape_at(1u);
rest /= shape_at(1u);
let c0 = rest;
  let at = (group * params.outputs + row) * params.points + c0 * strides_out_at(0u) + c1 * strides_out_at(1u) + c2 * strides_out_at(2u) + c3 * strides_out_at(3u);
  let places = select(0u, params.last - c3, place < params.columns);
  return vec4<u32>(at, places, 1u, params.outputs - row);
}

fn store(spot: vec4<u32>, lane: u32, line: u32, low: vec4<f32>, high: vec4<f32>) {
  if (lane < spot.y && line < spot.z) {
    let at = spot.x + lane;
    if (spot.w > 0u) { out[at + 0u * params.points] = low.x; }
    if (spot.w > 1u) { out[at + 1u * params.points] = low.y; }
    if (spot.w > 2u) { out[at + 2u * params.points] = low.z; }
    if (spot.w > 3u) { out[at + 3u * params.points] = low.w; }
    if (spot.w > 4u) { out[at + 4u * params.points] = high.x; }
    if (spot.w > 5u) { out[at + 5u * params.points] = high.y; }
    if (spot.w > 6u) { out[at + 6u * params.points] = high.z; }
    if (spot.w > 7u) { out[at + 7u * params.points] = high.w; }
  }
}

@compute @workgroup_size(8, 1, 1)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(local_invocation_id) lid: vec3<u32>,
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) nwg: vec3<u32>,
) {
    let thread = (wid.x + wid.y * nwg.x) * 8u + lid.x + params.first_thread;
    let line = params.first + wid.y + wid.z * nwg.y;
    if (line >= params.stop) {
        return;
    }
    let group = line / params.row_tiles;
    let row = line % params.row_tiles * 8u;
    let column = wid.x * 128u + lid.x;
    let base = params.offset_x + group * params.channels * params.row_x;
    let last_column = params.columns / 1u - 1u;
    let p0 = base + begin_of(min(column, last_column));
    let p1 = base + begin_of(min(column + 8u, last_column));
    let p2 = base + begin_of(min(column + 16u, last_column));
    let p3 = base + begin_of(min(column + 24u, last_column));
    let p4 = base + begin_of(min(column + 32u, last_column));
    let p5 = base + begin_of(min(column + 40u, last_column));
    let p6 = base + begin_of(min(column + 48u, last_column));
    let p7 = base + begin_of(min(column + 56u, last_column));
    let p8 = base + begin_of(min(column + 64u, last_column));
    let p9 = base + begin_of(min(column + 72u, last_column));
    let p10 = base + begin_of(min(column + 80u, last_column));
    let p11 = base + begin_of(min(column + 88u, last_column));
    let p12 = base + begin_of(min(column + 96u, last_column));
    let p13 = base + begin_of(min(column + 104u, last_column));
    let p14 = base + begin_of(min(column + 112u, last_column));
    let p15 = base + begin_of(min(column + 120u, last_column));
    var c0_0 = vec4<f32>();
    var c0_1 = vec4<f32>();
    var c0_2 = vec4<f32>();
    var c0_3 = vec4<f32>();
    var c0_4 = vec4<f32>();
    var c0_5 = vec4<f32>();
    var c0_6 = vec4<f32>();
    var c0_7 = vec4<f32>();
    var c0_8 = vec4<f32>();
    var c0_9 = vec4<f32>();
    var c0_10 = vec4<f32>();
    var c0_11 = vec4<f32>();
    var c0_12 = vec4<f32>();
    var c0_13 = vec4<f32>();
    var c0_14 = vec4<f32>();
    var c0_15 = vec4<f32>();
    var c1_0 = vec4<f32>();
    var c1_1 = vec4<f32>();
    var c1_2 = vec4<f32>();
    var c1_3 = vec4<f32>();
    var c1_4 = vec4<f32>();
    var c1_5 = vec4<f32>();
    var c1_6 = vec4<f32>();
    var c1_7 = vec4<f32>();
    var c1_8 = vec4<f32>();
    var c1_9 = vec4<f32>();
    var c1_10 = vec4<f32>();
    var c1_11 = vec4<f32>();
    var c1_12 = vec4<f32>();
    var c1_13 = vec4<f32>();
    var c1_14 = vec4<f32>();
    var c1_15 = vec4<f32>();
    let inner = taps_at(3u);
    let later = inner / taps_at(3u);
    let low = min(row / 4u, params.quads - 1u);
    let high = min(row / 4u + 1u, params.quads - 1u);
    for (var channel = params.begin; channel < params.end; channel++) {
    let of_channel = channel * params.row_x;
    var k = ((group * params.channels + channel) * inner + params.tap_begin * later) * params.quads;
    for (var t3 = params.tap_begin; t3 < params.tap_end; t3++) {
    var at = of_channel + t3 * reach_at(3u);
    let w0 = w[k + low];
    let w1 = w[k + high];
    k += params.quads;
    let x0 = vec4<f32>(x[p0 + at]);
    c0_0 = fma(w0, x0, c0_0);
    c1_0 = fma(w1, x0, c1_0);
    let x1 = vec4<f32>(x[p1 + at]);
    c0_1 = fma(w0, x1, c0_1);
    c1_1 = fma(w1, x1, c1_1);
    let x2 = vec4<f32>(x[p2 + at]);
    c0_2 = fma(w0, x2, c0_2);
    c1_2 = fma(w1, x2, c1_2);
    let x3 = vec4<f32>(x[p3 + at]);
    c0_3 = fma(w0, x3, c0_3);
    c1_3 = fma(w1, x3, c1_3);
    let x4 = vec4<f32>(x[p4 + at]);
    c0_4 = fma(w0, x4, c0_4);
    c1_4 = fma(w1, x4, c1_4);
    let x5 = vec4<f32>(x[p5 + at]);
    c0_5 = fma(w0, x5, c0_5);
    c1_5 = fma(w1, x5, c1_5);
    let x6 = vec4<f32>(x[p6 + at]);
    c0_6 = fma(w0, x6, c0_6);
    c1_6 = fma(w1, x6, c1_6);
    let x7 = vec4<f32>(x[p7 + at]);
    c0_7 = fma(w0, x7, c0_7);
    c1_7 = fma(w1, x7, c1_7);
    let x8 = vec4<f32>(x[p8 + at]);
    c0_8 = fma(w0, x8, c0_8);
    c1_8 = fma(w1, x8, c1_8);
    let x9 = vec4<f32>(x[p9 + at]);
    c0_9 = fma(w0, x9, c0_9);
    c1_9 = fma(w1, x9, c1_9);
    let x10 = vec4<f32>(x[p10 + at]);
    c0_10 = fma(w0, x10, c0_10);
    c1_10 = fma(w1, x10, c1_10);
    let x11 = vec4<f32>(x[p11 + at]);
    c0_11 = fma(w0, x11, c0_11);
    c1_11 = fma(w1, x11, c1_11);
    let x12 = vec4<f32>(x[p12 + at]);
    c0_12 = fma(w0, x12, c0_12);
    c1_12 = fma(w1, x12, c1_12);
    let x13 = vec4<f32>(x[p13 + at]);
    c0_13 = fma(w0, x13, c0_13);
    c1_13 = fma(w1, x13, c1_13);
    let x14 = vec4<f32>(x[p14 + at]);
    c0_14 = fma(w0, x14, c0_14);
    c1_14 = fma(w1, x14, c1_14);
    let x15 = vec4<f32>(x[p15 + at]);
    c0_15 = fma(w0, x15, c0_15);
    c1_15 = fma(w1, x15, c1_15);
    }
    }
    let s0 = spot_of(group, row, (column) * 1u);
    let s1 = spot_of(group, row, (column + 8u) * 1u);
    let s2 = spot_of(group, row, (column + 16u) * 1u);
    let s3 = spot_of(group, row, (column + 24u) * 1u);
    let s4 = spot_of(group, row, (column + 32u) * 1u);
    let s5 = spot_of(group, row, (column + 40u) * 1u);
    let s6 = spot_of(group, row, (column + 48u) * 1u);
    let s7 = spot_of(group, row, (column + 56u) * 1u);
    let s8 = spot_of(group, row, (column + 64u) * 1u);
    let s9 = spot_of(group, row, (column + 72u) * 1u);
    let s10 = spot_of(group, row, (column + 80u) * 1u);
    let s11 = spot_of(group, row, (column + 88u) * 1u);
    let s12 = spot_of(group, row, (column + 96u) * 1u);
    let s13 = spot_of(group, row, (column + 104u) * 1u);
    let s14 = spot_of(group, row, (column + 112u) * 1u);
    let s15 = spot_of(group, row, (column + 120u) * 1u);
    store(s0, 0u, 0u, c0_0, c1_0);
    store(s1, 0u, 0u, c0_1, c1_1);
    store(s2, 0u, 0u, c0_2, c1_2);
    store(s3, 0u, 0u, c0_3, c1_3);
    store(s4, 0u, 0u, c0_4, c1_4);
    store(s5, 0u, 0u, c0_5, c1_5);
    store(s6, 0u, 0u, c0_6, c1_6);
    store(s7, 0u, 0u, c0_7, c1_7);
    store(s8, 0u, 0u, c0_8, c1_8);
    store(s9, 0u, 0u, c0_9, c1_9);
    store(s10, 0u, 0u, c0_10, c1_10);
    store(s11, 0u, 0u, c0_11, c1_11);
    store(s12, 0u, 0u, c0_12, c1_12);
    store(s13, 0u, 0u, c0_13, c1_13);
    store(s14, 0u, 0u, c0_14, c1_14);
    store(s15, 0u, 0u, c0_15, c1_15);
}
