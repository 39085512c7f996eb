// kernel attention
@group(0) @binding(0) var<storage, read> q: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> k: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> v: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> out: array<vec4<f32>>;

struct Params {
    offset_q: u32,
    row_q: u32,
    offset_k: u32,
    row_k: u32,
    offset_v: u32,
    row_v: u32,
    queries: u32,
    keys: u32,
    size: u32,
    values: u32,
    tiles: u32,
    first: u32,
    scale: f32,
    unit: f32,
    least: f32,
    shape: array<vec4<u32>, 1>,
    strides_q: array<vec4<u32>, 1>,
    strides_k: array<vec4<u32>, 1>,
    strides_v: array<vec4<u32>, 1>,
    first_thread: u32,
}

@group(0) @binding(4) var<uniform> params: Params;

fn shape_at(i: u32) -> u32 {
    return params.shape[i >> 2u][i & 3u];
}

fn strides_q_at(i: u32) -> u32 {
    return params.strides_q[i >> 2u][i & 3u];
}

fn strides_k_at(i: u32) -> u32 {
    return params.strides_k[i >> 2u][i & 3u];
}

fn strides_v_at(i: u32) -> u32 {
    return params.strides_v[i >> 2u][i & 3u];
}

// The attention of 32 queries, by 64 lanes, over 32 keys at a time. Each lane owns the scores of four queries and keys, in units of ln(2), and four
// columns of each strip of as many results: what was summed up with a smaller peak is scaled when the peak grows (Dao et
// al., 2022). Vectors go through the tiles by spans of 32 components, values by strips of 32 columns.
// `tile_q` holds components by queries, `tile_kv` components by keys and then keys by columns of values, `tile_p` weights by
// keys and queries, and before that each lane's part of a row. What is read in the inner loops has axes of its own, since
// an index is checked against its axis: then no check is left there.
var<workgroup> tile_q: array<array<array<vec4<f32>, 8>, 16>, 2>;
var<workgroup> tile_kv: array<array<array<vec4<f32>, 8>, 16>, 2>;
var<workgroup> tile_p: array<array<array<vec4<f32>, 8>, 16>, 2>;

// 2 to the power of numbers up to 0. What the product with log2(e) was rounded by is little beside the scores' own error.
fn power(x: vec4<f32>) -> vec4<f32> {
    return select(exp2(x), x, (bitcast<vec4<u32>>(x) & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x7f800000u));
}

fn quad_of_q(base: u32, query: u32, quad: u32) -> vec4<f32> {
    let x = q[base + min(query, params.queries - 1u) * params.row_q + min(quad, params.size - 1u)];
    return select(vec4<f32>(), x * params.scale, quad < params.size);
}

fn quad_of_k(base: u32, key: u32, quad: u32) -> vec4<f32> {
    let x = k[base + min(key, params.keys - 1u) * params.row_k + min(quad, params.size - 1u)];
    return select(vec4<f32>(), x, quad < params.size);
}

fn quad_of_v(base: u32, key: u32, quad: u32) -> vec4<f32> {
    let x = v[base + min(key, params.keys - 1u) * params.row_v + min(quad, params.values - 1u)];
    return select(vec4<f32>(), x, key < params.keys);
}

