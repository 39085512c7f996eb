// kernel convolution
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> w: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> out: array<vec4<f32>>;

struct Params {
    offset_x: u32,
    image_x: u32,
    channel_x: u32,
    groups: u32,
    channels: u32,
    outputs: u32,
    quads: u32,
    points: u32,
    columns: u32,
    first: u32,
    size: array<vec4<u32>, 1>,
    space: array<vec4<u32>, 1>,
    taps: array<vec4<u32>, 1>,
    stride: array<vec4<u32>, 1>,
    dilation: array<vec4<u32>, 1>,
    before: array<vec4<u32>, 1>,
    places: array<vec4<u32>, 1>,
    first_thread: u32,
}

@group(0) @binding(3) var<uniform> params: Params;

fn size_at(i: u32) -> u32 {
    return params.size[i >> 2u][i & 3u];
}

fn space_at(i: u32) -> u32 {
    return params.space[i >> 2u][i & 3u];
}

fn taps_at(i: u32) -> u32 {
    return params.taps[i >> 2u][i & 3u];
}

fn stride_at(i: u32) -> u32 {
    return params.stride[i >> 2u][i & 3u];
}

fn dilation_at(i: u32) -> u32 {
    return params.dilation[i >> 2u][i & 3u];
}

fn before_at(i: u32) -> u32 {
    return params.before[i >> 2u][i & 3u];
}

fn places_at(i: u32) -> u32 {
    return params.places[i >> 2u][i & 3u];
}

// A tile of 64 outputs at 32 places, by 128 lanes: a product whose left operand are the weights, and whose right one is `x` as
// the windows of the places see it. Of a tap, 16 channels are taken at a time; they are carried from memory to the
// workgroup while the ones before are multiplied. Each lane owns 4 outputs at 4 places, in fours.
// `tile_w` holds outputs by channels, `tile_x` places by channels, both twice: one is read, one is filled.
// They have axes of their own, since an index is checked against its axis: then no check is left in the inner loop.
var<workgroup> tile_w: array<array<array<vec4<f32>, 16>, 16>, 2>;
var<workgroup> tile_x: array<array<array<vec4<f32>, 8>, 16>, 2>;

// Where a tap sees a place: of that, `at` is the element of the first channel, unless it `is_outside`.
struct Window {
    at: u32,
    is_outside: bool,
}

// The window of the place whose coordinates are times the stride `c2` `c3`.
fn window(base: u32, tap: u32, c2: u32, c3: u32) -> Window {
    var rest = tap;
    var window = Window(base, false);
    {
        let along = c3 + rest % taps_at(3u) * dilation_at(3u) - before_at(3u);
        window.is_outside |= along >= size_at(3u);
        window.at += along * space_at(3u);
        rest /= taps_at(3u);
    }
    {
        let along = c2 + rest % taps_at(2u) * dilation_at(2u) - before_at(2u);
        window.is_outside |= along >= size_at(2u);
        window.at += along * space_at(2u);
        rest /= taps_at(2u);
    }
    return window;
}

fn element(window: Window, channel: u32) -> f32 {
    let at = window.at + channel * params.channel_x;
    return select(x[select(at, params.offset_x, window.is_outside)], 0.0f, window.is_outside || channel >= params.channels);
}

// The weights of four outputs; those of channels that are none are zero.
fn weight(base: u32, tap: u32, channel: u32, quad: u32) -> vec4<f32> {
    let row = tap * params.channels + min(channel, params.channels - 1u);
    return select(vec4<f32>(), w[base + row * params.quads + min(quad, params.quads - 1u)], channel < params.channels);
}

fn place_of(group: u32, row: u32, column: u32) -> u32 {
    let image = column / params.points * params.groups + group;
    return (image * params.outputs + row) * params.points + column % params.points;
}

fn put(group: u32, row: u32, column: u32, value: vec4<f32>) {
    if (row < params.outputs) {
        if (column < params.columns) {
            out[place_of(group, row, column) / 4u] = value;
        }
    }
}

