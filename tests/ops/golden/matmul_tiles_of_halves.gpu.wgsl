// kernel matmul_tiles
@group(0) @binding(0) var<storage, read> a: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> c: array<vec4<f32>>;

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
    span: u32,
    first: u32,
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

// A tile of 64 rows and columns of a product, by 256 lanes. Each lane owns 4 rows and as many columns, in fours that
// are 64 apart, and carries 1 of the fours of each operand from memory to the workgroup while the ones before are multiplied.
// Such a four is of inner positions of a row or column, or of rows or columns at an inner position: as the operand lies.
// `tile_a` holds columns of the left operand, `tile_b` rows of the right one, both twice: one is read, one is filled.
// They have axes of their own, since an index is checked against its axis: then no check is left in the inner loop.
var<workgroup> tile_a: array<array<array<vec4<f32>, 16>, 16>, 2>;
var<workgroup> tile_b: array<array<array<vec4<f32>, 16>, 16>, 2>;

fn load_a(base: u32, line: u32, k: u32, end: u32) -> vec4<f32> {
    let x = read_a(base + min(line, params.rows - 1u) * params.step_a + min(k, params.inner - 1u) / 4u, line);
    return select(vec4<f32>(), x, vec4<u32>(k, k + 1u, k + 2u, k + 3u) < vec4<u32>(end));
}

fn put_a(half: u32, line: u32, k: u32, x: vec4<f32>) {
    tile_a[half][k + 0u][line / 4u][line % 4u] = x.x;
    tile_a[half][k + 1u][line / 4u][line % 4u] = x.y;
    tile_a[half][k + 2u][line / 4u][line % 4u] = x.z;
    tile_a[half][k + 3u][line / 4u][line % 4u] = x.w;
}

fn load_b(base: u32, line: u32, k: u32, end: u32) -> vec4<f32> {
    let x = read_b(base + min(line, params.columns - 1u) * params.step_b + min(k, params.inner - 1u) / 4u, line);
    return select(vec4<f32>(), x, vec4<u32>(k, k + 1u, k + 2u, k + 3u) < vec4<u32>(end));
}

fn put_b(half: u32, line: u32, k: u32, x: vec4<f32>) {
    tile_b[half][k + 0u][line / 4u][line % 4u] = x.x;
    tile_b[half][k + 1u][line / 4u][line % 4u] = x.y;
    tile_b[half][k + 2u][line / 4u][line % 4u] = x.z;
    tile_b[half][k + 3u][line / 4u][line % 4u] = x.w;
}

fn put_c(matrix: u32, row: u32, column: u32, sums: vec4<f32>) {
    if (column >= params.columns) {
        return;
    }
    let value = sums;
    let at = (matrix * params.rows + row) * params.columns + column;
    c[at / 4u] = value;
}

