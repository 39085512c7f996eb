// kernel matmul_tiles
@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> e0: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<vec4<f32>>;

struct Params {
    offset_a: u32,
    offset_b: u32,
    step_a: u32,
    step_b: u32,
    rows: u32,
    columns: u32,
    inner: u32,
    row_tiles: u32,
    matrices: u32,
    offset_e0: u32,
    row_e0: u32,
    column_e0: u32,
    span: u32,
    first: u32,
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

// A tile of 128 rows and columns of a product, by 256 lanes. Each lane owns 8 rows and as many columns, in fours that
// are 64 apart, and carries 1 of the fours of each operand from memory to the workgroup while the ones before are multiplied.
// Such a four is of inner positions of a row or column, or of rows or columns at an inner position: as the operand lies.
// `tile_a` holds columns of the left operand, `tile_b` rows of the right one, both twice: one is read, one is filled.
// They have axes of their own, since an index is checked against its axis: then no check is left in the inner loop.
var<workgroup> tile_a: array<array<array<vec4<f32>, 32>, 8>, 2>;
var<workgroup> tile_b: array<array<array<vec4<f32>, 32>, 8>, 2>;

fn load_a(base: u32, line: u32, k: u32, end: u32) -> vec4<f32> {
    let x = a[base + min(line, params.rows - 1u) * params.step_a + min(k, params.inner - 1u) / 4u];
    return select(vec4<f32>(), x, vec4<u32>(k, k + 1u, k + 2u, k + 3u) < vec4<u32>(end));
}

fn put_a(half: u32, line: u32, k: u32, x: vec4<f32>) {
    tile_a[half][k + 0u][line / 4u][line % 4u] = x.x;
    tile_a[half][k + 1u][line / 4u][line % 4u] = x.y;
    tile_a[half][k + 2u][line / 4u][line % 4u] = x.z;
    tile_a[half][k + 3u][line / 4u][line % 4u] = x.w;
}

fn load_b(base: u32, line: u32, k: u32, end: u32) -> vec4<f32> {
    let x = b[base + min(k, params.inner - 1u) * params.step_b + min(line, params.columns - 1u) / 4u];
    return select(vec4<f32>(), x, k < end);
}

fn put_b(half: u32, line: u32, k: u32, x: vec4<f32>) {
    tile_b[half][k][line / 4u] = x;
}

fn put_c(matrix: u32, row: u32, column: u32, sums: vec4<f32>) {
    if (column >= params.columns) {
        return;
    }
    let value = finished(row, column, sums);
    let at = (matrix * params.rows + row) * params.columns + column;
    c[at / 4u] = value;
}

// The tile's sums over the inner positions from `begin` to before `end`; `matrix` is which matrix of the result it is in.
fn run(
    base_a: u32, base_b: u32, matrix: u32, first_row: u32, first_column: u32, begin: u32, end: u32, lane: u32
) {
    let left = lane % 16u;
    let top = lane / 16u;
    let a_line0 = (lane + 0u) / 2u;
    let a_k0 = (lane + 0u) % 2u * 4u;
    let b_line0 = (lane + 0u) % 32u * 4u;
    let b_k0 = (lane + 0u) / 32u;
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
    var half = 0u;
    var next_a0 = load_a(base_a, first_row + a_line0, begin + a_k0, end);
    var next_b0 = load_b(base_b, first_column + b_line0, begin + b_k0, end);
    put_a(half, a_line0, a_k0, next_a0);
    put_b(half, b_line0, b_k0, next_b0);
    workgroupBarrier();
    var k = begin + 8u;
    loop {
        next_a0 = load_a(base_a, first_row + a_line0, k + a_k0, end);
        next_b0 = load_b(base_b, first_column + b_line0, k + b_k0, end);
        {
            let a0 = tile_a[half][0][top + 0u];
            let b0 = tile_b[half][0][left + 0u];
            let a1 = tile_a[half][0][top + 16u];
            let b1 = tile_b[half][0][left + 16u];
            c0_0 = fma(vec4<f32>(a0.x), b0, c0_0);
            c1_0 = fma(vec4<f32>(a0.y), b0, c1_0);
            c2_0 = fma(vec4<f32>(a0.z), b0, c2_0);
            c3_0 = fma(vec4<f32>(a0.w), b0, c3_0);
            c4_0 = fma(vec4<f32>(a1.x), b0, c4_0);
            c5_0 = fma(vec4<f32>(a1.y), b0, c5_0);
            c6_0 = fma(vec4<f32>(a1.z), b0, c6_0);
            c7_0 = fma(vec4<f32>(a1.w), b0, c7_0);
            c0_1 = fma(vec4<f32>(a0.x), b1, c0_1);
            c1_1 = fma(vec4<f32>(a0.y), b1, c1_1);
            c2_1 = fma(vec4<f32>(a0.z), b1, c2_1);
            c3_1 = fma(vec4<f32>(a0.w), b1, c3_1);
            c4_1 = fma(vec4<f32>(a1.x), b1, c4_1);
            c5_1 = fma(vec4<f32>(a1.y), b1, c5_1);
            c6_1 = fma(vec4<f32>(a1.z), b1, c6_1);
            c7_1 = fma(vec4<f32>(a1.w), b1, c7_1);
        }
        {
            let a0 = tile_a[half][1][top + 0u];
            let b0 = tile_b[half][1][left + 0u];
            let a1 = tile_a[half][1][top + 16u];
            let b1 = tile_b[half][1][left + 16u];
            c0_0 = fma(vec4<f32>(a0.x), b0, c0_0);
            c1_0 = fma(vec4<f32>(a0.y), b0, c1_0);
            c2_0 = fma(vec4<f32>(a0.z), b0, c2_0);
            c3_0 = fma(vec4<f32>(a0.w), b0, c3_0);
            c4_0 = fma(vec4<f32>(a1.x), b0, c4_0);
            c5_0 = fma(vec4<f32>(a1.y), b0, c5_0);
            c6_0 = fma(vec4<f32>(a1.z), b0, c6_0);
            c7_0 = fma(vec4<f32>(a1.w), b0, c7_0);
            c0_1 = fma(vec4<f32>(a0.x), b1, c0_1);
            c1_1 = fma(vec4<f32>(a0.y), b1, c1_1);
            c2_1 = fma(vec4<f32>(a0.z), b1, c2_1);
            c3_1 = fma(vec4<f32>(a0.w), b1, c3_1);
            c4_1 = fma(vec4<f32>(a1.x), b1, c4_1);
            c5_1 = fma(vec4<f32>(a1.y), b1, c5_1);
            c6_1 = fma(vec4<f32>(a1.z), b1, c6_1);
            c7_1 = fma(vec4<f32>(a1.w), b1, c7_1);
        }
        {
            let a0 = tile_a[half][2][top + 0u];
            let b0 = tile_b[half][2][left + 0u];
            let a1 = tile_a[half][2][top + 16u];
            let b1 = tile_b[half][2][left + 16u];
            c0_0 = fma(vec4<f32>(a0.x), b0, c0_0);
            c1_0 = fma(vec4<f32>(a0.y), b0, c1_0);
            c2_0 = fma(vec4<f32>(a0.z), b0, c2_0);
            c3_0 = fma(vec4<f32>(a0.w), b0, c3_0);
            c4_0 = fma(vec4<f32>(a1.x), b0, c4_0);
            c5_0 = fma(vec4<f32>(a1.y), b0, c5_0);
            c6_0 = fma(vec4<f32>(a1.z), b0, c6_0);
            c7_0 = fma(vec4<f32>(a1.w), b0, c7_0);
            c0_1 = fma(vec4<f32>(a0.x), b1, c0_1);
            c1_1 = fma(vec4<f32>(a0.y), b1, c1_1);
            c2_1 = fma(vec4<f32>(a0.z), b1, c2_1);
            c3_1 = fma(vec4<f32>(a0.w), b1, c3_1);
            c4_1 = fma(vec4<f32>(a1.x), b1, c4_1);
            c5_1 = fma(vec4<f32>(a1.y), b1, c5_1);
            c6_1 = fma(vec4<f32>(a1.z), b1, c6_1);
            c7_1 = fma(vec4<f32>(a1.w), b1, c7_1);
        }
        {
            let a0 = tile_a[half][3][top + 0u];
            let b0 = tile_b[half][3][left + 0u];
            let a1 = tile_a[half][3][top + 16u];
            let b1 = tile_b[half][3][left + 16u];
            c0_0 = fma(vec4<f32>(a0.x), b0, c0_0);
            c1_0 = fma(vec4<f32>(a0.y), b0, c1_0);
            c2_0 = fma(vec4<f32>(a0.z), b0, c2_0);
            c3_0 = fma(vec4<f32>(a0.w), b0, c3_0);
            c4_0 = fma(vec4<f32>(a1.x), b0, c4_0);
            c5_0 = fma(vec4<f32>(a1.y), b0, c5_0);
            c6_0 = fma(vec4<f32>(a1.z), b0, c6_0);
            c7_0 = fma(vec4<f32>(a1.w), b0, c7_0);
            c0_1 = fma(vec4<f32>(a0.x), b1, c0_1);
            c1_1 = fma(vec4<f32>(a0.y), b1, c1_1);
            c2_1 = fma(vec4<f32>(a0.z), b1, c2_1);
            c3_1 = fma(vec4<f32>(a0.w), b1, c3_1);
            c4_1 = fma(vec4<f32>(a1.x), b1, c4_1);
            c5_1 = fma(vec4<f32>(a1.y), b1, c5_1);
            c6_1 = fma(vec4<f32>(a1.z), b1, c6_1);
            c7_1 = fma(vec4<f32>(a1.w), b1, c7_1);
        }
        {
            let a0 = tile_a[half][4][top + 0u];
            let b0 = tile_b[half][4][left + 0u];
            let a1 = tile_a[half][4][top + 16u];
            let b1 = tile_b[half][4][left + 16u];
            c0_0 = fma(vec4<f32>(a0.x), b0, c0_0);
            c1_0 = fma(vec4<f32>(a0.y), b0, c1_0);
            c2_0 = fma(vec4<f32>(a0.z), b0, c2_0);
            c3_0 = fma(vec4<f32>(a0.w), b0, c3_0);
            c4_0 = fma(vec4<f32>(a1.x), b0, c4_0);
            c5_0 = fma(vec4<f32>(a1.y), b0, c5_0);
            c6_0 = fma(vec4<f32>(a1.z), b0, c6_0);
            c7_0 = fma(vec4<f32>(a1.w), b0, c7_0);
            c0_1 = fma(vec4<f32>(a0.x), b1, c0_1);
            c1_1 = fma(vec4<f32>(a0.y), b1, c1_1);
            c2_1 = fma(vec4<f32>(a0.z), b1, c2_1);
            c3_1 = fma(vec4<f32>(a0.w), b1, c3_1);
            c4_1 = fma(vec4<f32>(a1.x), b1, c4_1);
            c5_1 = fma(vec4<f32>(a1.y), b1, c5_1);
            c6_1 = fma(vec4<f32>(a1.z), b1, c6_1);
            c7_1 = fma(vec4<f32>(a1.w), b1, c7_1);
        }
        {
            let a0 = tile_a[half][5][top + 0u];
            let b0 = tile_b[half][5][left + 0u];
            let a1 = tile_a[half][5][top + 16u];
            let b1 = tile_b[half][5][left + 16u];
            c0_0 = fma(vec4<f32>(a0.x), b0, c0_0);
            c1_0 = fma(vec4<f32>(a0.y), b0, c1_0);
            c2_0 = fma(vec4<f32>(a0.z), b0, c2_0);
            c3_0 = fma(vec4<f32>(a0.w), b0, c3_0);
            c4_0 = fma(vec4<f32>(a1.x), b0, c4_0);
            c5_0 = fma(vec4<f32>(a1.y), b0, c5_0);
            c6_0 = fma(vec4<f32>(a1.z), b0, c6_0);
            c7_0 = fma(vec4<f32>(a1.w), b0, c7_0);
            c0_1 = fma(vec4<f32>(a0.x), b1, c0_1);
            c1_1 = fma(vec4<f32>(a0.y), b1, c1_1);
            c2_1 = fma(vec4<f32>(a0.z), b1, c2_1);
            c3_1 = fma(vec4<f32>(a0.w), b1, c3_1);
            c4_1 = fma(vec4<f32>(a1.x), b1, c4_1);
            c5_1 = fma(vec4<f32>(a1.y), b1, c5_1);
            c6_1 = fma(vec4<f32>(a1.z), b1, c6_1);
            c7_1 = fma(vec4<f32>(a1.w), b1, c7_1);
        }
        {
            let a0 = tile_a[half][6][top + 0u];
            let b0 = tile_b[half][6][left + 0u];
            let a1 = tile_a[half][6][top + 16u];
            let b1 = tile_b[half][6][left + 16u];
            c0_0 = fma(vec4<f32>(a0.x), b0, c0_0);
            c1_0 = fma(vec4<f32>(a0.y), b0, c1_0);
            c2_0 = fma(vec4<f32>(a0.z), b0, c2_0);
            c3_0 = fma(vec4<f32>(a0.w), b0, c3_0);
            c4_0 = fma(vec4<f32>(a1.x), b0, c4_0);
            c5_0 = fma(vec4<f32>(a1.y), b0, c5_0);
            c6_0 = fma(vec4<f32>(a1.z), b0, c6_0);
            c7_0 = fma(vec4<f32>(a1.w), b0, c7_0);
            c0_1 = fma(vec4<f32>(a0.x), b1, c0_1);
            c1_1 = fma(vec4<f32>(a0.y), b1, c1_1);
            c2_1 = fma(vec4<f32>(a0.z), b1, c2_1);
            c3_1 = fma(vec4<f32>(a0.w), b1, c3_1);
            c4_1 = fma(vec4<f32>(a1.x), b1, c4_1);
            c5_1 = fma(vec4<f32>(a1.y), b1, c5_1);
            c6_1 = fma(vec4<f32>(a1.z), b1, c6_1);
            c7_1 = fma(vec4<f32>(a1.w), b1, c7_1);
        }
        {
            let a0 = tile_a[half][7][top + 0u];
            let b0 = tile_b[half][7][left + 0u];
            let a1 = tile_a[half][7][top + 16u];
            let b1 = tile_b[half][7][left + 16u];
            c0_0 = fma(vec4<f32>(a0.x), b0, c0_0);
            c1_0 = fma(vec4<f32>(a0.y), b0, c1_0);
            c2_0 = fma(vec4<f32>(a0.z), b0, c2_0);
            c3_0 = fma(vec4<f32>(a0.w), b0, c3_0);
            c4_0 = fma(vec4<f32>(a1.x), b0, c4_0);
            c5_0 = fma(vec4<f32>(a1.y), b0, c5_0);
            c6_0 = fma(vec4<f32>(a1.z), b0, c6_0);
            c7_0 = fma(vec4<f32>(a1.w), b0, c7_0);
            c0_1 = fma(vec4<f32>(a0.x), b1, c0_1);
            c1_1 = fma(vec4<f32>(a0.y), b1, c1_1);
            c2_1 = fma(vec4<f32>(a0.z), b1, c2_1);
            c3_1 = fma(vec4<f32>(a0.w), b1, c3_1);
            c4_1 = fma(vec4<f32>(a1.x), b1, c4_1);
            c5_1 = fma(vec4<f32>(a1.y), b1, c5_1);
            c6_1 = fma(vec4<f32>(a1.z), b1, c6_1);
            c7_1 = fma(vec4<f32>(a1.w), b1, c7_1);
        }
        if (k >= end) {
            break;
        }
        half = 1u - half;
        put_a(half, a_line0, a_k0, next_a0);
        put_b(half, b_line0, b_k0, next_b0);
        workgroupBarrier();
        k += 8u;
    }
    {
        let row = first_row + 0u + top * 4u;
        if (row < params.rows) {
            put_c(matrix, row, first_column + 0u + left * 4u, c0_0);
            put_c(matrix, row, first_column + 64u + left * 4u, c0_1);
        }
    }
    {
        let row = first_row + 1u + top * 4u;
        if (row < params.rows) {
            put_c(matrix, row, first_column + 0u + left * 4u, c1_0);
            put_c(matrix, row, first_column + 64u + left * 4u, c1_1);
        }
    }
    {
        let row = first_row + 2u + top * 4u;
        if (row < params.rows) {
            put_c(matrix, row, first_column + 0u + left * 4u, c2_0);
            put_c(matrix, row, first_column + 64u + left * 4u, c2_1);
        }
    }
    {
        let row = first_row + 3u + top * 4u;
        if (row < params.rows) {
            put_c(matrix, row, first_column + 0u + left * 4u, c3_0);
            put_c(matrix, row, first_column + 64u + left * 4u, c3_1);
        }
    }
    {
        let row = first_row + 64u + top * 4u;
        if (row < params.rows) {
            put_c(matrix, row, first_column + 0u + left * 4u, c4_0);
            put_c(matrix, row, first_column + 64u + left * 4u, c4_1);
        }
    }
    {
        let row = first_row + 65u + top * 4u;
        if (row < params.rows) {
            put_c(matrix, row, first_column + 0u + left * 4u, c5_0);
            put_c(matrix, row, first_column + 64u + left * 4u, c5_1);
        }
    }
    {
        let row = first_row + 66u + top * 4u;
        if (row < params.rows) {
            put_c(matrix, row, first_column + 0u + left * 4u, c6_0);
            put_c(matrix, row, first_column + 64u + left * 4u, c6_1);
        }
    }
    {
        let row = first_row + 67u + top * 4u;
        if (row < params.rows) {
            put_c(matrix, row, first_column + 0u + left * 4u, c7_0);
            put_c(matrix, row, first_column + 64u + left * 4u, c7_1);
        }
    }
}

var<private> base_e0: u32;
fn finish(value: f32, x0: f32) -> f32 {
  return (value + x0);
}
fn finished(row: u32, column: u32, value: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(finish(value.x, e0[base_e0 + row * params.row_e0 + column * params.column_e0]), finish(value.y, e0[base_e0 + row * params.row_e0 + min(column + 1u, params.columns - 1u) * params.column_e0]), finish(value.z, e0[base_e0 + row * params.row_e0 + min(column + 2u, params.columns - 1u) * params.column_e0]), finish(value.w, e0[base_e0 + row * params.row_e0 + min(column + 3u, params.columns - 1u) * params.column_e0]));
}

@compute @workgroup_size(256, 1, 1)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(local_invocation_id) lid: vec3<u32>,
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) nwg: vec3<u32>,
) {
    let thread = (wid.x + wid.y * nwg.x) * 256u + lid.x + params.first_thread;
    let line = params.first + wid.y;
    var rest = line / params.row_tiles;
    let c1 = rest % shape_at(1u);
    rest /= shape_at(1u);
    let c0 = rest;
    let base_a = params.offset_a + c0 * strides_a_at(0u) + c1 * strides_a_at(1u);
    let base_b = params.offset_b + c0 * strides_b_at(0u) + c1 * strides_b_at(1u);
    base_e0 = params.offset_e0 + c0 * strides_e0_at(0u) + c1 * strides_e0_at(1u);
    let matrix = wid.z * params.matrices + line / params.row_tiles;
    let row = line % params.row_tiles * 128u;
    let begin = wid.z * params.span;
    let end = min(begin + params.span, params.inner);
    run(base_a, base_b, matrix, row, wid.x * 128u, begin, end, lid.x);
}
