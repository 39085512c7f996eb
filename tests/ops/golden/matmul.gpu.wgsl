// kernel matmul_tiles
@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> c: array<vec4<f32>>;

struct Params {
    offset_a: u32,
    offset_b: u32,
    row_a: u32,
    inner_b: u32,
    rows: u32,
    columns: u32,
    inner: u32,
    row_tiles: u32,
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
// are 64 apart, and carries one four of each operand from memory to the workgroup while the ones before are multiplied.
// `tile_a` holds columns of the left operand, `tile_b` rows of the right one, both twice: one is read, one is filled.
var<workgroup> tile_a: array<vec4<f32>, 512>;
var<workgroup> tile_b: array<vec4<f32>, 512>;

fn load_a(base: u32, row: u32, k: u32) -> vec4<f32> {
    let x = a[base + min(row, params.rows - 1u) * params.row_a + min(k, params.inner - 1u) / 4u];
    return select(vec4<f32>(), x, vec4<u32>(k, k + 1u, k + 2u, k + 3u) < vec4<u32>(params.inner));
}

fn load_b(base: u32, k: u32, quad: u32) -> vec4<f32> {
    let x = b[base + min(k, params.inner - 1u) * params.inner_b + min(quad, (params.columns - 1u) / 4u)];
    return select(vec4<f32>(), x, k < params.inner);
}

fn put_a(into: u32, row: u32, k: u32, x: vec4<f32>) {
    tile_a[into + (k + 0u) * 16u + row / 4u][row % 4u] = x.x;
    tile_a[into + (k + 1u) * 16u + row / 4u][row % 4u] = x.y;
    tile_a[into + (k + 2u) * 16u + row / 4u][row % 4u] = x.z;
    tile_a[into + (k + 3u) * 16u + row / 4u][row % 4u] = x.w;
}

fn put_c(line: u32, column: u32, value: vec4<f32>) {
    let at = line * params.columns + column;
    if (column < params.columns) {
        c[at / 4u] = value;
    }
}

fn run(base_a: u32, base_b: u32, batch: u32, first_row: u32, first_column: u32, lane: u32) {
    let left = lane % 16u;
    let top = lane / 16u;
    let a_row = lane / 4u;
    let a_k = lane % 4u * 4u;
    let b_k = lane / 16u;
    let b_quad = lane % 16u;
    var c0_0 = vec4<f32>();
    var c1_0 = vec4<f32>();
    var c2_0 = vec4<f32>();
    var c3_0 = vec4<f32>();
    var next_a = load_a(base_a, first_row + a_row, a_k);
    var next_b = load_b(base_b, b_k, first_column / 4u + b_quad);
    var from_ = 0u;
    put_a(0u, a_row, a_k, next_a);
    tile_b[lane] = next_b;
    workgroupBarrier();
    var k = 16u;
    loop {
        next_a = load_a(base_a, first_row + a_row, k + a_k);
        next_b = load_b(base_b, k + b_k, first_column / 4u + b_quad);
        {
            let a0 = tile_a[from_ + 0u + top];
            let b0 = tile_b[from_ + 0u + left];
            c0_0 = fma(vec4<f32>(a0.x), b0, c0_0);
            c1_0 = fma(vec4<f32>(a0.y), b0, c1_0);
            c2_0 = fma(vec4<f32>(a0.z), b0, c2_0);
            c3_0 = fma(vec4<f32>(a0.w), b0, c3_0);
        }
        {
            let a0 = tile_a[from_ + 16u + top];
            let b0 = tile_b[from_ + 16u + left];
            c0_0 = fma(vec4<f32>(a0.x), b0, c0_0);
            c1_0 = fma(vec4<f32>(a0.y), b0, c1_0);
            c2_0 = fma(vec4<f32>(a0.z), b0, c2_0);
            c3_0 = fma(vec4<f32>(a0.w), b0, c3_0);
        }
        {
            let a0 = tile_a[from_ + 32u + top];
            let b0 = tile_b[from_ + 32u + left];
            c0_0 = fma(vec4<f32>(a0.x), b0, c0_0);
            c1_0 = fma(vec4<f32>(a0.y), b0, c1_0);
            c2_0 = fma(vec4<f32>(a0.z), b0, c2_0);
            c3_0 = fma(vec4<f32>(a0.w), b0, c3_0);
        }
        {
            let a0 = tile_a[from_ + 48u + top];
            let b0 = tile_b[from_ + 48u + left];
            c0_0 = fma(vec4<f32>(a0.x), b0, c0_0);
            c1_0 = fma(vec4<f32>(a0.y), b0, c1_0);
            c2_0 = fma(vec4<f32>(a0.z), b0, c2_0);
            c3_0 = fma(vec4<f32>(a0.w), b0, c3_0);
        }
        {
            let a0 = tile_a[from_ + 64u + top];
            let b0 = tile_b[from_ + 64u + left];
            c0_0 = fma(vec4<f32>(a0.x), b0, c0_0);
            c1_0 = fma(vec4<f32>(a0.y), b0, c1_0);
            c2_0 = fma(vec4<f32>(a0.z), b0, c2_0);
            c3_0 = fma(vec4<f32>(a0.w), b0, c3_0);
        }
        {
            let a0 = tile_a[from_ + 80u + top];
            let b0 = tile_b[from_ + 80u + left];
            c0_0 = fma(vec4<f32>(a0.x), b0, c0_0);
            c1_0 = fma(vec4<f32>(a0.y), b0, c1_0);
            c2_0 = fma(vec4<f32>(a0.z), b0, c2_0);
            c3_0 = fma(vec4<f32>(a0.w), b0, c3_0);
        }
        {
            let a0 = tile_a[from_ + 96u + top];
            let b0 = tile_b[from_ + 96u + left];
            c0_0 = fma(vec4<f32>(a0.x), b0, c0_0);
            c1_0 = fma(vec4<f32>(a0.y), b0, c1_0);
            c2_0 = fma(vec4<f32>(a0.z), b0, c2_0);
            c3_0 = fma(vec4<f32>(a0.w), b0, c3_0);
        }
        {
            let a0 = tile_a[from_ + 112u + top];
            let b0 = tile_b[from_ + 112u + left];
            c0_0 = fma(vec4<f32>(a0.x), b0, c0_0);
            c1_0 = fma(vec4<f32>(a0.y), b0, c1_0);
            c2_0 = fma(vec4<f32>(a0.z), b0, c2_0);
            c3_0 = fma(vec4<f32>(a0.w), b0, c3_0);
        }
        {
            let a0 = tile_a[from_ + 128u + top];
            let b0 = tile_b[from_ + 128u + left];
            c0_0 = fma(vec4<f32>(a0.x), b0, c0_0);
            c1_0 = fma(vec4<f32>(a0.y), b0, c1_0);
            c2_0 = fma(vec4<f32>(a0.z), b0, c2_0);
            c3_0 = fma(vec4<f32>(a0.w), b0, c3_0);
        }
        {
            let a0 = tile_a[from_ + 144u + top];
            let b0 = tile_b[from_ + 144u + left];
            c0_0 = fma(vec4<f32>(a0.x), b0, c0_0);
            c1_0 = fma(vec4<f32>(a0.y), b0, c1_0);
            c2_0 = fma(vec4<f32>(a0.z), b0, c2_0);
            c3_0 = fma(vec4<f32>(a0.w), b0, c3_0);
        }
        {
            let a0 = tile_a[from_ + 160u + top];
            let b0 = tile_b[from_ + 160u + left];
            c0_0 = fma(vec4<f32>(a0.x), b0, c0_0);
            c1_0 = fma(vec4<f32>(a0.y), b0, c1_0);
            c2_0 = fma(vec4<f32>(a0.z), b0, c2_0);
            c3_0 = fma(vec4<f32>(a0.w), b0, c3_0);
        }
        {
            let a0 = tile_a[from_ + 176u + top];
            let b0 = tile_b[from_ + 176u + left];
            c0_0 = fma(vec4<f32>(a0.x), b0, c0_0);
            c1_0 = fma(vec4<f32>(a0.y), b0, c1_0);
            c2_0 = fma(vec4<f32>(a0.z), b0, c2_0);
            c3_0 = fma(vec4<f32>(a0.w), b0, c3_0);
        }
        {
            let a0 = tile_a[from_ + 192u + top];
            let b0 = tile_b[from_ + 192u + left];
            c0_0 = fma(vec4<f32>(a0.x), b0, c0_0);
            c1_0 = fma(vec4<f32>(a0.y), b0, c1_0);
            c2_0 = fma(vec4<f32>(a0.z), b0, c2_0);
            c3_0 = fma(vec4<f32>(a0.w), b0, c3_0);
        }
        {
            let a0 = tile_a[from_ + 208u + top];
            let b0 = tile_b[from_ + 208u + left];
            c0_0 = fma(vec4<f32>(a0.x), b0, c0_0);
            c1_0 = fma(vec4<f32>(a0.y), b0, c1_0);
            c2_0 = fma(vec4<f32>(a0.z), b0, c2_0);
            c3_0 = fma(vec4<f32>(a0.w), b0, c3_0);
        }
        {
            let a0 = tile_a[from_ + 224u + top];
            let b0 = tile_b[from_ + 224u + left];
            c0_0 = fma(vec4<f32>(a0.x), b0, c0_0);
            c1_0 = fma(vec4<f32>(a0.y), b0, c1_0);
            c2_0 = fma(vec4<f32>(a0.z), b0, c2_0);
            c3_0 = fma(vec4<f32>(a0.w), b0, c3_0);
        }
        {
            let a0 = tile_a[from_ + 240u + top];
            let b0 = tile_b[from_ + 240u + left];
            c0_0 = fma(vec4<f32>(a0.x), b0, c0_0);
            c1_0 = fma(vec4<f32>(a0.y), b0, c1_0);
            c2_0 = fma(vec4<f32>(a0.z), b0, c2_0);
            c3_0 = fma(vec4<f32>(a0.w), b0, c3_0);
        }
        if (k >= params.inner) {
            break;
        }
        from_ = 256u - from_;
        put_a(from_, a_row, a_k, next_a);
        tile_b[from_ + lane] = next_b;
        workgroupBarrier();
        k += 16u;
    }
    {
        let row = first_row + 0u + top * 4u;
        if (row < params.rows) {
            put_c(batch * params.rows + row, first_column + 0u + left * 4u, c0_0);
        }
    }
    {
        let row = first_row + 1u + top * 4u;
        if (row < params.rows) {
            put_c(batch * params.rows + row, first_column + 0u + left * 4u, c1_0);
        }
    }
    {
        let row = first_row + 2u + top * 4u;
        if (row < params.rows) {
            put_c(batch * params.rows + row, first_column + 0u + left * 4u, c2_0);
        }
    }
    {
        let row = first_row + 3u + top * 4u;
        if (row < params.rows) {
            put_c(batch * params.rows + row, first_column + 0u + left * 4u, c3_0);
        }
    }
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
    let batch = line / params.row_tiles;
    run(base_a, base_b, batch, line % params.row_tiles * 64u, wid.x * 64u, lid.x);
}
