// kernel convolution
@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
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
    height: u32,
    line_x: u32,
    line_out: u32,
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
var rest = column * 4u;
let c3 = rest % shape_at(3u);
rest /= shape_at(3u);
let c2 = rest % shape_at(2u);
rest /= shape_at(2u);
let c1 = rest % shape_at(1u);
rest /= shape_at(1u);
let c0 = rest;
return c0 * strides_x_at(0u) + c1 * strides_x_at(1u) + c2 * strides_x_at(2u) + c3 / 4u;
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
  return vec4<u32>(at, places, params.height - c2 * 4u, params.outputs - row);
}

fn store(spot: vec4<u32>, lane: u32, line: u32, low: vec4<f32>) {
  if (lane < spot.y && line < spot.z) {
    let at = spot.x + lane + line * params.line_out;
    if (spot.w > 0u) { out[at + 0u * params.points] = low.x; }
    if (spot.w > 1u) { out[at + 1u * params.points] = low.y; }
    if (spot.w > 2u) { out[at + 2u * params.points] = low.z; }
    if (spot.w > 3u) { out[at + 3u * params.points] = low.w; }
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
    let row = line % params.row_tiles * 4u;
    let column = wid.x * 8u + lid.x;
    let base = params.offset_x + group * params.channels * params.row_x;
    let last_column = params.columns / 4u - 1u;
    let p0 = base + begin_of(min(column, last_column));
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
    let inner = taps_at(2u) * taps_at(3u);
    let later = inner / taps_at(2u);
    let low = min(row / 4u, params.quads - 1u);
    for (var channel = params.begin; channel < params.end; channel++) {
    let of_channel = channel * params.row_x;
    var k = ((group * params.channels + channel) * inner + params.tap_begin * later) * params.quads;
    var at = of_channel;
    let q0_0 = x[p0 + at + 0u];
    let q0_1 = x[p0 + at + 1u];
    at += params.line_x;
    let q0_0_1 = x[p0 + at + 0u];
    let q0_1_1 = x[p0 + at + 1u];
    at += params.line_x;
    let q0_0_2 = x[p0 + at + 0u];
    let q0_1_2 = x[p0 + at + 1u];
    at += params.line_x;
    let q0_0_3 = x[p0 + at + 0u];
    let q0_1_3 = x[p0 + at + 1u];
    at += params.line_x;
    let q0_0_4 = x[p0 + at + 0u];
    let q0_1_4 = x[p0 + at + 1u];
    at += params.line_x;
    let q0_0_5 = x[p0 + at + 0u];
    let q0_1_5 = x[p0 + at + 1u];
    let w0_0 = w[k + low];
    k += params.quads;
    c0_0 = fma(w0_0, vec4<f32>(q0_0.x), c0_0);
    c0_1 = fma(w0_0, vec4<f32>(q0_0.y), c0_1);
    c0_2 = fma(w0_0, vec4<f32>(q0_0.z), c0_2);
    c0_3 = fma(w0_0, vec4<f32>(q0_0.w), c0_3);
    c0_4 = fma(w0_0, vec4<f32>(q0_0_1.x), c0_4);
    c0_5 = fma(w0_0, vec4<f32>(q0_0_1.y), c0_5);
    c0_6 = fma(w0_0, vec4<f32>(q0_0_1.z), c0_6);
    c0_7 = fma(w0_0, vec4<f32>(q0_0_1.w), c0_7);
    c0_8 = fma(w0_0, vec4<f32>(q0_0_2.x), c0_8);
    c0_9 = fma(w0_0, vec4<f32>(q0_0_2.y), c0_9);
    c0_10 = fma(w0_0, vec4<f32>(q0_0_2.z), c0_10);
    c0_11 = fma(w0_0, vec4<f32>(q0_0_2.w), c0_11);
    c0_12 = fma(w0_0, vec4<f32>(q0_0_3.x), c0_12);
    c0_13 = fma(w0_0, vec4<f32>(q0_0_3.y), c0_13);
    c0_14 = fma(w0_0, vec4<f32>(q0_0_3.z), c0_14);
    c0_15 = fma(w0_0, vec4<f32>(q0_0_3.w), c0_15);
    let w1_0 = w[k + low];
    k += params.quads;
    c0_0 = fma(w1_0, vec4<f32>(q0_0.y), c0_0);
    c0_1 = fma(w1_0, vec4<f32>(q0_0.z), c0_1);
    c0_2 = fma(w1_0, vec4<f32>(q0_0.w), c0_2);
    c0_3 = fma(w1_0, vec4<f32>(q0_1.x), c0_3);
    c0_4 = fma(w1_0, vec4<f32>(q0_0_1.y), c0_4);
    c0_5 = fma(w1_0, vec4<f32>(q0_0_1.z), c0_5);
    c0_6 = fma(w1_0, vec4<f32>(q0_0_1.w), c0_6);
    c0_7 = fma(w1_0, vec4<f32>(q0_1_1.x), c0_7);
    c0_8 = fma(w1_0, vec4<f32>(q0_0_2.y), c0_8);
    c0_9 = fma(w1_0, vec4<f32>(q0_0_2.z), c0_9);
    c0_10 = fma(w1_0, vec4<f32>(q0_0_2.w), c0_10);
    c0_11 = fma(w1_0, vec4<f32>(q0_1_2.x), c0_11);
    c0_12 = fma(w1_0, vec4<f32>(q0_0_3.y), c0_12);
    c0_13 = fma(w1_0, vec4<f32>(q0_0_3.z), c0_13);
    c0_14 = fma(w1_0, vec4<f32>(q0_0_3.w), c0_14);
    c0_15 = fma(w1_0, vec4<f32>(q0_1_3.x), c0_15);
    let w2_0 = w[k + low];
    k += params.quads;
    c0_0 = fma(w2_0, vec4<f32>(q0_0.z), c0_0);
    c0_1 = fma(w2_0, vec4<f32>(q0_0.w), c0_1);
    c0_2 = fma(w2_0, vec4<f32>(q0_1.x), c0_2);
    c0_3 = fma(w2_0, vec4<f32>(q0_1.y), c0_3);
    c0_4 = fma(w2_0, vec4<f32>(q0_0_1.z), c0_4);
    c0_5 = fma(w2_0, vec4<f32>(q0_0_1.w), c0_5);
    c0_6 = fma(w2_0, vec4<f32>(q0_1_1.x), c0_6);
    c0_7 = fma(w2_0, vec4<f32>(q0_1_1.y), c0_7);
    c0_8 = fma(w2_0, vec4<f32>(q0_0_2.z), c0_8);
    c0_9 = fma(w2_0, vec4<f32>(q0_0_2.w), c0_9);
    c0_10 = fma(w2_0, vec4<f32>(q0_1_2.x), c0_10);
    c0_11 = fma(w2_0, vec4<f32>(q0_1_2.y), c0_11);
    c0_12 = fma(w2_0, vec4<f32>(q0_0_3.z), c0_12);
    c0_13 = fma(w2_0, vec4<f32>(q0_0_3.w), c0_13);
    c0_14 = fma(w2_0, vec4<f32>(q0_1_3.x), c0_14);
    c0_15 = fma(w2_0, vec4<f32>(q0_1_3.y), c0_15);
    let w3_0 = w[k + low];
    k += params.quads;
    c0_0 = fma(w3_0, vec4<f32>(q0_0_1.x), c0_0);
    c0_1 = fma(w3_0, vec4<f32>(q0_0_1.y), c0_1);
    c0_2 = fma(w3_0, vec4<f32>(q0_0_1.z), c0_2);
    c0_3 = fma(w3_0, vec4<f32>(q0_0_1.w), c0_3);
    c0_4 = fma(w3_0, vec4<f32>(q0_0_2.x), c0_4);
    c0_5 = fma(w3_0, vec4<f32>(q0_0_2.y), c0_5);
    c0_6 = fma(w3_0, vec4<f32>(q0_0_2.z), c0_6);
    c0_7 = fma(w3_0, vec4<f32>(q0_0_2.w), c0_7);
    c0_8 = fma(w3_0, vec4<f32>(q0_0_3.x), c0_8);
    c0_9 = fma(w3_0, vec4<f32>(q0_0_3.y), c0_9);
    c0_10 = fma(w3_0, vec4<f32>(q0_0_3.z), c0_10);
    c0_11 = fma(w3_0, vec4<f32>(q0_0_3.w), c0_11);
    c0_12 = fma(w3_0, vec4<f32>(q0_0_4.x), c0_12);
    c0_13 = fma(w3_0, vec4<f32>(q0_0_4.y), c0_13);
    c0_14 = fma(w3_0, vec4<f32>(q0_0_4.z), c0_14);
    c0_15 = fma(w3_0, vec4<f32>(q0_0_4.w), c0_15);
    let w4_0 = w[k + low];
    k += params.quads;
    c0_0 = fma(w4_0, vec4<f32>(q0_0_1.y), c0_0);
    c0_1 = fma(w4_0, vec4<f32>(q0_0_1.z), c0_1);
    c0_2 = fma(w4_0, vec4<f32>(q0_0_1.w), c0_2);
    c0_3 = fma(w4_0, vec4<f32>(q0_1_1.x), c0_3);
    c0_4 = fma(w4_0, vec4<f32>(q0_0_2.y), c0_4);
    c0_5 = fma(w4_0, vec4<f32>(q0_0_2.z), c0_5);
    c0_6 = fma(w4_0, vec4<f32>(q0_0_2.w), c0_6);
    c0_7 = fma(w4_0, vec4<f32>(q0_1_2.x), c0_7);
    c0_8 = fma(w4_0, vec4<f32>(q0_0_3.y), c0_8);
    c0_9 = fma(w4_0, vec4<f32>(q0_0_3.z), c0_9);
    c0_10 = fma(w4_0, vec4<f32>(q0_0_3.w), c0_10);
    c0_11 = fma(w4_0, vec4<f32>(q0_1_3.x), c0_11);
    c0_12 = fma(w4_0, vec4<f32>(q0_0_4.y), c0_12);
    c0_13 = fma(w4_0, vec4<f32>(q0_0_4.z), c0_13);
    c0_14 = fma(w4_0, vec4<f32>(q0_0_4.w), c0_14);
    c0_15 = fma(w4_0, vec4<f32>(q0_1_4.x), c0_15);
    let w5_0 = w[k + low];
    k += params.quads;
    c0_0 = fma(w5_0, vec4<f32>(q0_0_1.z), c0_0);
    c0_1 = fma(w5_0, vec4<f32>(q0_0_1.w), c0_1);
    c0_2 = fma(w5_0, vec4<f32>(q0_1_1.x), c0_2);
    c0_3 = fma(w5_0, vec4<f32>(q0_1_1.y), c0_3);
    c0_4 = fma(w5_0, vec4<f32>(q0_0_2.z), c0_4);
    c0_5 = fma(w5_0, vec4<f32>(q0_0_2.w), c0_5);
    c0_6 = fma(w5_0, vec4<f32>(q0_1_2.x), c0_6);
    c0_7 = fma(w5_0, vec4<f32>(q0_1_2.y), c0_7);
    c0_8 = fma(w5_0, vec4<f32>(q0_0_3.z), c0_8);
    c0_9 = fma(w5_0, vec4<f32>(q0_0_3.w), c0_9);
    c0_10 = fma(w5_0, vec4<f32>(q0_1_3.x), c0_10);
    c0_11 = fma(w5_0, vec4<f32>(q0_1_3.y), c0_11);
    c0_12 = fma(w5_0, vec4<f32>(q0_0_4.z), c0_12);
    c0_13 = fma(w5_0, vec4<f32>(q0_0_4.w), c0_13);
    c0_14 = fma(w5_0, vec4<f32>(q0_1_4.x), c0_14);
    c0_15 = fma(w5_0, vec4<f32>(q0_1_4.y), c0_15);
    let w6_0 = w[k + low];
    k += params.quads;
    c0_0 = fma(w6_0, vec4<f32>(q0_0_2.x), c0_0);
    c0_1 = fma(w6_0, vec4<f32>(q0_0_2.y), c0_1);
    c0_2 = fma(w6_0, vec4<f32>(q0_0_2.z), c0_2);
    c0_3 = fma(w6_0, vec4<f32>(q0_0_2.w), c0_3);
    c0_4 = fma(w6_0, vec4<f32>(q0_0_3.x), c0_4);
    c0_5 = fma(w6_0, vec4<f32>(q0_0_3.y), c0_5);
    c0_6 = fma(w6_0, vec4<f32>(q0_0_3.z), c0_6);
    c0_7 = fma(w6_0, vec4<f32>(q0_0_3.w), c0_7);
    c0_8 = fma(w6_0, vec4<f32>(q0_0_4.x), c0_8);
    c0_9 = fma(w6_0, vec4<f32>(q0_0_4.y), c0_9);
    c0_10 = fma(w6_0, vec4<f32>(q0_0_4.z), c0_10);
    c0_11 = fma(w6_0, vec4<f32>(q0_0_4.w), c0_11);
    c0_12 = fma(w6_0, vec4<f32>(q0_0_5.x), c0_12);
    c0_13 = fma(w6_0, vec4<f32>(q0_0_5.y), c0_13);
    c0_14 = fma(w6_0, vec4<f32>(q0_0_5.z), c0_14);
    c0_15 = fma(w6_0, vec4<f32>(q0_0_5.w), c0_15);
    let w7_0 = w[k + low];
    k += params.quads;
    c0_0 = fma(w7_0, vec4<f32>(q0_0_2.y), c0_0);
    c0_1 = fma(w7_0, vec4<f32>(q0_0_2.z), c0_1);
    c0_2 = fma(w7_0, vec4<f32>(q0_0_2.w), c0_2);
    c0_3 = fma(w7_0, vec4<f32>(q0_1_2.x), c0_3);
    c0_4 = fma(w7_0, vec4<f32>(q0_0_3.y), c0_4);
    c0_5 = fma(w7_0, vec4<f32>(q0_0_3.z), c0_5);
    c0_6 = fma(w7_0, vec4<f32>(q0_0_3.w), c0_6);
    c0_7 = fma(w7_0, vec4<f32>(q0_1_3.x), c0_7);
    c0_8 = fma(w7_0, vec4<f32>(q0_0_4.y), c0_8);
    c0_9 = fma(w7_0, vec4<f32>(q0_0_4.z), c0_9);
    c0_10 = fma(w7_0, vec4<f32>(q0_0_4.w), c0_10);
    c0_11 = fma(w7_0, vec4<f32>(q0_1_4.x), c0_11);
    c0_12 = fma(w7_0, vec4<f32>(q0_0_5.y), c0_12);
    c0_13 = fma(w7_0, vec4<f32>(q0_0_5.z), c0_13);
    c0_14 = fma(w7_0, vec4<f32>(q0_0_5.w), c0_14);
    c0_15 = fma(w7_0, vec4<f32>(q0_1_5.x), c0_15);
    let w8_0 = w[k + low];
    k += params.quads;
    c0_0 = fma(w8_0, vec4<f32>(q0_0_2.z), c0_0);
    c0_1 = fma(w8_0, vec4<f32>(q0_0_2.w), c0_1);
    c0_2 = fma(w8_0, vec4<f32>(q0_1_2.x), c0_2);
    c0_3 = fma(w8_0, vec4<f32>(q0_1_2.y), c0_3);
    c0_4 = fma(w8_0, vec4<f32>(q0_0_3.z), c0_4);
    c0_5 = fma(w8_0, vec4<f32>(q0_0_3.w), c0_5);
    c0_6 = fma(w8_0, vec4<f32>(q0_1_3.x), c0_6);
    c0_7 = fma(w8_0, vec4<f32>(q0_1_3.y), c0_7);
    c0_8 = fma(w8_0, vec4<f32>(q0_0_4.z), c0_8);
    c0_9 = fma(w8_0, vec4<f32>(q0_0_4.w), c0_9);
    c0_10 = fma(w8_0, vec4<f32>(q0_1_4.x), c0_10);
    c0_11 = fma(w8_0, vec4<f32>(q0_1_4.y), c0_11);
    c0_12 = fma(w8_0, vec4<f32>(q0_0_5.z), c0_12);
    c0_13 = fma(w8_0, vec4<f32>(q0_0_5.w), c0_13);
    c0_14 = fma(w8_0, vec4<f32>(q0_1_5.x), c0_14);
    c0_15 = fma(w8_0, vec4<f32>(q0_1_5.y), c0_15);
    }
    let s0 = spot_of(group, row, (column) * 4u);
    store(s0, 0u, 0u, c0_0);
    store(s0, 1u, 0u, c0_1);
    store(s0, 2u, 0u, c0_2);
    store(s0, 3u, 0u, c0_3);
    store(s0, 0u, 1u, c0_4);
    store(s0, 1u, 1u, c0_5);
    store(s0, 2u, 1u, c0_6);
    store(s0, 3u, 1u, c0_7);
    store(s0, 0u, 2u, c0_8);
    store(s0, 1u, 2u, c0_9);
    store(s0, 2u, 2u, c0_10);
    store(s0, 3u, 2u, c0_11);
    store(s0, 0u, 3u, c0_12);
    store(s0, 1u, 3u, c0_13);
    store(s0, 2u, 3u, c0_14);
    store(s0, 3u, 3u, c0_15);
}