// The tile's sums over the inner positions from `begin` to before `end`; `matrix` is which matrix of the result it is in.
fn run(
    base_a: u32, base_b: u32, matrix: u32, first_row: u32, first_column: u32, begin: u32, end: u32, lane: u32
) {
    let left = lane % 16u;
    let top = lane / 16u;
    let a_line0 = (lane + 0u) / 4u;
    let a_k0 = (lane + 0u) % 4u * 4u;
    let b_line0 = (lane + 0u) / 4u;
    let b_k0 = (lane + 0u) % 4u * 4u;
    var c0_0 = vec4<f32>();
    var c1_0 = vec4<f32>();
    var c2_0 = vec4<f32>();
    var c3_0 = vec4<f32>();
    var half = 0u;
    var next_a0 = load_a(base_a, first_row + a_line0, begin + a_k0, end);
    var next_b0 = load_b(base_b, first_column + b_line0, begin + b_k0, end);
    put_a(half, a_line0, a_k0, next_a0);
    put_b(half, b_line0, b_k0, next_b0);
    workgroupBarrier();
    var k = begin + 16u;
    loop {
        next_a0 = load_a(base_a, first_row + a_line0, k + a_k0, end);
        next_b0 = load_b(base_b, first_column + b_line0, k + b_k0, end);
        {
            let a0 = tile_a[half][0][top + 0u];
            let b0 = tile_b[half][0][left + 0u];
            c0_0 = fma(vec4<f32>(a0.x), b0, c0_0);
            c1_0 = fma(vec4<f32>(a0.y), b0, c1_0);
            c2_0 = fma(vec4<f32>(a0.z), b0, c2_0);
            c3_0 = fma(vec4<f32>(a0.w), b0, c3_0);
        }
        {
            let a0 = tile_a[half][1][top + 0u];
            let b0 = tile_b[half][1][left + 0u];
            c0_0 = fma(vec4<f32>(a0.x), b0, c0_0);
            c1_0 = fma(vec4<f32>(a0.y), b0, c1_0);
            c2_0 = fma(vec4<f32>(a0.z), b0, c2_0);
            c3_0 = fma(vec4<f32>(a0.w), b0, c3_0);
        }
        {
            let a0 = tile_a[half][2][top + 0u];
            let b0 = tile_b[half][2][left + 0u];
            c0_0 = fma(vec4<f32>(a0.x), b0, c0_0);
            c1_0 = fma(vec4<f32>(a0.y), b0, c1_0);
            c2_0 = fma(vec4<f32>(a0.z), b0, c2_0);
            c3_0 = fma(vec4<f32>(a0.w), b0, c3_0);
        }
        {
            let a0 = tile_a[half][3][top + 0u];
            let b0 = tile_b[half][3][left + 0u];
            c0_0 = fma(vec4<f32>(a0.x), b0, c0_0);
            c1_0 = fma(vec4<f32>(a0.y), b0, c1_0);
            c2_0 = fma(vec4<f32>(a0.z), b0, c2_0);
            c3_0 = fma(vec4<f32>(a0.w), b0, c3_0);
        }
        {
            let a0 = tile_a[half][4][top + 0u];
            let b0 = tile_b[half][4][left + 0u];
            c0_0 = fma(vec4<f32>(a0.x), b0, c0_0);
            c1_0 = fma(vec4<f32>(a0.y), b0, c1_0);
            c2_0 = fma(vec4<f32>(a0.z), b0, c2_0);
            c3_0 = fma(vec4<f32>(a0.w), b0, c3_0);
        }
        {
            let a0 = tile_a[half][5][top + 0u];
            let b0 = tile_b[half][5][left + 0u];
            c0_0 = fma(vec4<f32>(a0.x), b0, c0_0);
            c1_0 = fma(vec4<f32>(a0.y), b0, c1_0);
            c2_0 = fma(vec4<f32>(a0.z), b0, c2_0);
            c3_0 = fma(vec4<f32>(a0.w), b0, c3_0);
        }
        {
            let a0 = tile_a[half][6][top + 0u];
            let b0 = tile_b[half][6][left + 0u];
            c0_0 = fma(vec4<f32>(a0.x), b0, c0_0);
            c1_0 = fma(vec4<f32>(a0.y), b0, c1_0);
            c2_0 = fma(vec4<f32>(a0.z), b0, c2_0);
            c3_0 = fma(vec4<f32>(a0.w), b0, c3_0);
        }
        {
            let a0 = tile_a[half][7][top + 0u];
            let b0 = tile_b[half][7][left + 0u];
            c0_0 = fma(vec4<f32>(a0.x), b0, c0_0);
            c1_0 = fma(vec4<f32>(a0.y), b0, c1_0);
            c2_0 = fma(vec4<f32>(a0.z), b0, c2_0);
            c3_0 = fma(vec4<f32>(a0.w), b0, c3_0);
        }
        {
            let a0 = tile_a[half][8][top + 0u];
            let b0 = tile_b[half][8][left + 0u];
            c0_0 = fma(vec4<f32>(a0.x), b0, c0_0);
            c1_0 = fma(vec4<f32>(a0.y), b0, c1_0);
            c2_0 = fma(vec4<f32>(a0.z), b0, c2_0);
            c3_0 = fma(vec4<f32>(a0.w), b0, c3_0);
        }
        {
            let a0 = tile_a[half][9][top + 0u];
            let b0 = tile_b[half][9][left + 0u];
            c0_0 = fma(vec4<f32>(a0.x), b0, c0_0);
            c1_0 = fma(vec4<f32>(a0.y), b0, c1_0);
            c2_0 = fma(vec4<f32>(a0.z), b0, c2_0);
            c3_0 = fma(vec4<f32>(a0.w), b0, c3_0);
        }
        {
            let a0 = tile_a[half][10][top + 0u];
            let b0 = tile_b[half][10][left + 0u];
            c0_0 = fma(vec4<f32>(a0.x), b0, c0_0);
            c1_0 = fma(vec4<f32>(a0.y), b0, c1_0);
            c2_0 = fma(vec4<f32>(a0.z), b0, c2_0);
            c3_0 = fma(vec4<f32>(a0.w), b0, c3_0);
        }
        {
            let a0 = tile_a[half][11][top + 0u];
            let b0 = tile_b[half][11][left + 0u];
            c0_0 = fma(vec4<f32>(a0.x), b0, c0_0);
            c1_0 = fma(vec4<f32>(a0.y), b0, c1_0);
            c2_0 = fma(vec4<f32>(a0.z), b0, c2_0);
            c3_0 = fma(vec4<f32>(a0.w), b0, c3_0);
        }
        {
            let a0 = tile_a[half][12][top + 0u];
            let b0 = tile_b[half][12][left + 0u];
            c0_0 = fma(vec4<f32>(a0.x), b0, c0_0);
            c1_0 = fma(vec4<f32>(a0.y), b0, c1_0);
            c2_0 = fma(vec4<f32>(a0.z), b0, c2_0);
            c3_0 = fma(vec4<f32>(a0.w), b0, c3_0);
        }
        {
            let a0 = tile_a[half][13][top + 0u];
            let b0 = tile_b[half][13][left + 0u];
            c0_0 = fma(vec4<f32>(a0.x), b0, c0_0);
            c1_0 = fma(vec4<f32>(a0.y), b0, c1_0);
            c2_0 = fma(vec4<f32>(a0.z), b0, c2_0);
            c3_0 = fma(vec4<f32>(a0.w), b0, c3_0);
        }
        {
            let a0 = tile_a[half][14][top + 0u];
            let b0 = tile_b[half][14][left + 0u];
            c0_0 = fma(vec4<f32>(a0.x), b0, c0_0);
            c1_0 = fma(vec4<f32>(a0.y), b0, c1_0);
            c2_0 = fma(vec4<f32>(a0.z), b0, c2_0);
            c3_0 = fma(vec4<f32>(a0.w), b0, c3_0);
        }
        {
            let a0 = tile_a[half][15][top + 0u];
            let b0 = tile_b[half][15][left + 0u];
            c0_0 = fma(vec4<f32>(a0.x), b0, c0_0);
            c1_0 = fma(vec4<f32>(a0.y), b0, c1_0);
            c2_0 = fma(vec4<f32>(a0.z), b0, c2_0);
            c3_0 = fma(vec4<f32>(a0.w), b0, c3_0);
        }
        if (k >= end) {
            break;
        }
        half = 1u - half;
        put_a(half, a_line0, a_k0, next_a0);
        put_b(half, b_line0, b_k0, next_b0);
        workgroupBarrier();
        k += 16u;
    }
    {
        let row = first_row + 0u + top * 4u;
        if (row < params.rows) {
            put_c(matrix, row, first_column + 0u + left * 4u, c0_0);
        }
    }
    {
        let row = first_row + 1u + top * 4u;
        if (row < params.rows) {
            put_c(matrix, row, first_column + 0u + left * 4u, c1_0);
        }
    }
    {
        let row = first_row + 2u + top * 4u;
        if (row < params.rows) {
            put_c(matrix, row, first_column + 0u + left * 4u, c2_0);
        }
    }
    {
        let row = first_row + 3u + top * 4u;
        if (row < params.rows) {
            put_c(matrix, row, first_column + 0u + left * 4u, c3_0);
        }
    }
}

