// kernel elementwise
@group(0) @binding(0) var<storage, read> in0: array<u32>;
@group(0) @binding(1) var<storage, read> in1: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<vec2<u32>>;

struct Params {
    count: u32,
    first_thread: u32,
}

@group(0) @binding(3) var<uniform> params: Params;

fn i16_words(x: vec4<i32>) -> vec2<u32> {
  let halves = bitcast<vec4<u32>>(x) & vec4<u32>(0xffffu);
  return vec2<u32>(halves.x | (halves.y << 16u), halves.z | (halves.w << 16u));
}
fn u8_at(word: u32, place: u32) -> u32 {
  return (word >> (8u * (place & 3u))) & 0xffu;
}
fn u8_quad(word: u32) -> vec4<u32> {
  return vec4<u32>(u8_at(word, 0u), u8_at(word, 1u), u8_at(word, 2u), u8_at(word, 3u));
}
fn i8_at(word: u32, place: u32) -> i32 {
  return extractBits(bitcast<i32>(word), 8u * (place & 3u), 8u);
}
fn i8_quad(word: u32) -> vec4<i32> {
  return vec4<i32>(i8_at(word, 0u), i8_at(word, 1u), i8_at(word, 2u), i8_at(word, 3u));
}
fn element(x0: u32, x1: i32) -> i32 {
  return extractBits((bitcast<i32>(x0) + x1), 0u, 16u);
}

@compute @workgroup_size(128, 1, 1)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(local_invocation_id) lid: vec3<u32>,
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) nwg: vec3<u32>,
) {
    let thread = (wid.x + wid.y * nwg.x) * 128u + lid.x + params.first_thread;
    if (thread >= params.count) {
        return;
    }
    let first = thread * 1u;
    let v0_0 = u8_quad(in0[first + 0u]);
    let v1_0 = i8_quad(in1[first + 0u]);
    out[first + 0u] = i16_words(vec4<i32>(element(v0_0.x, v1_0.x), element(v0_0.y, v1_0.y), element(v0_0.z, v1_0.z), element(v0_0.w, v1_0.w)));
}