fn run(group: u32, first_row: u32, first_column: u32, lane: u32) {
    let top = lane % 16u;
    let left = lane / 16u;
    let taps = taps_at(2u) * taps_at(3u);
    let base_w = group * taps * params.channels * params.quads;
    let mine = lane % 32u;
    var rest = min(first_column + mine, params.columns - 1u);
    let c3 = rest % places_at(3u) * stride_at(3u);
    rest /= places_at(3u);
    let c2 = rest % places_at(2u) * stride_at(2u);
    rest /= places_at(2u);
    let base_x = params.offset_x + rest * params.image_x + group * params.channels * params.channel_x;
    var c0_0_sum = vec4<f32>();
    var c1_0_sum = vec4<f32>();
    var c2_0_sum = vec4<f32>();
    var c3_0_sum = vec4<f32>();
    var half = 0u;
    var tap = 0u;
    var channel = 0u;
    var seen = window(base_x, tap, c2, c3);
    var next_x0 = element(seen, lane / 32u + 0u);
    var next_x1 = element(seen, lane / 32u + 4u);
    var next_x2 = element(seen, lane / 32u + 8u);
    var next_x3 = element(seen, lane / 32u + 12u);
    var next_w0 = weight(base_w, tap, (lane + 0u) / 16u, first_row / 4u + (lane + 0u) % 16u);
    var next_w1 = weight(base_w, tap, (lane + 128u) / 16u, first_row / 4u + (lane + 128u) % 16u);
    loop {
        tile_x[half][lane / 32u + 0u][mine / 4u][mine % 4u] = next_x0;
        tile_x[half][lane / 32u + 4u][mine / 4u][mine % 4u] = next_x1;
        tile_x[half][lane / 32u + 8u][mine / 4u][mine % 4u] = next_x2;
        tile_x[half][lane / 32u + 12u][mine / 4u][mine % 4u] = next_x3;
        tile_w[half][(lane + 0u) / 16u][(lane + 0u) % 16u] = next_w0;
        tile_w[half][(lane + 128u) / 16u][(lane + 128u) % 16u] = next_w1;
        workgroupBarrier();
        channel += 16u;
        if (channel >= params.channels) {
            channel = 0u;
            tap++;
            seen = window(base_x, tap, c2, c3);
        }
        if (tap < taps) {
            next_x0 = element(seen, channel + lane / 32u + 0u);
            next_x1 = element(seen, channel + lane / 32u + 4u);
            next_x2 = element(seen, channel + lane / 32u + 8u);
            next_x3 = element(seen, channel + lane / 32u + 12u);
            next_w0 = weight(base_w, tap, channel + (lane + 0u) / 16u, first_row / 4u + (lane + 0u) % 16u);
            next_w1 = weight(base_w, tap, channel + (lane + 128u) / 16u, first_row / 4u + (lane + 128u) % 16u);
        }
        {
            let w0 = tile_w[half][0][top + 0u];
            let x0 = tile_x[half][0][left + 0u];
            c0_0_sum = fma(vec4<f32>(w0.x), x0, c0_0_sum);
            c1_0_sum = fma(vec4<f32>(w0.y), x0, c1_0_sum);
            c2_0_sum = fma(vec4<f32>(w0.z), x0, c2_0_sum);
            c3_0_sum = fma(vec4<f32>(w0.w), x0, c3_0_sum);
        }
        {
            let w0 = tile_w[half][1][top + 0u];
            let x0 = tile_x[half][1][left + 0u];
            c0_0_sum = fma(vec4<f32>(w0.x), x0, c0_0_sum);
            c1_0_sum = fma(vec4<f32>(w0.y), x0, c1_0_sum);
            c2_0_sum = fma(vec4<f32>(w0.z), x0, c2_0_sum);
            c3_0_sum = fma(vec4<f32>(w0.w), x0, c3_0_sum);
        }
        {
            let w0 = tile_w[half][2][top + 0u];
            let x0 = tile_x[half][2][left + 0u];
            c0_0_sum = fma(vec4<f32>(w0.x), x0, c0_0_sum);
            c1_0_sum = fma(vec4<f32>(w0.y), x0, c1_0_sum);
            c2_0_sum = fma(vec4<f32>(w0.z), x0, c2_0_sum);
            c3_0_sum = fma(vec4<f32>(w0.w), x0, c3_0_sum);
        }
        {
            let w0 = tile_w[half][3][top + 0u];
            let x0 = tile_x[half][3][left + 0u];
            c0_0_sum = fma(vec4<f32>(w0.x), x0, c0_0_sum);
            c1_0_sum = fma(vec4<f32>(w0.y), x0, c1_0_sum);
            c2_0_sum = fma(vec4<f32>(w0.z), x0, c2_0_sum);
            c3_0_sum = fma(vec4<f32>(w0.w), x0, c3_0_sum);
        }
        {
            let w0 = tile_w[half][4][top + 0u];
            let x0 = tile_x[half][4][left + 0u];
            c0_0_sum = fma(vec4<f32>(w0.x), x0, c0_0_sum);
            c1_0_sum = fma(vec4<f32>(w0.y), x0, c1_0_sum);
            c2_0_sum = fma(vec4<f32>(w0.z), x0, c2_0_sum);
            c3_0_sum = fma(vec4<f32>(w0.w), x0, c3_0_sum);
        }
        {
            let w0 = tile_w[half][5][top + 0u];
            let x0 = tile_x[half][5][left + 0u];
            c0_0_sum = fma(vec4<f32>(w0.x), x0, c0_0_sum);
            c1_0_sum = fma(vec4<f32>(w0.y), x0, c1_0_sum);
            c2_0_sum = fma(vec4<f32>(w0.z), x0, c2_0_sum);
            c3_0_sum = fma(vec4<f32>(w0.w), x0, c3_0_sum);
        }
        {
            let w0 = tile_w[half][6][top + 0u];
            let x0 = tile_x[half][6][left + 0u];
            c0_0_sum = fma(vec4<f32>(w0.x), x0, c0_0_sum);
            c1_0_sum = fma(vec4<f32>(w0.y), x0, c1_0_sum);
            c2_0_sum = fma(vec4<f32>(w0.z), x0, c2_0_sum);
            c3_0_sum = fma(vec4<f32>(w0.w), x0, c3_0_sum);
        }
        {
            let w0 = tile_w[half][7][top + 0u];
            let x0 = tile_x[half][7][left + 0u];
            c0_0_sum = fma(vec4<f32>(w0.x), x0, c0_0_sum);
            c1_0_sum = fma(vec4<f32>(w0.y), x0, c1_0_sum);
            c2_0_sum = fma(vec4<f32>(w0.z), x0, c2_0_sum);
            c3_0_sum = fma(vec4<f32>(w0.w), x0, c3_0_sum);
        }
        {
            let w0 = tile_w[half][8][top + 0u];
            let x0 = tile_x[half][8][left + 0u];
            c0_0_sum = fma(vec4<f32>(w0.x), x0, c0_0_sum);
            c1_0_sum = fma(vec4<f32>(w0.y), x0, c1_0_sum);
            c2_0_sum = fma(vec4<f32>(w0.z), x0, c2_0_sum);
            c3_0_sum = fma(vec4<f32>(w0.w), x0, c3_0_sum);
        }
        {
            let w0 = tile_w[half][9][top + 0u];
            let x0 = tile_x[half][9][left + 0u];
            c0_0_sum = fma(vec4<f32>(w0.x), x0, c0_0_sum);
            c1_0_sum = fma(vec4<f32>(w0.y), x0, c1_0_sum);
            c2_0_sum = fma(vec4<f32>(w0.z), x0, c2_0_sum);
            c3_0_sum = fma(vec4<f32>(w0.w), x0, c3_0_sum);
        }
        {
            let w0 = tile_w[half][10][top + 0u];
            let x0 = tile_x[half][10][left + 0u];
            c0_0_sum = fma(vec4<f32>(w0.x), x0, c0_0_sum);
            c1_0_sum = fma(vec4<f32>(w0.y), x0, c1_0_sum);
            c2_0_sum = fma(vec4<f32>(w0.z), x0, c2_0_sum);
            c3_0_sum = fma(vec4<f32>(w0.w), x0, c3_0_sum);
        }
        {
            let w0 = tile_w[half][11][top + 0u];
            let x0 = tile_x[half][11][left + 0u];
            c0_0_sum = fma(vec4<f32>(w0.x), x0, c0_0_sum);
            c1_0_sum = fma(vec4<f32>(w0.y), x0, c1_0_sum);
            c2_0_sum = fma(vec4<f32>(w0.z), x0, c2_0_sum);
            c3_0_sum = fma(vec4<f32>(w0.w), x0, c3_0_sum);
        }
        {
            let w0 = tile_w[half][12][top + 0u];
            let x0 = tile_x[half][12][left + 0u];
            c0_0_sum = fma(vec4<f32>(w0.x), x0, c0_0_sum);
            c1_0_sum = fma(vec4<f32>(w0.y), x0, c1_0_sum);
            c2_0_sum = fma(vec4<f32>(w0.z), x0, c2_0_sum);
            c3_0_sum = fma(vec4<f32>(w0.w), x0, c3_0_sum);
        }
        {
            let w0 = tile_w[half][13][top + 0u];
            let x0 = tile_x[half][13][left + 0u];
            c0_0_sum = fma(vec4<f32>(w0.x), x0, c0_0_sum);
            c1_0_sum = fma(vec4<f32>(w0.y), x0, c1_0_sum);
            c2_0_sum = fma(vec4<f32>(w0.z), x0, c2_0_sum);
            c3_0_sum = fma(vec4<f32>(w0.w), x0, c3_0_sum);
        }
        {
            let w0 = tile_w[half][14][top + 0u];
            let x0 = tile_x[half][14][left + 0u];
            c0_0_sum = fma(vec4<f32>(w0.x), x0, c0_0_sum);
            c1_0_sum = fma(vec4<f32>(w0.y), x0, c1_0_sum);
            c2_0_sum = fma(vec4<f32>(w0.z), x0, c2_0_sum);
            c3_0_sum = fma(vec4<f32>(w0.w), x0, c3_0_sum);
        }
        {
            let w0 = tile_w[half][15][top + 0u];
            let x0 = tile_x[half][15][left + 0u];
            c0_0_sum = fma(vec4<f32>(w0.x), x0, c0_0_sum);
            c1_0_sum = fma(vec4<f32>(w0.y), x0, c1_0_sum);
            c2_0_sum = fma(vec4<f32>(w0.z), x0, c2_0_sum);
            c3_0_sum = fma(vec4<f32>(w0.w), x0, c3_0_sum);
        }
        if (tap >= taps) {
            break;
        }
        half = 1u - half;
    }
    put(group, first_row + 0u + top * 4u, first_column + 0u + left * 4u, c0_0_sum);
    put(group, first_row + 1u + top * 4u, first_column + 0u + left * 4u, c1_0_sum);
    put(group, first_row + 2u + top * 4u, first_column + 0u + left * 4u, c2_0_sum);
    put(group, first_row + 3u + top * 4u, first_column + 0u + left * 4u, c3_0_sum);
}

@compute @workgroup_size(128, 1, 1)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(local_invocation_id) lid: vec3<u32>,
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) nwg: vec3<u32>,
) {
    let thread = (wid.x + wid.y * nwg.x) * 128u + lid.x + params.first_thread;
    let row_tiles = (params.outputs + 63u) / 64u;
    let group = wid.y / row_tiles;
    let first_row = wid.y % row_tiles * 64u;
    let first_column = (params.first + wid.x) * 32u;
    run(group, first_row, first_column, lid.x);
}