fn f16_value(bits: u32) -> f32 {
  let size = bits & 0x7fffu;
  let small = bitcast<u32>(f32(size) * 5.9604644775390625e-8f);
  let large = (size << 13u) + select(0x38000000u, 0x70000000u, size >= 0x7c00u);
  return bitcast<f32>(((bits & 0x8000u) << 16u) | select(small, large, size >= 0x400u));
}
fn f16_at(word: u32, place: u32) -> f32 {
  return f16_value((word >> (16u * (place & 1u))) & 0xffffu);
}
fn f16_quad(words: vec2<u32>) -> vec4<f32> {
  return vec4<f32>(f16_at(words.x, 0u), f16_at(words.x, 1u), f16_at(words.y, 0u), f16_at(words.y, 1u));
}
fn i8_at(word: u32, place: u32) -> i32 {
  return extractBits(bitcast<i32>(word), 8u * (place & 3u), 8u);
}
fn i8_quad(word: u32) -> vec4<i32> {
  return vec4<i32>(i8_at(word, 0u), i8_at(word, 1u), i8_at(word, 2u), i8_at(word, 3u));
}
fn read_a(place: u32, line: u32) -> vec4<f32> {
    return vec4<f32>(f16_quad(a[place]));
}
fn read_b(place: u32, line: u32) -> vec4<f32> {
    return vec4<f32>(i8_quad(b[place]));
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
    let matrix = wid.z * params.matrices + line / params.row_tiles;
    let row = line % params.row_tiles * 64u;
    let begin = wid.z * params.span;
    let end = min(begin + params.span, params.inner);
    run(base_a, base_b, matrix, row, wid.x * 64u, begin, end, lid.x);
}
