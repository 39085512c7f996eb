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
    let column = min(thread / 1u, params.columns - 1u);
    let lane = thread % 1u;
    let at_y = params.offset_y + column * params.down_y;
    var sum0 = f32();
    var sum1 = f32();
    for (var begin = lane; begin < params.words; begin += 64u) {
        let end = min(begin + 64u, params.words);
        var part0 = vec4<f32>();
        var part1 = vec4<f32>();
        for (var i = begin; i < end; i += 1u) {
            let quad = vec4<f32>(i8_quad(y[at_y + i]));
            part0 += x[params.offset_x + 0u * params.down_x + i] * quad;
            part1 += x[params.offset_x + 1u * params.down_x + i] * quad;
        }
        sum0 += (part0.x + part0.y) + (part0.z + part0.w);
        sum1 += (part1.x + part1.y) + (part1.z + part1.w);
    }
    if (lane == 0u && thread / 1u < params.columns) {
        out[0u * params.columns + column] = finish(sum0);
    }
    if (lane == 0u && thread / 1u < params.columns) {
        out[1u * params.columns + column] = finish(sum1);
    }
}
