// kernel byte_product
@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> y: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

struct Params {
    columns: u32,
    words: u32,
    offset_x: u32,
    down_x: u32,
    offset_y: u32,
    down_y: u32,
    first_thread: u32,
}

@group(0) @binding(3) var<uniform> params: Params;

fn i8_at(word: u32, place: u32) -> i32 {
  return extractBits(bitcast<i32>(word), 8u * (place & 3u), 8u);
}
fn i8_quad(word: u32) -> vec4<i32> {
  return vec4<i32>(i8_at(word, 0u), i8_at(word, 1u), i8_at(word, 2u), i8_at(word, 3u));
}
fn finish(value: f32) -> f32 {
  return value;
}

@compute @workgroup_size(64, 1, 1)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(local_invocation_id) lid: vec3<u32>,
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) nwg: vec3<u32>,
) {
    let thread = (wid.x + wid.y * nwg.x) * 64u + lid.x + params.first_thread;
    let first = thread / 1u * 8u;
    let lane = thread % 1u;
    let column0 = min(first + 0u, params.columns - 1u);
    let at_y0 = params.offset_y + column0 * params.down_y;
    let column1 = min(first + 1u, params.columns - 1u);
    let at_y1 = params.offset_y + column1 * params.down_y;
    let column2 = min(first + 2u, params.columns - 1u);
    let at_y2 = params.offset_y + column2 * params.down_y;
    let column3 = min(first + 3u, params.columns - 1u);
    let at_y3 = params.offset_y + column3 * params.down_y;
    let column4 = min(first + 4u, params.columns - 1u);
    let at_y4 = params.offset_y + column4 * params.down_y;
    let column5 = min(first + 5u, params.columns - 1u);
    let at_y5 = params.offset_y + column5 * params.down_y;
    let column6 = min(first + 6u, params.columns - 1u);
    let at_y6 = params.offset_y + column6 * params.down_y;
    let column7 = min(first + 7u, params.columns - 1u);
    let at_y7 = params.offset_y + column7 * params.down_y;
    var sum0_0 = f32();
    var sum0_1 = f32();
    var sum0_2 = f32();
    var sum0_3 = f32();
    var sum0_4 = f32();
    var sum0_5 = f32();
    var sum0_6 = f32();
    var sum0_7 = f32();
    var sum1_0 = f32();
    var sum1_1 = f32();
    var sum1_2 = f32();
    var sum1_3 = f32();
    var sum1_4 = f32();
    var sum1_5 = f32();
    var sum1_6 = f32();
    var sum1_7 = f32();
    for (var begin = lane; begin < params.words; begin += 64u) {
        let end = min(begin + 64u, params.words);
        var part0_0 = f32();
        var part0_1 = f32();
        var part0_2 = f32();
        var part0_3 = f32();
        var part0_4 = f32();
        var part0_5 = f32();
        var part0_6 = f32();
        var part0_7 = f32();
        var part1_0 = f32();
        var part1_1 = f32();
        var part1_2 = f32();
        var part1_3 = f32();
        var part1_4 = f32();
        var part1_5 = f32();
        var part1_6 = f32();
        var part1_7 = f32();
        for (var i = begin; i < end; i += 1u) {
            let quad0 = vec4<f32>(i8_quad(y[at_y0 + i]));
            let quad1 = vec4<f32>(i8_quad(y[at_y1 + i]));
            let quad2 = vec4<f32>(i8_quad(y[at_y2 + i]));
            let quad3 = vec4<f32>(i8_quad(y[at_y3 + i]));
            let quad4 = vec4<f32>(i8_quad(y[at_y4 + i]));
            let quad5 = vec4<f32>(i8_quad(y[at_y5 + i]));
            let quad6 = vec4<f32>(i8_quad(y[at_y6 + i]));
            let quad7 = vec4<f32>(i8_quad(y[at_y7 + i]));
            let x0 = x[params.offset_x + 0u * params.down_x + i];
            part0_0 += dot(x0, quad0);
            part0_1 += dot(x0, quad1);
            part0_2 += dot(x0, quad2);
            part0_3 += dot(x0, quad3);
            part0_4 += dot(x0, quad4);
            part0_5 += dot(x0, quad5);
            part0_6 += dot(x0, quad6);
            part0_7 += dot(x0, quad7);
            let x1 = x[params.offset_x + 1u * params.down_x + i];
            part1_0 += dot(x1, quad0);
            part1_1 += dot(x1, quad1);
            part1_2 += dot(x1, quad2);
            part1_3 += dot(x1, quad3);
            part1_4 += dot(x1, quad4);
            part1_5 += dot(x1, quad5);
            part1_6 += dot(x1, quad6);
            part1_7 += dot(x1, quad7);
        }
        sum0_0 += part0_0;
        sum0_1 += part0_1;
        sum0_2 += part0_2;
        sum0_3 += part0_3;
        sum0_4 += part0_4;
        sum0_5 += part0_5;
        sum0_6 += part0_6;
        sum0_7 += part0_7;
        sum1_0 += part1_0;
        sum1_1 += part1_1;
        sum1_2 += part1_2;
        sum1_3 += part1_3;
        sum1_4 += part1_4;
        sum1_5 += part1_5;
        sum1_6 += part1_6;
        sum1_7 += part1_7;
    }
    if (lane == 0u && first + 0u < params.columns) {
        out[0u * params.columns + column0] = finish(sum0_0);
    }
    if (lane == 0u && first + 1u < params.columns) {
        out[0u * params.columns + column1] = finish(sum0_1);
    }
    if (lane == 0u && first + 2u < params.columns) {
        out[0u * params.columns + column2] = finish(sum0_2);
    }
    if (lane == 0u && first + 3u < params.columns) {
        out[0u * params.columns + column3] = finish(sum0_3);
    }
    if (lane == 0u && first + 4u < params.columns) {
        out[0u * params.columns + column4] = finish(sum0_4);
    }
    if (lane == 0u && first + 5u < params.columns) {
        out[0u * params.columns + column5] = finish(sum0_5);
    }
    if (lane == 0u && first + 6u < params.columns) {
        out[0u * params.columns + column6] = finish(sum0_6);
    }
    if (lane == 0u && first + 7u < params.columns) {
        out[0u * params.columns + column7] = finish(sum0_7);
    }
    if (lane == 0u && first + 0u < params.columns) {
        out[1u * params.columns + column0] = finish(sum1_0);
    }
    if (lane == 0u && first + 1u < params.columns) {
        out[1u * params.columns + column1] = finish(sum1_1);
    }
    if (lane == 0u && first + 2u < params.columns) {
        out[1u * params.columns + column2] = finish(sum1_2);
    }
    if (lane == 0u && first + 3u < params.columns) {
        out[1u * params.columns + column3] = finish(sum1_3);
    }
    if (lane == 0u && first + 4u < params.columns) {
        out[1u * params.columns + column4] = finish(sum1_4);
    }
    if (lane == 0u && first + 5u < params.columns) {
        out[1u * params.columns + column5] = finish(sum1_5);
    }
    if (lane == 0u && first + 6u < params.columns) {
        out[1u * params.columns + column6] = finish(sum1_6);
    }
    if (lane == 0u && first + 7u < params.columns) {
        out[1u * params.columns + column7] = finish(sum1_7);
    }
}
