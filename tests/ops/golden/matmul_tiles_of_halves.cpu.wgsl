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
    let row = line % params.row_tiles * 16u;
    var rest = line / params.row_tiles;
    let c1 = rest % shape_at(1u);
    rest /= shape_at(1u);
    let c0 = rest;
    let base_a = params.offset_a + c0 * strides_a_at(0u) + c1 * strides_a_at(1u);
    let base_b = params.offset_b + c0 * strides_b_at(0u) + c1 * strides_b_at(1u);
    let column = wid.x * 16u + lid.x;
    let last = (params.columns - 1u) / 4u;
    let b0 = base_b + min(column + 0u, last);
    let b1 = base_b + min(column + 8u, last);
    let a0 = base_a + min(row + 0u, params.rows - 1u) * params.row_a;
    let a1 = base_a + min(row + 1u, params.rows - 1u) * params.row_a;
    let a2 = base_a + min(row + 2u, params.rows - 1u) * params.row_a;
    let a3 = base_a + min(row + 3u, params.rows - 1u) * params.row_a;
    let a4 = base_a + min(row + 4u, params.rows - 1u) * params.row_a;
    let a5 = base_a + min(row + 5u, params.rows - 1u) * params.row_a;
    let a6 = base_a + min(row + 6u, params.rows - 1u) * params.row_a;
    let a7 = base_a + min(row + 7u, params.rows - 1u) * params.row_a;
    let a8 = base_a + min(row + 8u, params.rows - 1u) * params.row_a;
    let a9 = base_a + min(row + 9u, params.rows - 1u) * params.row_a;
    let a10 = base_a + min(row + 10u, params.rows - 1u) * params.row_a;
    let a11 = base_a + min(row + 11u, params.rows - 1u) * params.row_a;
    let a12 = base_a + min(row + 12u, params.rows - 1u) * params.row_a;
    let a13 = base_a + min(row + 13u, params.rows - 1u) * params.row_a;
    let a14 = base_a + min(row + 14u, params.rows - 1u) * params.row_a;
    let a15 = base_a + min(row + 15u, params.rows - 1u) * params.row_a;
    var c0_0 = vec4<f32>();
    var c0_1 = vec4<f32>();
    var c1_0 = vec4<f32>();
    var c1_1 = vec4<f32>();
    var c2_0 = vec4<f32>();
    var c2_1 = vec4<f32>();
    var c3_0 = vec4<f32>();
    var c3_1 = vec4<f32>();
    var c4_0 = vec4<f32>();
    var c4_1 = vec4<f32>();
    var c5_0 = vec4<f32>();
    var c5_1 = vec4<f32>();
    var c6_0 = vec4<f32>();
    var c6_1 = vec4<f32>();
    var c7_0 = vec4<f32>();
    var c7_1 = vec4<f32>();
    var c8_0 = vec4<f32>();
    var c8_1 = vec4<f32>();
    var c9_0 = vec4<f32>();
    var c9_1 = vec4<f32>();
    var c10_0 = vec4<f32>();
    var c10_1 = vec4<f32>();
    var c11_0 = vec4<f32>();
    var c11_1 = vec4<f32>();
    var c12_0 = vec4<f32>();
    var c12_1 = vec4<f32>();
    var c13_0 = vec4<f32>();
    var c13_1 = vec4<f32>();
    var c14_0 = vec4<f32>();
    var c14_1 = vec4<f32>();
    var c15_0 = vec4<f32>();
    var c15_1 = vec4<f32>();
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
        let x8 = a[a8 + k / 4u];
        let x9 = a[a9 + k / 4u];
        let x10 = a[a10 + k / 4u];
        let x11 = a[a11 + k / 4u];
        let x12 = a[a12 + k / 4u];
        let x13 = a[a13 + k / 4u];
        let x14 = a[a14 + k / 4u];
        let x15 = a[a15 + k / 4u];
        let y0_0 = b[b0 + (k + 0u) * params.row_b];
        let y0_1 = b[b1 + (k + 0u) * params.row_b];
        let x0_0 = vec4<f32>(x0.x);
        c0_0 = fma(x0_0, y0_0, c0_0);
        c0_1 = fma(x0_0, y0_1, c0_1);
        let x0_1 = vec4<f32>(x1.x);
        c1_0 = fma(x0_1, y0_0, c1_0);
        c1_1 = fma(x0_1, y0_1, c1_1);
        let x0_2 = vec4<f32>(x2.x);
        c2_0 = fma(x0_2, y0_0, c2_0);
        c2_1 = fma(x0_2, y0_1, c2_1);
        let x0_3 = vec4<f32>(x3.x);
        c3_0 = fma(x0_3, y0_0, c3_0);
        c3_1 = fma(x0_3, y0_1, c3_1);
        let x0_4 = vec4<f32>(x4.x);
        c4_0 = fma(x0_4, y0_0, c4_0);
        c4_1 = fma(x0_4, y0_1, c4_1);
        let x0_5 = vec4<f32>(x5.x);
        c5_0 = fma(x0_5, y0_0, c5_0);
        c5_1 = fma(x0_5, y0_1, c5_1);
        let x0_6 = vec4<f32>(x6.x);
        c6_0 = fma(x0_6, y0_0, c6_0);
        c6_1 = fma(x0_6, y0_1, c6_1);
        let x0_7 = vec4<f32>(x7.x);
        c7_0 = fma(x0_7, y0_0, c7_0);
        c7_1 = fma(x0_7, y0_1, c7_1);
        let x0_8 = vec4<f32>(x8.x);
        c8_0 = fma(x0_8, y0_0, c8_0);
        c8_1 = fma(x0_8, y0_1, c8_1);
        let x0_9 = vec4<f32>(x9.x);
        c9_0 = fma(x0_9, y0_0, c9_0);
        c9_1 = fma(x0_9, y0_1, c9_1);
        let x0_10 = vec4<f32>(x10.x);
        c10_0 = fma(x0_10, y0_0, c10_0);
        c10_1 = fma(x0_10, y0_1, c10_1);
        let x0_11 = vec4<f32>(x11.x);
        c11_0 = fma(x0_11, y0_0, c11_0);
        c11_1 = fma(x0_11, y0_1, c11_1);
        let x0_12 = vec4<f32>(x12.x);
        c12_0 = fma(x0_12, y0_0, c12_0);
        c12_1 = fma(x0_12, y0_1, c12_1);
        let x0_13 = vec4<f32>(x13.x);
        c13_0 = fma(x0_13, y0_0, c13_0);
        c13_1 = fma(x0_13, y0_1, c13_1);
        let x0_14 = vec4<f32>(x14.x);
        c14_0 = fma(x0_14, y0_0, c14_0);
        c14_1 = fma(x0_14, y0_1, c14_1);
        let x0_15 = vec4<f32>(x15.x);
        c15_0 = fma(x0_15, y0_0, c15_0);
        c15_1 = fma(x0_15, y0_1, c15_1);
        let y1_0 = b[b0 + (k + 1u) * params.row_b];
        let y1_1 = b[b1 + (k + 1u) * params.row_b];
        let x1_0 = vec4<f32>(x0.y);
        c0_0 = fma(x1_0, y1_0, c0_0);
        c0_1 = fma(x1_0, y1_1, c0_1);
        let x1_1 = vec4<f32>(x1.y);
        c1_0 = fma(x1_1, y1_0, c1_0);
        c1_1 = fma(x1_1, y1_1, c1_1);
        let x1_2 = vec4<f32>(x2.y);
        c2_0 = fma(x1_2, y1_0, c2_0);
        c2_1 = fma(x1_2, y1_1, c2_1);
        let x1_3 = vec4<f32>(x3.y);
        c3_0 = fma(x1_3, y1_0, c3_0);
        c3_1 = fma(x1_3, y1_1, c3_1);
        let x1_4 = vec4<f32>(x4.y);
        c4_0 = fma(x1_4, y1_0, c4_0);
        c4_1 = fma(x1_4, y1_1, c4_1);
        let x1_5 = vec4<f32>(x5.y);
        c5_0 = fma(x1_5, y1_0, c5_0);
        c5_1 = fma(x1_5, y1_1, c5_1);
        let x1_6 = vec4<f32>(x6.y);
        c6_0 = fma(x1_6, y1_0, c6_0);
        c6_1 = fma(x1_6, y1_1, c6_1);
        let x1_7 = vec4<f32>(x7.y);
        c7_0 = fma(x1_7, y1_0, c7_0);
        c7_1 = fma(x1_7, y1_1, c7_1);
        let x1_8 = vec4<f32>(x8.y);
        c8_0 = fma(x1_8, y1_0, c8_0);
        c8_1 = fma(x1_8, y1_1, c8_1);
        let x1_9 = vec4<f32>(x9.y);
        c9_0 = fma(x1_9, y1_0, c9_0);
        c9_1 = fma(x1_9, y1_1, c9_1);
        let x1_10 = vec4<f32>(x10.y);
        c10_0 = fma(x1_10, y1_0, c10_0);
        c10_1 = fma(x1_10, y1_1, c10_1);
        let x1_11 = vec4<f32>(x11.y);
        c11_0 = fma(x1_11, y1_0, c11_0);
        c11_1 = fma(x1_11, y1_1, c11_1);
        let x1_12 = vec4<f32>(x12.y);
        c12_0 = fma(x1_12, y1_0, c12_0);
        c12_1 = fma(x1_12, y1_1, c12_1);
        let x1_13 = vec4<f32>(x13.y);
        c13_0 = fma(x1_13, y1_0, c13_0);
        c13_1 = fma(x1_13, y1_1, c13_1);
        let x1_14 = vec4<f32>(x14.y);
        c14_0 = fma(x1_14, y1_0, c14_0);
        c14_1 = fma(x1_14, y1_1, c14_1);
        let x1_15 = vec4<f32>(x15.y);
        c15_0 = fma(x1_15, y1_0, c15_0);
        c15_1 = fma(x1_15, y1_1, c15_1);
        let y2_0 = b[b0 + (k + 2u) * params.row_b];
        let y2_1 = b[b1 + (k + 2u) * params.row_b];
        let x2_0 = vec4<f32>(x0.z);
        c0_0 = fma(x2_0, y2_0, c0_0);
        c0_1 = fma(x2_0, y2_1, c0_1);
        let x2_1 = vec4<f32>(x1.z);
        c1_0 = fma(x2_1, y2_0, c1_0);
        c1_1 = fma(x2_1, y2_1, c1_1);
        let x2_2 = vec4<f32>(x2.z);
        c2_0 = fma(x2_2, y2_0, c2_0);
        c2_1 = fma(x2_2, y2_1, c2_1);
        let x2_3 = vec4<f32>(x3.z);
        c3_0 = fma(x2_3, y2_0, c3_0);
        c3_1 = fma(x2_3, y2_1, c3_1);
        let x2_4 = vec4<f32>(x4.z);
        c4_0 = fma(x2_4, y2_0, c4_0);
        c4_1 = fma(x2_4, y2_1, c4_1);
        let x2_5 = vec4<f32>(x5.z);
        c5_0 = fma(x2_5, y2_0, c5_0);
        c5_1 = fma(x2_5, y2_1, c5_1);
        let x2_6 = vec4<f32>(x6.z);
        c6_0 = fma(x2_6, y2_0, c6_0);
        c6_1 = fma(x2_6, y2_1, c6_1);
        let x2_7 = vec4<f32>(x7.z);
        c7_0 = fma(x2_7, y2_0, c7_0);
        c7_1 = fma(x2_7, y2_1, c7_1);
        let x2_8 = vec4<f32>(x8.z);
        c8_0 = fma(x2_8, y2_0, c8_0);
        c8_1 = fma(x2_8, y2_1, c8_1);
        let x2_9 = vec4<f32>(x9.z);
        c9_0 = fma(x2_9, y2_0, c9_0);
        c9_1 = fma(x2_9, y2_1, c9_1);
        let x2_10 = vec4<f32>(x10.z);
        c10_0 = fma(x2_10, y2_0, c10_0);
        c10_1 = fma(x2_10, y2_1, c10_1);
        let x2_11 = vec4<f32>(x11.z);
        c11_0 = fma(x2_11, y2_0, c11_0);
        c11_1 = fma(x2_11, y2_1, c11_1);
        let x2_12 = vec4<f32>(x12.z);
        c12_0 = fma(x2_12, y2_0, c12_0);
        c12_1 = fma(x2_12, y2_1, c12_1);
        let x2_13 = vec4<f32>(x13.z);
        c13_0 = fma(x2_13, y2_0, c13_0);
        c13_1 = fma(x2_13, y2_1, c13_1);
        let x2_14 = vec4<f32>(x14.z);
        c14_0 = fma(x2_14, y2_0, c14_0);
        c14_1 = fma(x2_14, y2_1, c14_1);
        let x2_15 = vec4<f32>(x15.z);
        c15_0 = fma(x2_15, y2_0, c15_0);
        c15_1 = fma(x2_15, y2_1, c15_1);
        let y3_0 = b[b0 + (k + 3u) * params.row_b];
        let y3_1 = b[b1 + (k + 3u) * params.row_b];
        let x3_0 = vec4<f32>(x0.w);
        c0_0 = fma(x3_0, y3_0, c0_0);
        c0_1 = fma(x3_0, y3_1, c0_1);
        let x3_1 = vec4<f32>(x1.w);
        c1_0 = fma(x3_1, y3_0, c1_0);
        c1_1 = fma(x3_1, y3_1, c1_1);
        let x3_2 = vec4<f32>(x2.w);
        c2_0 = fma(x3_2, y3_0, c2_0);
        c2_1 = fma(x3_2, y3_1, c2_1);
        let x3_3 = vec4<f32>(x3.w);
        c3_0 = fma(x3_3, y3_0, c3_0);
        c3_1 = fma(x3_3, y3_1, c3_1);
        let x3_4 = vec4<f32>(x4.w);
        c4_0 = fma(x3_4, y3_0, c4_0);
        c4_1 = fma(x3_4, y3_1, c4_1);
        let x3_5 = vec4<f32>(x5.w);
        c5_0 = fma(x3_5, y3_0, c5_0);
        c5_1 = fma(x3_5, y3_1, c5_1);
        let x3_6 = vec4<f32>(x6.w);
        c6_0 = fma(x3_6, y3_0, c6_0);
        c6_1 = fma(x3_6, y3_1, c6_1);
        let x3_7 = vec4<f32>(x7.w);
        c7_0 = fma(x3_7, y3_0, c7_0);
        c7_1 = fma(x3_7, y3_1, c7_1);
        let x3_8 = vec4<f32>(x8.w);
        c8_0 = fma(x3_8, y3_0, c8_0);
        c8_1 = fma(x3_8, y3_1, c8_1);
        let x3_9 = vec4<f32>(x9.w);
        c9_0 = fma(x3_9, y3_0, c9_0);
        c9_1 = fma(x3_9, y3_1, c9_1);
        let x3_10 = vec4<f32>(x10.w);
        c10_0 = fma(x3_10, y3_0, c10_0);
        c10_1 = fma(x3_10, y3_1, c10_1);
        let x3_11 = vec4<f32>(x11.w);
        c11_0 = fma(x3_11, y3_0, c11_0);
        c11_1 = fma(x3_11, y3_1, c11_1);
        let x3_12 = vec4<f32>(x12.w);
        c12_0 = fma(x3_12, y3_0, c12_0);
        c12_1 = fma(x3_12, y3_1, c12_1);
        let x3_13 = vec4<f32>(x13.w);
        c13_0 = fma(x3_13, y3_0, c13_0);
        c13_1 = fma(x3_13, y3_1, c13_1);
        let x3_14 = vec4<f32>(x14.w);
        c14_0 = fma(x3_14, y3_0, c14_0);
        c14_1 = fma(x3_14, y3_1, c14_1);
        let x3_15 = vec4<f32>(x15.w);
        c15_0 = fma(x3_15, y3_0, c15_0);
        c15_1 = fma(x3_15, y3_1, c15_1);
    }
    let out_line = line / params.row_tiles * params.rows;
    store(out_line, row + 0u, column + 0u, c0_0);
    store(out_line, row + 0u, column + 8u, c0_1);
    store(out_line, row + 1u, column + 0u, c1_0);
    store(out_line, row + 1u, column + 8u, c1_1);
    store(out_line, row + 2u, column + 0u, c2_0);
    store(out_line, row + 2u, column + 8u, c2_1);
    store(out_line, row + 3u, column + 0u, c3_0);
    store(out_line, row + 3u, column + 8u, c3_1);
    store(out_line, row + 4u, column + 0u, c4_0);
    store(out_line, row + 4u, column + 8u, c4_1);
    store(out_line, row + 5u, column + 0u, c5_0);
    store(out_line, row + 5u, column + 8u, c5_1);
    store(out_line, row + 6u, column + 0u, c6_0);
    store(out_line, row + 6u, column + 8u, c6_1);
    store(out_line, row + 7u, column + 0u, c7_0);
    store(out_line, row + 7u, column + 8u, c7_1);
    store(out_line, row + 8u, column + 0u, c8_0);
    store(out_line, row + 8u, column + 8u, c8_1);
    store(out_line, row + 9u, column + 0u, c9_0);
    store(out_line, row + 9u, column + 8u, c9_1);
    store(out_line, row + 10u, column + 0u, c10_0);
    store(out_line, row + 10u, column + 8u, c10_1);
    store(out_line, row + 11u, column + 0u, c11_0);
    store(out_line, row + 11u, column + 8u, c11_1);
    store(out_line, row + 12u, column + 0u, c12_0);
    store(out_line, row + 12u, column + 8u, c12_1);
    store(out_line, row + 13u, column + 0u, c13_0);
    store(out_line, row + 13u, column + 8u, c13_1);
    store(out_line, row + 14u, column + 0u, c14_0);
    store(out_line, row + 14u, column + 8u, c14_1);
    store(out_line, row + 15u, column + 0u, c15_0);
    store(out_line, row + 15u, column + 8u, c15_1);
}
