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
var<workgroup> parts: array<f32, 64>;
fn folded(sum: f32, place: u32, lane: u32) -> f32 {
  workgroupBarrier();
  parts[place] = sum;
  for (var step = 16u; step > 0u; step >>= 1u) {
    workgroupBarrier();
    if (lane < step) {
      parts[place] += parts[place + step];
    }
  }
  return parts[place];
}

@compute @workgroup_size(64, 1, 1)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(local_invocation_id) lid: vec3<u32>,
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) nwg: vec3<u32>,
) {
    let thread = (wid.x + wid.y * nwg.x) * 64u + lid.x + params.first_thread;
    let first = thread / 32u * 1u;
    let lane = thread % 32u;
    let column0 = min(first + 0u, params.columns - 1u);
    let at_y0 = params.offset_y + column0 * params.down_y;
    var sum0_0 = f32();
    var sum1_0 = f32();
    for (var begin = lane; begin < params.words; begin += 2048u) {
        let end = min(begin + 2048u, params.words);
        var part0_0 = f32();
        var part1_0 = f32();
        for (var i = begin; i < end; i += 32u) {
            let quad0 = vec4<f32>(i8_quad(y[at_y0 + i]));
            let x0 = x[params.offset_x + 0u * params.down_x + i];
            part0_0 += dot(x0, quad0);
            let x1 = x[params.offset_x + 1u * params.down_x + i];
            part1_0 += dot(x1, quad0);
        }
        sum0_0 += part0_0;
        sum1_0 += part1_0;
    }
    let folded0_0 = folded(sum0_0, lid.x, lane);
    if (lane == 0u && first + 0u < params.columns) {
        out[0u * params.columns + column0] = finish(folded0_0);
    }
    let folded1_0 = folded(sum1_0, lid.x, lane);
    if (lane == 0u && first + 0u < params.columns) {
        out[1u * params.columns + column0] = finish(folded1_0);
    }
}
