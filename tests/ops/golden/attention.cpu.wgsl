// kernel matmul
@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> c: array<vec4<f32>>;

struct Params {
    offset_a: u32,
    row_a: u32,
    column_a: u32,
    offset_b: u32,
    row_b: u32,
    rows: u32,
    columns: u32,
    inner: u32,
    row_tiles: u32,
    first: u32,
    stop: u32,
    begin: u32,
    end: u32,
    shape: array<vec4<u32>, 1>,
    strides_a: array<vec4<u32>, 1>,
    strides_b: array<vec4<u32>, 1>,
    first_thread: u32,
}

@group(0) @binding(3) var<uniform> params: Params;

fn shape_at(i: u32) -> u32 {
    return params.shape[i >> 2u][i & 3u];
}

fn strides_a_at(i: u32) -> u32 {
    return params.strides_a[i >> 2u][i & 3u];
}

fn strides_b_at(i: u32) -> u32 {
    return params.strides_b[i >> 2u][i & 3u];
}

fn store(line: u32, row: u32, quad: u32, value: vec4<f32>) {
  if (row < params.rows && quad * 4u < params.columns) {
    let at = (line + row) * (params.columns / 4u) + quad;
    var total = value;
    if (params.begin != 0u) {
      total += c[at];
    }
    c[at] = total;
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
    let row = line % params.row_tiles * 4u;
    var rest = line / params.row_tiles;
    let c1 = rest % shape_at(1u);
    rest /= shape_at(1u);
    let c0 = rest;
    let base_a = params.offset_a + c0 * strides_a_at(0u) + c1 * strides_a_at(1u);
    let base_b = params.offset_b + c0 * strides_b_at(0u) + c1 * strides_b_at(1u);
    let column = wid.x * 8u + lid.x;
    let last = (params.columns - 1u) / 4u;
    let b0 = base_b + min(column + 0u, last);
    let a0 = base_a + min(row + 0u, params.rows - 1u) * params.row_a;
    let a1 = base_a + min(row + 1u, params.rows - 1u) * params.row_a;
    let a2 = base_a + min(row + 2u, params.rows - 1u) * params.row_a;
    let a3 = base_a + min(row + 3u, params.rows - 1u) * params.row_a;
    var c0_0 = vec4<f32>();
    var c1_0 = vec4<f32>();
    var c2_0 = vec4<f32>();
    var c3_0 = vec4<f32>();
    var k = params.begin;
    for (; k + 4u <= params.end; k += 4u) {
        let x0 = a[a0 + k / 4u];
        let x1 = a[a1 + k / 4u];
        let x2 = a[a2 + k / 4u];
        let x3 = a[a3 + k / 4u];
        let y0_0 = b[b0 + (k + 0u) * params.row_b];
        let x0_0 = vec4<f32>(x0.x);
        c0_0 = fma(x0_0, y0_0, c0_0);
        let x0_1 = vec4<f32>(x1.x);
        c1_0 = fma(x0_1, y0_0, c1_0);
        let x0_2 = vec4<f32>(x2.x);
        c2_0 = fma(x0_2, y0_0, c2_0);
        let x0_3 = vec4<f32>(x3.x);
        c3_0 = fma(x0_3, y0_0, c3_0);
        let y1_0 = b[b0 + (k + 1u) * params.row_b];
        let x1_0 = vec4<f32>(x0.y);
        c0_0 = fma(x1_0, y1_0, c0_0);
        let x1_1 = vec4<f32>(x1.y);
        c1_0 = fma(x1_1, y1_0, c1_0);
        let x1_2 = vec4<f32>(x2.y);
        c2_0 = fma(x1_2, y1_0, c2_0);
        let x1_3 = vec4<f32>(x3.y);
        c3_0 = fma(x1_3, y1_0, c3_0);
        let y2_0 = b[b0 + (k + 2u) * params.row_b];
        let x2_0 = vec4<f32>(x0.z);
        c0_0 = fma(x2_0, y2_0, c0_0);
        let x2_1 = vec4<f32>(x1.z);
        c1_0 = fma(x2_1, y2_0, c1_0);
        let x2_2 = vec4<f32>(x2.z);
        c2_0 = fma(x2_2, y2_0, c2_0);
        let x2_3 = vec4<f32>(x3.z);
        c3_0 = fma(x2_3, y2_0, c3_0);
        let y3_0 = b[b0 + (k + 3u) * params.row_b];
        let x3_0 = vec4<f32>(x0.w);
        c0_0 = fma(x3_0, y3_0, c0_0);
        let x3_1 = vec4<f32>(x1.w);
        c1_0 = fma(x3_1, y3_0, c1_0);
        let x3_2 = vec4<f32>(x2.w);
        c2_0 = fma(x3_2, y3_0, c2_0);
        let x3_3 = vec4<f32>(x3.w);
        c3_0 = fma(x3_3, y3_0, c3_0);
    }
    let out_line = line / params.row_tiles * params.rows;
    store(out_line, row + 0u, column + 0u, c0_0);
    store(out_line, row + 1u, column + 0u, c1_0);
    store(out_line, row + 2u, column + 0u, c2_0);
    store(out_line, row + 3u, column + 0u, c3_0);
}

// kernel softmax_rows
@group(0) @binding(0) var<storage, read> in0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> in1: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> out: array<vec4<f32>>;

struct Params {
    rows: u32,
    columns: u32,
    offset_in0: u32,
    offset_in1: u32,
    shape: array<vec4<u32>, 1>,
    strides_in0: array<vec4<u32>, 1>,
    strides_in1: array<vec4<u32>, 1>,
    p0: f32,
    first_thread: u32,
}

@group(0) @binding(3) var<uniform> params: Params;

fn shape_at(i: u32) -> u32 {
    return params.shape[i >> 2u][i & 3u];
}

fn strides_in0_at(i: u32) -> u32 {
    return params.strides_in0[i >> 2u][i & 3u];
}

fn strides_in1_at(i: u32) -> u32 {
    return params.strides_in1[i >> 2u][i & 3u];
}

var<private> infinity_bits: u32 = 0x7f800000u;
fn infinity() -> f32 {
  return bitcast<f32>(infinity_bits);
}
fn load(x0: f32, x1: f32) -> f32 {
  return ((x0 * params.p0) + x1);
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
    if (thread >= params.rows) {
        return;
    }
    let row = thread;
    var rest = row;
    let c1 = rest % shape_at(1u);
    rest /= shape_at(1u);
    let c0 = rest;
    let at_in0 = params.offset_in0 + c0 * strides_in0_at(0u) + c1 * strides_in0_at(1u);
    let at_in1 = params.offset_in1 + c0 * strides_in1_at(0u) + c1 * strides_in1_at(1u);
    let at_out = row * params.columns;
    var peak = -3.4028234663852886e+38f;
    var total = vec4<f32>();
    {
    var i = 0u;
    for (; i + 4u <= params.columns; i += 4u) {
    let v0_0 = in0[at_in0 + i];
    let v1_0 = in1[at_in1 + i];
    let x0 = vec4<f32>(load(v0_0.x, v1_0.x), load(v0_0.y, v1_0.y), load(v0_0.z, v1_0.z), load(v0_0.w, v1_0.w));
    out[at_out + i] = x0;
    let v0_1 = in0[at_in0 + (i + 1u)];
    let v1_1 = in1[at_in1 + (i + 1u)];
    let x1 = vec4<f32>(load(v0_1.x, v1_1.x), load(v0_1.y, v1_1.y), load(v0_1.z, v1_1.z), load(v0_1.w, v1_1.w));
    out[at_out + (i + 1u)] = x1;
    let v0_2 = in0[at_in0 + (i + 2u)];
    let v1_2 = in1[at_in1 + (i + 2u)];
    let x2 = vec4<f32>(load(v0_2.x, v1_2.x), load(v0_2.y, v1_2.y), load(v0_2.z, v1_2.z), load(v0_2.w, v1_2.w));
    out[at_out + (i + 2u)] = x2;
    let v0_3 = in0[at_in0 + (i + 3u)];
    let v1_3 = in1[at_in1 + (i + 3u)];
    let x3 = vec4<f32>(load(v0_3.x, v1_3.x), load(v0_3.y, v1_3.y), load(v0_3.z, v1_3.z), load(v0_3.w, v1_3.w));
    out[at_out + (i + 3u)] = x3;
    let most = max(max(max(x0, x1), x2), x3);
    let next = max(peak, max(max(max(most.x, most.y), most.z), most.w));
    total = total * shrink(peak - next) + power(x0 - next) + power(x1 - next) + power(x2 - next) + power(x3 - next);
    peak = next;
    }
    for (; i < params.columns; i++) {
    let v0_0 = in0[at_in0 + i];
    let v1_0 = in1[at_in1 + i];
    let x0 = vec4<f32>(load(v0_0.x, v1_0.x), load(v0_0.y, v1_0.y), load(v0_0.z, v1_0.z), load(v0_0.w, v1_0.w));
    out[at_out + i] = x0;
    let most = x0;
    let next = max(peak, max(max(max(most.x, most.y), most.z), most.w));
    total = total * shrink(peak - next) + power(x0 - next);
    peak = next;
    }
    }
    let scale = 1.0f / (total.x + total.y + total.z + total.w);
    {
    var i = 0u;
    for (; i + 4u <= params.columns; i += 4u) {
    let x0 = out[at_out + i];
    let x1 = out[at_out + (i + 1u)];
    let x2 = out[at_out + (i + 2u)];
    let x3 = out[at_out + (i + 3u)];
    out[at_out + i] = finite_power(x0 - peak) * scale;
    out[at_out + (i + 1u)] = finite_power(x1 - peak) * scale;
    out[at_out + (i + 2u)] = finite_power(x2 - peak) * scale;
    out[at_out + (i + 3u)] = finite_power(x3 - peak) * scale;
    }
    for (; i < params.columns; i++) {
    let x0 = out[at_out + i];
    out[at_out + i] = finite_power(x0 - peak) * scale;
    }
    }
}