// The results of the queries from `first` on, which are written to the matrix `matrix` of the result.
fn run(base_q: u32, base_k: u32, base_v: u32, matrix: u32, first: u32, lane: u32) {
    let top = lane % 8u + lane / 32u % 1u * 8u;
    let left = lane / 8u % 4u + lane / 32u * 4u;
    let along = lane % 32u;
    let quad0 = lane / 32u + 0u;
    let place0 = lane / 8u + 0u;
    let quad1 = lane / 32u + 2u;
    let place1 = lane / 8u + 8u;
    let quad2 = lane / 32u + 4u;
    let place2 = lane / 8u + 16u;
    let quad3 = lane / 32u + 6u;
    let place3 = lane / 8u + 24u;
    {
        let x = quad_of_q(base_q, first + along, quad0 + 0u);
        tile_q[quad0 / 4u][quad0 % 4u * 4u + 0u][along / 4u][along % 4u] = x.x;
        tile_q[quad0 / 4u][quad0 % 4u * 4u + 1u][along / 4u][along % 4u] = x.y;
        tile_q[quad0 / 4u][quad0 % 4u * 4u + 2u][along / 4u][along % 4u] = x.z;
        tile_q[quad0 / 4u][quad0 % 4u * 4u + 3u][along / 4u][along % 4u] = x.w;
    }
    {
        let x = quad_of_q(base_q, first + along, quad1 + 0u);
        tile_q[quad1 / 4u][quad1 % 4u * 4u + 0u][along / 4u][along % 4u] = x.x;
        tile_q[quad1 / 4u][quad1 % 4u * 4u + 1u][along / 4u][along % 4u] = x.y;
        tile_q[quad1 / 4u][quad1 % 4u * 4u + 2u][along / 4u][along % 4u] = x.z;
        tile_q[quad1 / 4u][quad1 % 4u * 4u + 3u][along / 4u][along % 4u] = x.w;
    }
    {
        let x = quad_of_q(base_q, first + along, quad2 + 0u);
        tile_q[quad2 / 4u][quad2 % 4u * 4u + 0u][along / 4u][along % 4u] = x.x;
        tile_q[quad2 / 4u][quad2 % 4u * 4u + 1u][along / 4u][along % 4u] = x.y;
        tile_q[quad2 / 4u][quad2 % 4u * 4u + 2u][along / 4u][along % 4u] = x.z;
        tile_q[quad2 / 4u][quad2 % 4u * 4u + 3u][along / 4u][along % 4u] = x.w;
    }
    {
        let x = quad_of_q(base_q, first + along, quad3 + 0u);
        tile_q[quad3 / 4u][quad3 % 4u * 4u + 0u][along / 4u][along % 4u] = x.x;
        tile_q[quad3 / 4u][quad3 % 4u * 4u + 1u][along / 4u][along % 4u] = x.y;
        tile_q[quad3 / 4u][quad3 % 4u * 4u + 2u][along / 4u][along % 4u] = x.z;
        tile_q[quad3 / 4u][quad3 % 4u * 4u + 3u][along / 4u][along % 4u] = x.w;
    }
    var o00 = vec4<f32>();
    var o01 = vec4<f32>();
    var o02 = vec4<f32>();
    var o03 = vec4<f32>();
    var peak = vec4<f32>(params.least);
    var total = vec4<f32>();
    let rows = vec4<u32>(first + top * 4u) + vec4<u32>(0u, 1u, 2u, 3u);
    let seen = min(rows + 1u, vec4<u32>(params.keys));
    let last = min(first + 32u, params.keys);
    var next_k0 = quad_of_k(base_k, along, quad0);
    var next_k1 = quad_of_k(base_k, along, quad1);
    var next_k2 = quad_of_k(base_k, along, quad2);
    var next_k3 = quad_of_k(base_k, along, quad3);
    for (var key = 0u; key < last; key += 32u) {
        var s0 = vec4<f32>();
        var s1 = vec4<f32>();
        var s2 = vec4<f32>();
        var s3 = vec4<f32>();
        tile_kv[quad0 / 4u][quad0 % 4u * 4u + 0u][along / 4u][along % 4u] = next_k0.x;
        tile_kv[quad0 / 4u][quad0 % 4u * 4u + 1u][along / 4u][along % 4u] = next_k0.y;
        tile_kv[quad0 / 4u][quad0 % 4u * 4u + 2u][along / 4u][along % 4u] = next_k0.z;
        tile_kv[quad0 / 4u][quad0 % 4u * 4u + 3u][along / 4u][along % 4u] = next_k0.w;
        tile_kv[quad1 / 4u][quad1 % 4u * 4u + 0u][along / 4u][along % 4u] = next_k1.x;
        tile_kv[quad1 / 4u][quad1 % 4u * 4u + 1u][along / 4u][along % 4u] = next_k1.y;
        tile_kv[quad1 / 4u][quad1 % 4u * 4u + 2u][along / 4u][along % 4u] = next_k1.z;
        tile_kv[quad1 / 4u][quad1 % 4u * 4u + 3u][along / 4u][along % 4u] = next_k1.w;
        tile_kv[quad2 / 4u][quad2 % 4u * 4u + 0u][along / 4u][along % 4u] = next_k2.x;
        tile_kv[quad2 / 4u][quad2 % 4u * 4u + 1u][along / 4u][along % 4u] = next_k2.y;
        tile_kv[quad2 / 4u][quad2 % 4u * 4u + 2u][along / 4u][along % 4u] = next_k2.z;
        tile_kv[quad2 / 4u][quad2 % 4u * 4u + 3u][along / 4u][along % 4u] = next_k2.w;
        tile_kv[quad3 / 4u][quad3 % 4u * 4u + 0u][along / 4u][along % 4u] = next_k3.x;
        tile_kv[quad3 / 4u][quad3 % 4u * 4u + 1u][along / 4u][along % 4u] = next_k3.y;
        tile_kv[quad3 / 4u][quad3 % 4u * 4u + 2u][along / 4u][along % 4u] = next_k3.z;
        tile_kv[quad3 / 4u][quad3 % 4u * 4u + 3u][along / 4u][along % 4u] = next_k3.w;
        workgroupBarrier();
        var next_v0 = quad_of_v(base_v, key + place0, lane % 8u);
        var next_v1 = quad_of_v(base_v, key + place1, lane % 8u);
        var next_v2 = quad_of_v(base_v, key + place2, lane % 8u);
        var next_v3 = quad_of_v(base_v, key + place3, lane % 8u);
        for (var block = 0u; block < (params.size + 3u) / 4u; block++) {
            {
                let q = tile_q[block][0][top];
                let k = tile_kv[block][0][left];
                s0 = fma(q, vec4<f32>(k.x), s0);
                s1 = fma(q, vec4<f32>(k.y), s1);
                s2 = fma(q, vec4<f32>(k.z), s2);
                s3 = fma(q, vec4<f32>(k.w), s3);
            }
            {
                let q = tile_q[block][1][top];
                let k = tile_kv[block][1][left];
                s0 = fma(q, vec4<f32>(k.x), s0);
                s1 = fma(q, vec4<f32>(k.y), s1);
                s2 = fma(q, vec4<f32>(k.z), s2);
                s3 = fma(q, vec4<f32>(k.w), s3);
            }
            {
                let q = tile_q[block][2][top];
                let k = tile_kv[block][2][left];
                s0 = fma(q, vec4<f32>(k.x), s0);
                s1 = fma(q, vec4<f32>(k.y), s1);
                s2 = fma(q, vec4<f32>(k.z), s2);
                s3 = fma(q, vec4<f32>(k.w), s3);
            }
            {
                let q = tile_q[block][3][top];
                let k = tile_kv[block][3][left];
                s0 = fma(q, vec4<f32>(k.x), s0);
                s1 = fma(q, vec4<f32>(k.y), s1);
                s2 = fma(q, vec4<f32>(k.z), s2);
                s3 = fma(q, vec4<f32>(k.w), s3);
            }
            {
                let q = tile_q[block][4][top];
                let k = tile_kv[block][4][left];
                s0 = fma(q, vec4<f32>(k.x), s0);
                s1 = fma(q, vec4<f32>(k.y), s1);
                s2 = fma(q, vec4<f32>(k.z), s2);
                s3 = fma(q, vec4<f32>(k.w), s3);
            }
            {
                let q = tile_q[block][5][top];
                let k = tile_kv[block][5][left];
                s0 = fma(q, vec4<f32>(k.x), s0);
                s1 = fma(q, vec4<f32>(k.y), s1);
                s2 = fma(q, vec4<f32>(k.z), s2);
                s3 = fma(q, vec4<f32>(k.w), s3);
            }
            {
                let q = tile_q[block][6][top];
                let k = tile_kv[block][6][left];
                s0 = fma(q, vec4<f32>(k.x), s0);
                s1 = fma(q, vec4<f32>(k.y), s1);
                s2 = fma(q, vec4<f32>(k.z), s2);
                s3 = fma(q, vec4<f32>(k.w), s3);
            }
            {
                let q = tile_q[block][7][top];
                let k = tile_kv[block][7][left];
                s0 = fma(q, vec4<f32>(k.x), s0);
                s1 = fma(q, vec4<f32>(k.y), s1);
                s2 = fma(q, vec4<f32>(k.z), s2);
                s3 = fma(q, vec4<f32>(k.w), s3);
            }
            {
                let q = tile_q[block][8][top];
                let k = tile_kv[block][8][left];
                s0 = fma(q, vec4<f32>(k.x), s0);
                s1 = fma(q, vec4<f32>(k.y), s1);
                s2 = fma(q, vec4<f32>(k.z), s2);
                s3 = fma(q, vec4<f32>(k.w), s3);
            }
            {
                let q = tile_q[block][9][top];
                let k = tile_kv[block][9][left];
                s0 = fma(q, vec4<f32>(k.x), s0);
                s1 = fma(q, vec4<f32>(k.y), s1);
                s2 = fma(q, vec4<f32>(k.z), s2);
                s3 = fma(q, vec4<f32>(k.w), s3);
            }
            {
                let q = tile_q[block][10][top];
                let k = tile_kv[block][10][left];
                s0 = fma(q, vec4<f32>(k.x), s0);
                s1 = fma(q, vec4<f32>(k.y), s1);
                s2 = fma(q, vec4<f32>(k.z), s2);
                s3 = fma(q, vec4<f32>(k.w), s3);
            }
            {
                let q = tile_q[block][11][top];
                let k = tile_kv[block][11][left];
                s0 = fma(q, vec4<f32>(k.x), s0);
                s1 = fma(q, vec4<f32>(k.y), s1);
                s2 = fma(q, vec4<f32>(k.z), s2);
                s3 = fma(q, vec4<f32>(k.w), s3);
            }
            {
                let q = tile_q[block][12][top];
                let k = tile_kv[block][12][left];
                s0 = fma(q, vec4<f32>(k.x), s0);
                s1 = fma(q, vec4<f32>(k.y), s1);
                s2 = fma(q, vec4<f32>(k.z), s2);
                s3 = fma(q, vec4<f32>(k.w), s3);
            }
            {
                let q = tile_q[block][13][top];
                let k = tile_kv[block][13][left];
                s0 = fma(q, vec4<f32>(k.x), s0);
                s1 = fma(q, vec4<f32>(k.y), s1);
                s2 = fma(q, vec4<f32>(k.z), s2);
                s3 = fma(q, vec4<f32>(k.w), s3);
            }
            {
                let q = tile_q[block][14][top];
                let k = tile_kv[block][14][left];
                s0 = fma(q, vec4<f32>(k.x), s0);
                s1 = fma(q, vec4<f32>(k.y), s1);
                s2 = fma(q, vec4<f32>(k.z), s2);
                s3 = fma(q, vec4<f32>(k.w), s3);
            }
            {
                let q = tile_q[block][15][top];
                let k = tile_kv[block][15][left];
                s0 = fma(q, vec4<f32>(k.x), s0);
                s1 = fma(q, vec4<f32>(k.y), s1);
                s2 = fma(q, vec4<f32>(k.z), s2);
                s3 = fma(q, vec4<f32>(k.w), s3);
            }
        }
        if (key + 32u > min(first + 1u, params.keys)) {
            s0 = select(vec4<f32>(-infinity()), s0, vec4<u32>(key + left * 4u + 0u) < seen);
            s1 = select(vec4<f32>(-infinity()), s1, vec4<u32>(key + left * 4u + 1u) < seen);
            s2 = select(vec4<f32>(-infinity()), s2, vec4<u32>(key + left * 4u + 2u) < seen);
            s3 = select(vec4<f32>(-infinity()), s3, vec4<u32>(key + left * 4u + 3u) < seen);
        }
        tile_p[left / 16u][left % 16u][top] = max(max(s0, s1), max(s2, s3));
        workgroupBarrier();
        tile_kv[place0 / 16u][place0 % 16u][lane % 8u] = next_v0;
        tile_kv[place1 / 16u][place1 % 16u][lane % 8u] = next_v1;
        tile_kv[place2 / 16u][place2 % 16u][lane % 8u] = next_v2;
        tile_kv[place3 / 16u][place3 % 16u][lane % 8u] = next_v3;
        var next = peak;
        next = max(next, tile_p[0][0][top]);
        next = max(next, tile_p[0][1][top]);
        next = max(next, tile_p[0][2][top]);
        next = max(next, tile_p[0][3][top]);
        next = max(next, tile_p[0][4][top]);
        next = max(next, tile_p[0][5][top]);
        next = max(next, tile_p[0][6][top]);
        next = max(next, tile_p[0][7][top]);
        let scale = power(peak - next);
        peak = next;
        let e0 = power(s0 - next);
        let e1 = power(s1 - next);
        let e2 = power(s2 - next);
        let e3 = power(s3 - next);
        total = total * scale + ((e0 + e1) + (e2 + e3));
        o00 *= scale.x;
        o01 *= scale.y;
        o02 *= scale.z;
        o03 *= scale.w;
        workgroupBarrier();
        tile_p[left / 4u][left % 4u * 4u + 0u][top] = e0;
        tile_p[left / 4u][left % 4u * 4u + 1u][top] = e1;
        tile_p[left / 4u][left % 4u * 4u + 2u][top] = e2;
        tile_p[left / 4u][left % 4u * 4u + 3u][top] = e3;
        workgroupBarrier();
        next_k0 = quad_of_k(base_k, key + 32u + along, quad0);
        next_k1 = quad_of_k(base_k, key + 32u + along, quad1);
        next_k2 = quad_of_k(base_k, key + 32u + along, quad2);
        next_k3 = quad_of_k(base_k, key + 32u + along, quad3);
        for (var block = 0u; block < 2u; block++) {
            {
                let p = tile_p[block][0][top];
                let v = tile_kv[block][0][left];
                o00 = fma(vec4<f32>(p.x), v, o00);
                o01 = fma(vec4<f32>(p.y), v, o01);
                o02 = fma(vec4<f32>(p.z), v, o02);
                o03 = fma(vec4<f32>(p.w), v, o03);
            }
            {
                let p = tile_p[block][1][top];
                let v = tile_kv[block][1][left];
                o00 = fma(vec4<f32>(p.x), v, o00);
                o01 = fma(vec4<f32>(p.y), v, o01);
                o02 = fma(vec4<f32>(p.z), v, o02);
                o03 = fma(vec4<f32>(p.w), v, o03);
            }
            {
                let p = tile_p[block][2][top];
                let v = tile_kv[block][2][left];
                o00 = fma(vec4<f32>(p.x), v, o00);
                o01 = fma(vec4<f32>(p.y), v, o01);
                o02 = fma(vec4<f32>(p.z), v, o02);
                o03 = fma(vec4<f32>(p.w), v, o03);
            }
            {
                let p = tile_p[block][3][top];
                let v = tile_kv[block][3][left];
                o00 = fma(vec4<f32>(p.x), v, o00);
                o01 = fma(vec4<f32>(p.y), v, o01);
                o02 = fma(vec4<f32>(p.z), v, o02);
                o03 = fma(vec4<f32>(p.w), v, o03);
            }
            {
                let p = tile_p[block][4][top];
                let v = tile_kv[block][4][left];
                o00 = fma(vec4<f32>(p.x), v, o00);
                o01 = fma(vec4<f32>(p.y), v, o01);
                o02 = fma(vec4<f32>(p.z), v, o02);
                o03 = fma(vec4<f32>(p.w), v, o03);
            }
            {
                let p = tile_p[block][5][top];
                let v = tile_kv[block][5][left];
                o00 = fma(vec4<f32>(p.x), v, o00);
                o01 = fma(vec4<f32>(p.y), v, o01);
                o02 = fma(vec4<f32>(p.z), v, o02);
                o03 = fma(vec4<f32>(p.w), v, o03);
            }
            {
                let p = tile_p[block][6][top];
                let v = tile_kv[block][6][left];
                o00 = fma(vec4<f32>(p.x), v, o00);
                o01 = fma(vec4<f32>(p.y), v, o01);
                o02 = fma(vec4<f32>(p.z), v, o02);
                o03 = fma(vec4<f32>(p.w), v, o03);
            }
            {
                let p = tile_p[block][7][top];
                let v = tile_kv[block][7][left];
                o00 = fma(vec4<f32>(p.x), v, o00);
                o01 = fma(vec4<f32>(p.y), v, o01);
                o02 = fma(vec4<f32>(p.z), v, o02);
                o03 = fma(vec4<f32>(p.w), v, o03);
            }
            {
                let p = tile_p[block][8][top];
                let v = tile_kv[block][8][left];
                o00 = fma(vec4<f32>(p.x), v, o00);
                o01 = fma(vec4<f32>(p.y), v, o01);
                o02 = fma(vec4<f32>(p.z), v, o02);
                o03 = fma(vec4<f32>(p.w), v, o03);
            }
            {
                let p = tile_p[block][9][top];
                let v = tile_kv[block][9][left];
                o00 = fma(vec4<f32>(p.x), v, o00);
                o01 = fma(vec4<f32>(p.y), v, o01);
                o02 = fma(vec4<f32>(p.z), v, o02);
                o03 = fma(vec4<f32>(p.w), v, o03);
            }
            {
                let p = tile_p[block][10][top];
                let v = tile_kv[block][10][left];
                o00 = fma(vec4<f32>(p.x), v, o00);
                o01 = fma(vec4<f32>(p.y), v, o01);
                o02 = fma(vec4<f32>(p.z), v, o02);
                o03 = fma(vec4<f32>(p.w), v, o03);
            }
            {
                let p = tile_p[block][11][top];
                let v = tile_kv[block][11][left];
                o00 = fma(vec4<f32>(p.x), v, o00);
                o01 = fma(vec4<f32>(p.y), v, o01);
                o02 = fma(vec4<f32>(p.z), v, o02);
                o03 = fma(vec4<f32>(p.w), v, o03);
            }
            {
                let p = tile_p[block][12][top];
                let v = tile_kv[block][12][left];
                o00 = fma(vec4<f32>(p.x), v, o00);
                o01 = fma(vec4<f32>(p.y), v, o01);
                o02 = fma(vec4<f32>(p.z), v, o02);
                o03 = fma(vec4<f32>(p.w), v, o03);
            }
            {
                let p = tile_p[block][13][top];
                let v = tile_kv[block][13][left];
                o00 = fma(vec4<f32>(p.x), v, o00);
                o01 = fma(vec4<f32>(p.y), v, o01);
                o02 = fma(vec4<f32>(p.z), v, o02);
                o03 = fma(vec4<f32>(p.w), v, o03);
            }
            {
                let p = tile_p[block][14][top];
                let v = tile_kv[block][14][left];
                o00 = fma(vec4<f32>(p.x), v, o00);
                o01 = fma(vec4<f32>(p.y), v, o01);
                o02 = fma(vec4<f32>(p.z), v, o02);
                o03 = fma(vec4<f32>(p.w), v, o03);
            }
            {
                let p = tile_p[block][15][top];
                let v = tile_kv[block][15][left];
                o00 = fma(vec4<f32>(p.x), v, o00);
                o01 = fma(vec4<f32>(p.y), v, o01);
                o02 = fma(vec4<f32>(p.z), v, o02);
                o03 = fma(vec4<f32>(p.w), v, o03);
            }
        }
        workgroupBarrier();
    }
    tile_p[left / 16u][left % 16u][top] = total;
    workgroupBarrier();
    total = vec4<f32>();
    total += tile_p[0][0][top];
    total += tile_p[0][1][top];
    total += tile_p[0][2][top];
    total += tile_p[0][3][top];
    total += tile_p[0][4][top];
    total += tile_p[0][5][top];
    total += tile_p[0][6][top];
    total += tile_p[0][7][top];
    if (left + 0u < params.values) {
        if (rows.x < params.queries) {
            out[(matrix * params.queries + rows.x) * params.values + left + 0u] = o00 * (1.0f / total.x);
        }
        if (rows.y < params.queries) {
            out[(matrix * params.queries + rows.y) * params.values + left + 0u] = o01 * (1.0f / total.y);
        }
        if (rows.z < params.queries) {
            out[(matrix * params.queries + rows.z) * params.values + left + 0u] = o02 * (1.0f / total.z);
        }
        if (rows.w < params.queries) {
            out[(matrix * params.queries + rows.w) * params.values + left + 0u] = o03 * (1.0f / total.w);
        }
    }
}

var<private> infinity_bits: u32 = 0x7f800000u;
fn infinity() -> f32 {
  return bitcast<f32>(infinity_bits);
}

@compute @workgroup_size(64, 1, 1)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(local_invocation_id) lid: vec3<u32>,
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) nwg: vec3<u32>,
) {
    let thread = (wid.x + wid.y * nwg.x) * 64u + lid.x + params.first_thread;
    let line = params.first + wid.x;
    var rest = line / params.tiles;
    let c1 = rest % shape_at(1u);
    rest /= shape_at(1u);
    let c0 = rest;
    let base_q = params.offset_q + c0 * strides_q_at(0u) + c1 * strides_q_at(1u);
    let base_k = params.offset_k + c0 * strides_k_at(0u) + c1 * strides_k_at(1u);
    let base_v = params.offset_v + c0 * strides_v_at(0u) + c1 * strides_v_at(1u);
    run(base_q, base_k, base_v, line / params.tiles, line % params.tiles * 32u, lid.x);
}
