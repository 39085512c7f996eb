// kernel matmul
@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> e0: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<vec4<f32>>;

struct Params {
    offset_a: u32,
    row_a: u32,
    column_a: u32,
    offset_b: u32,
    row_b: u32,
    offset_e0: u32,
    row_e0: u32,
    column_e0: u32,
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
    strides_e0: array<vec4<u32>, 1>,
    first_thread: u32,
}

@group(0) @binding(4) var<uniform> params: Params;

fn shape_at(i: u32) -> u32 {
    return params.shape[i >> 2u][i & 3u];
}

fn strides_a_at(i: u32) -> u32 {
    return params.strides_a[i >> 2u][i & 3u];
}

fn strides_b_at(i: u32) -> u32 {
    return params.strides_b[i >> 2u][i & 3u];
}

fn strides_e0_at(i: u32) -> u32 {
    return params.strides_e0[i >> 2u][i & 3u];
}

fn finish(value: f32, x0: f32) -> f32 {
  return (value + x0);
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
    let row = line % params.row_tiles * 8u;
    var rest = line / params.row_tiles;
    let c1 = rest % shape_at(1u);
    rest /= shape_at(1u);
    let c0 = rest;
    let base_a = params.offset_a + c0 * strides_a_at(0u) + c1 * strides_a_at(1u);
    let base_b = params.offset_b + c0 * strides_b_at(0u) + c1 * strides_b_at(1u);
    let base_e0 = params.offset_e0 + c0 * strides_e0_at(0u) + c1 * strides_e0_at(1u);
    let column = wid.x * 32u + lid.x;
    let last = (params.columns - 1u) / 4u;
    let b0 = base_b + min(column + 0u, last);
    let b1 = base_b + min(column + 8u, last);
    let b2 = base_b + min(column + 16u, last);
    let b3 = base_b + min(column + 24u, last);
    let a0 = base_a + min(row + 0u, params.rows - 1u) * params.row_a;
    let a1 = base_a + min(row + 1u, params.rows - 1u) * params.row_a;
    let a2 = base_a + min(row + 2u, params.rows - 1u) * params.row_a;
    let a3 = base_a + min(row + 3u, params.rows - 1u) * params.row_a;
    let a4 = base_a + min(row + 4u, params.rows - 1u) * params.row_a;
    let a5 = base_a + min(row + 5u, params.rows - 1u) * params.row_a;
    let a6 = base_a + min(row + 6u, params.rows - 1u) * params.row_a;
    let a7 = base_a + min(row + 7u, params.rows - 1u) * params.row_a;
    var c0_0 = vec4<f32>();
    var c0_1 = vec4<f32>();
    var c0_2 = vec4<f32>();
    var c0_3 = vec4<f32>();
    var c1_0 = vec4<f32>();
    var c1_1 = vec4<f32>();
    var c1_2 = vec4<f32>();
    var c1_3 = vec4<f32>();
    var c2_0 = vec4<f32>();
    var c2_1 = vec4<f32>();
    var c2_2 = vec4<f32>();
    var c2_3 = vec4<f32>();
    var c3_0 = vec4<f32>();
    var c3_1 = vec4<f32>();
    var c3_2 = vec4<f32>();
    var c3_3 = vec4<f32>();
    var c4_0 = vec4<f32>();
    var c4_1 = vec4<f32>();
    var c4_2 = vec4<f32>();
    var c4_3 = vec4<f32>();
    var c5_0 = vec4<f32>();
    var c5_1 = vec4<f32>();
    var c5_2 = vec4<f32>();
    var c5_3 = vec4<f32>();
    var c6_0 = vec4<f32>();
    var c6_1 = vec4<f32>();
    var c6_2 = vec4<f32>();
    var c6_3 = vec4<f32>();
    var c7_0 = vec4<f32>();
    var c7_1 = vec4<f32>();
    var c7_2 = vec4<f32>();
    var c7_3 = vec4<f32>();
    var k = params.begin;
    for (; k + 4u <= params.end; k += 4u) {
        let x0 = a[a0 + k / 4u];
        let x1 = a[a1 + k / 4u];
        let x2 = a[a2 + k / 4u];
        let x3 = a[a3 + k / 4u];
        let x4 = a[a4 + k / 4u];
        let x5 = a[a5 + k / 4u];
        let x6 = a[a6 + k / 4u];
        let x7 = a[a7 + k / 4u];
        let y0_0 = b[b0 + (k + 0u) * params.row_b];
        let y0_1 = b[b1 + (k + 0u) * params.row_b];
        let y0_2 = b[b2 + (k + 0u) * params.row_b];
        let y0_3 = b[b3 + (k + 0u) * params.row_b];
        let x0_0 = vec4<f32>(x0.x);
        c0_0 = fma(x0_0, y0_0, c0_0);
        c0_1 = fma(x0_0, y0_1, c0_1);
        c0_2 = fma(x0_0, y0_2, c0_2);
        c0_3 = fma(x0_0, y0_3, c0_3);
        let x0_1 = vec4<f32>(x1.x);
        c1_0 = fma(x0_1, y0_0, c1_0);
        c1_1 = fma(x0_1, y0_1, c1_1);
        c1_2 = fma(x0_1, y0_2, c1_2);
        c1_3 = fma(x0_1, y0_3, c1_3);
        let x0_2 = vec4<f32>(x2.x);
        c2_0 = fma(x0_2, y0_0, c2_0);
        c2_1 = fma(x0_2, y0_1, c2_1);
        c2_2 = fma(x0_2, y0_2, c2_2);
        c2_3 = fma(x0_2, y0_3, c2_3);
        let x0_3 = vec4<f32>(x3.x);
        c3_0 = fma(x0_3, y0_0, c3_0);
        c3_1 = fma(x0_3, y0_1, c3_1);
        c3_2 = fma(x0_3, y0_2, c3_2);
        c3_3 = fma(x0_3, y0_3, c3_3);
        let x0_4 = vec4<f32>(x4.x);
        c4_0 = fma(x0_4, y0_0, c4_0);
        c4_1 = fma(x0_4, y0_1, c4_1);
        c4_2 = fma(x0_4, y0_2, c4_2);
        c4_3 = fma(x0_4, y0_3, c4_3);
        let x0_5 = vec4<f32>(x5.x);
        c5_0 = fma(x0_5, y0_0, c5_0);
        c5_1 = fma(x0_5, y0_1, c5_1);
        c5_2 = fma(x0_5, y0_2, c5_2);
        c5_3 = fma(x0_5, y0_3, c5_3);
        let x0_6 = vec4<f32>(x6.x);
        c6_0 = fma(x0_6, y0_0, c6_0);
        c6_1 = fma(x0_6, y0_1, c6_1);
        c6_2 = fma(x0_6, y0_2, c6_2);
        c6_3 = fma(x0_6, y0_3, c6_3);
        let x0_7 = vec4<f32>(x7.x);
        c7_0 = fma(x0_7, y0_0, c7_0);
        c7_1 = fma(x0_7, y0_1, c7_1);
        c7_2 = fma(x0_7, y0_2, c7_2);
        c7_3 = fma(x0_7, y0_3, c7_3);
        let y1_0 = b[b0 + (k + 1u) * params.row_b];
        let y1_1 = b[b1 + (k + 1u) * params.row_b];
        let y1_2 = b[b2 + (k + 1u) * params.row_b];
        let y1_3 = b[b3 + (k + 1u) * params.row_b];
        let x1_0 = vec4<f32>(x0.y);
        c0_0 = fma(x1_0, y1_0, c0_0);
        c0_1 = fma(x1_0, y1_1, c0_1);
        c0_2 = fma(x1_0, y1_2, c0_2);
        c0_3 = fma(x1_0, y1_3, c0_3);
        let x1_1 = vec4<f32>(x1.y);
        c1_0 = fma(x1_1, y1_0, c1_0);
        c1_1 = fma(x1_1, y1_1, c1_1);
        c1_2 = fma(x1_1, y1_2, c1_2);
        c1_3 = fma(x1_1, y1_3, c1_3);
        let x1_2 = vec4<f32>(x2.y);
        c2_0 = fma(x1_2, y1_0, c2_0);
        c2_1 = fma(x1_2, y1_1, c2_1);
        c2_2 = fma(x1_2, y1_2, c2_2);
        c2_3 = fma(x1_2, y1_3, c2_3);
        let x1_3 = vec4<f32>(x3.y);
        c3_0 = fma(x1_3, y1_0, c3_0);
        c3_1 = fma(x1_3, y1_1, c3_1);
        c3_2 = fma(x1_3, y1_2, c3_2);
        c3_3 = fma(x1_3, y1_3, c3_3);
        let x1_4 = vec4<f32>(x4.y);
        c4_0 = fma(x1_4, y1_0, c4_0);
        c4_1 = fma(x1_4, y1_1, c4_1);
        c4_2 = fma(x1_4, y1_2, c4_2);
        c4_3 = fma(x1_4, y1_3, c4_3);
        let x1_5 = vec4<f32>(x5.y);
        c5_0 = fma(x1_5, y1_0, c5_0);
        c5_1 = fma(x1_5, y1_1, c5_1);
        c5_2 = fma(x1_5, y1_2, c5_2);
        c5_3 = fma(x1_5, y1_3, c5_3);
        let x1_6 = vec4<f32>(x6.y);
        c6_0 = fma(x1_6, y1_0, c6_0);
        c6_1 = fma(x1_6, y1_1, c6_1);
        c6_2 = fma(x1_6, y1_2, c6_2);
        c6_3 = fma(x1_6, y1_3, c6_3);
        let x1_7 = vec4<f32>(x7.y);
        c7_0 = fma(x1_7, y1_0, c7_0);
        c7_1 = fma(x1_7, y1_1, c7_1);
        c7_2 = fma(x1_7, y1_2, c7_2);
        c7_3 = fma(x1_7, y1_3, c7_3);
        let y2_0 = b[b0 + (k + 2u) * params.row_b];
        let y2_1 = b[b1 + (k + 2u) * params.row_b];
        let y2_2 = b[b2 + (k + 2u) * params.row_b];
        let y2_3 = b[b3 + (k + 2u) * params.row_b];
        let x2_0 = vec4<f32>(x0.z);
        c0_0 = fma(x2_0, y2_0, c0_0);
        c0_1 = fma(x2_0, y2_1, c0_1);
        c0_2 = fma(x2_0, y2_2, c0_2);
        c0_3 = fma(x2_0, y2_3, c0_3);
        let x2_1 = vec4<f32>(x1.z);
        c1_0 = fma(x2_1, y2_0, c1_0);
        c1_1 = fma(x2_1, y2_1, c1_1);
        c1_2 = fma(x2_1, y2_2, c1_2);
        c1_3 = fma(x2_1, y2_3, c1_3);
        let x2_2 = vec4<f32>(x2.z);
        c2_0 = fma(x2_2, y2_0, c2_0);
        c2_1 = fma(x2_2, y2_1, c2_1);
        c2_2 = fma(x2_2, y2_2, c2_2);
        c2_3 = fma(x2_2, y2_3, c2_3);
        let x2_3 = vec4<f32>(x3.z);
        c3_0 = fma(x2_3, y2_0, c3_0);
        c3_1 = fma(x2_3, y2_1, c3_1);
        c3_2 = fma(x2_3, y2_2, c3_2);
        c3_3 = fma(x2_3, y2_3, c3_3);
        let x2_4 = vec4<f32>(x4.z);
        c4_0 = fma(x2_4, y2_0, c4_0);
        c4_1 = fma(x2_4, y2_1, c4_1);
        c4_2 = fma(x2_4, y2_2, c4_2);
        c4_3 = fma(x2_4, y2_3, c4_3);
        let x2_5 = vec4<f32>(x5.z);
        c5_0 = fma(x2_5, y2_0, c5_0);
        c5_1 = fma(x2_5, y2_1, c5_1);
        c5_2 = fma(x2_5, y2_2, c5_2);
        c5_3 = fma(x2_5, y2_3, c5_3);
        let x2_6 = vec4<f32>(x6.z);
        c6_0 = fma(x2_6, y2_0, c6_0);
        c6_1 = fma(x2_6, y2_1, c6_1);
        c6_2 = fma(x2_6, y2_2, c6_2);
        c6_3 = fma(x2_6, y2_3, c6_3);
        let x2_7 = vec4<f32>(x7.z);
        c7_0 = fma(x2_7, y2_0, c7_0);
        c7_1 = fma(x2_7, y2_1, c7_1);
        c7_2 = fma(x2_7, y2_2, c7_2);
        c7_3 = fma(x2_7, y2_3, c7_3);
        let y3_0 = b[b0 + (k + 3u) * params.row_b];
        let y3_1 = b[b1 + (k + 3u) * params.row_b];
        let y3_2 = b[b2 + (k + 3u) * params.row_b];
        let y3_3 = b[b3 + (k + 3u) * params.row_b];
        let x3_0 = vec4<f32>(x0.w);
        c0_0 = fma(x3_0, y3_0, c0_0);
        c0_1 = fma(x3_0, y3_1, c0_1);
        c0_2 = fma(x3_0, y3_2, c0_2);
        c0_3 = fma(x3_0, y3_3, c0_3);
        let x3_1 = vec4<f32>(x1.w);
        c1_0 = fma(x3_1, y3_0, c1_0);
        c1_1 = fma(x3_1, y3_1, c1_1);
        c1_2 = fma(x3_1, y3_2, c1_2);
        c1_3 = fma(x3_1, y3_3, c1_3);
        let x3_2 = vec4<f32>(x2.w);
        c2_0 = fma(x3_2, y3_0, c2_0);
        c2_1 = fma(x3_2, y3_1, c2_1);
        c2_2 = fma(x3_2, y3_2, c2_2);
        c2_3 = fma(x3_2, y3_3, c2_3);
        let x3_3 = vec4<f32>(x3.w);
        c3_0 = fma(x3_3, y3_0, c3_0);
        c3_1 = fma(x3_3, y3_1, c3_1);
        c3_2 = fma(x3_3, y3_2, c3_2);
        c3_3 = fma(x3_3, y3_3, c3_3);
        let x3_4 = vec4<f32>(x4.w);
        c4_0 = fma(x3_4, y3_0, c4_0);
        c4_1 = fma(x3_4, y3_1, c4_1);
        c4_2 = fma(x3_4, y3_2, c4_2);
        c4_3 = fma(x3_4, y3_3, c4_3);
        let x3_5 = vec4<f32>(x5.w);
        c5_0 = fma(x3_5, y3_0, c5_0);
        c5_1 = fma(x3_5, y3_1, c5_1);
        c5_2 = fma(x3_5, y3_2, c5_2);
        c5_3 = fma(x3_5, y3_3, c5_3);
        let x3_6 = vec4<f32>(x6.w);
        c6_0 = fma(x3_6, y3_0, c6_0);
        c6_1 = fma(x3_6, y3_1, c6_1);
        c6_2 = fma(x3_6, y3_2, c6_2);
        c6_3 = fma(x3_6, y3_3, c6_3);
        let x3_7 = vec4<f32>(x7.w);
        c7_0 = fma(x3_7, y3_0, c7_0);
        c7_1 = fma(x3_7, y3_1, c7_1);
        c7_2 = fma(x3_7, y3_2, c7_2);
        c7_3 = fma(x3_7, y3_3, c7_3);
    }
    let out_line = line / params.row_tiles * params.rows;
    store(out_line, row + 0u, column + 0u, c0_0);
    store(out_line, row + 0u, column + 8u, c0_1);
    store(out_line, row + 0u, column + 16u, c0_2);
    store(out_line, row + 0u, column + 24u, c0_3);
    store(out_line, row + 1u, column + 0u, c1_0);
    store(out_line, row + 1u, column + 8u, c1_1);
    store(out_line, row + 1u, column + 16u, c1_2);
    store(out_line, row + 1u, column + 24u, c1_3);
    store(out_line, row + 2u, column + 0u, c2_0);
    store(out_line, row + 2u, column + 8u, c2_1);
    store(out_line, row + 2u, column + 16u, c2_2);
    store(out_line, row + 2u, column + 24u, c2_3);
    store(out_line, row + 3u, column + 0u, c3_0);
    store(out_line, row + 3u, column + 8u, c3_1);
    store(out_line, row + 3u, column + 16u, c3_2);
    store(out_line, row + 3u, column + 24u, c3_3);
    store(out_line, row + 4u, column + 0u, c4_0);
    store(out_line, row + 4u, column + 8u, c4_1);
    store(out_line, row + 4u, column + 16u, c4_2);
    store(out_line, row + 4u, column + 24u, c4_3);
    store(out_line, row + 5u, column + 0u, c5_0);
    store(out_line, row + 5u, column + 8u, c5_1);
    store(out_line, row + 5u, column + 16u, c5_2);
    store(out_line, row + 5u, column + 24u, c5_3);
    store(out_line, row + 6u, column + 0u, c6_0);
    store(out_line, row + 6u, column + 8u, c6_1);
    store(out_line, row + 6u, column + 16u, c6_2);
    store(out_line, row + 6u, column + 24u, c6_3);
    store(out_line, row + 7u, column + 0u, c7_0);
    store(out_line, row + 7u, column + 8u, c7_1);
    store(out_line, row + 7u, column + 16u, c7_2);
    store(out_line, row + 7u, column + 24u, c7_3);
    if (params.end == params.inner) {
    for (var r = 0u; r < min(8u, params.rows - row); r++) {
    for (var q = 0u; q < 4u; q++) {
    let quad = column + q * 8u;
    if (quad * 4u < params.columns) {
    let at = ((out_line + row + r) * params.columns) / 4u + quad;
    let v = c[at];
    c[at] = vec4<f32>(finish(v.x, e0[base_e0 + (row + r) * params.row_e0 + (quad * 4u + 0u) * params.column_e0]), finish(v.y, e0[base_e0 + (row + r) * params.row_e0 + (quad * 4u + 1u) * params.column_e0]), finish(v.z, e0[base_e0 + (row + r) * params.row_e0 + (quad * 4u + 2u) * params.column_e0]), finish(v.w, e0[base_e0 + (row + r) * params.row_e0 + (quad * 4u + 3u) * params.column_e0]));
    }
    }
    }
    }
}
