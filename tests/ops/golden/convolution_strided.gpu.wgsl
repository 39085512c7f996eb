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

@compute @workgroup_size(32, 1, 1)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(local_invocation_id) lid: vec3<u32>,
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) nwg: vec3<u32>,
) {
    let thread = (wid.x + wid.y * nwg.x) * 32u + lid.x + params.first_thread;
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
    let p1 = base + begin_of(min(column + 32u, last_column));
    let p2 = base + begin_of(min(column + 64u, last_column));
    let p3 = base + begin_of(min(column + 96u, last_column));
    var c0_0 = vec4<f32>();
    var c0_1 = vec4<f32>();
    var c0_2 = vec4<f32>();
    var c0_3 = vec4<f32>();
    var c1_0 = vec4<f32>();
    var c1_1 = vec4<f32>();
    var c1_2 = vec4<f32>();
    var c1_3 = vec4<f32>();
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
    }
    }
    let s0 = spot_of(group, row, (column) * 1u);
    let s1 = spot_of(group, row, (column + 32u) * 1u);
    let s2 = spot_of(group, row, (column + 64u) * 1u);
    let s3 = spot_of(group, row, (column + 96u) * 1u);
    store(s0, 0u, 0u, c0_0, c1_0);
    store(s1, 0u, 0u, c0_1, c1_1);
    store(s2, 0u, 0u, c0_2, c1_2);
    store(s3, 0u, 0u, c0_3, c1_3);
}
