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
    let row = line % params.row_tiles * 4u;
    var rest = line / params.row_tiles;
    let c1 = rest % shape_at(1u);
    rest /= shape_at(1u);
    let c0 = rest;
    let base_a = params.offset_a + c0 * strides_a_at(0u) + c1 * strides_a_at(1u);
    let base_b = params.offset_b + c0 * strides_b_at(0u) + c1 * strides_b_at(1u);
    let column = wid.x * 32u + lid.x;
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
