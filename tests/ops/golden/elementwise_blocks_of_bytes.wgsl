// kernel elementwise_blocks
@group(0) @binding(0) var<storage, read> in0: array<u32>;
@group(0) @binding(1) var<storage, read> in1: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<vec4<f32>>;

struct Params {
    count: u32,
    across: u32,
    down: u32,
    offset_in0: u32,
    step_in0: u32,
    offset_in1: u32,
    step_in1: u32,
    offset_out: u32,
    step_out: u32,
    shape: array<vec4<u32>, 1>,
    strides_in0: array<vec4<u32>, 1>,
    strides_in1: array<vec4<u32>, 1>,
    strides_out: array<vec4<u32>, 1>,
    first_thread: u32,
}

@group(0) @binding(3) var<uniform> params: Params;

fn shape_at(i: u32) -> u32 {
    return params.shape[i >> 2u][i & 3u];
}

fn strides_in0_at(i: u32) -> u32 {
    return params.strides_in0[i >> 2u][i & 3u];
}

fn strides_in1_at(i: u32) -> u32 {
    return params.strides_in1[i >> 2u][i & 3u];
}

fn strides_out_at(i: u32) -> u32 {
    return params.strides_out[i >> 2u][i & 3u];
}

fn i8_at(word: u32, place: u32) -> i32 {
  return extractBits(bitcast<i32>(word), 8u * (place & 3u), 8u);
}
fn i8_quad(word: u32) -> vec4<i32> {
  return vec4<i32>(i8_at(word, 0u), i8_at(word, 1u), i8_at(word, 2u), i8_at(word, 3u));
}
fn element(x0: i32, x1: f32) -> f32 {
  return (f32(x0) * x1);
}

@compute @workgroup_size(64, 1, 1)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(local_invocation_id) lid: vec3<u32>,
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) nwg: vec3<u32>,
) {
    let thread = (wid.x + wid.y * nwg.x) * 64u + lid.x + params.first_thread;
    if (thread >= params.count) {
        return;
    }
    let lane = thread % 64u;
    var tile = thread / 64u;
    let tiles = (params.across + 7u) / 8u;
    let across = tile % tiles * 8u + lane % 8u;
    tile /= tiles;
    let rows = (params.down + 7u) / 8u;
    let down = tile % rows * 8u + lane / 8u;
    let outer = tile / rows;
    if (across >= params.across || down >= params.down) {
        return;
    }
    var rest = outer;
    let c1 = rest % shape_at(1u);
    rest /= shape_at(1u);
    let c0 = rest;
    let at_in0 = params.offset_in0 + c0 * strides_in0_at(0u) + c1 * strides_in0_at(1u);
    let at_in1 = params.offset_in1 + c0 * strides_in1_at(0u) + c1 * strides_in1_at(1u);
    let at_out = params.offset_out + c0 * strides_out_at(0u) + c1 * strides_out_at(1u);
    let in0_0 = i8_quad(in0[at_in0 + down + (across * 4u + 0u) * params.step_in0]);
    let in0_1 = i8_quad(in0[at_in0 + down + (across * 4u + 1u) * params.step_in0]);
    let in0_2 = i8_quad(in0[at_in0 + down + (across * 4u + 2u) * params.step_in0]);
    let in0_3 = i8_quad(in0[at_in0 + down + (across * 4u + 3u) * params.step_in0]);
    let in1_0 = in1[at_in1 + (down * 4u + 0u) * params.step_in1];
    let in1_1 = in1[at_in1 + (down * 4u + 1u) * params.step_in1];
    let in1_2 = in1[at_in1 + (down * 4u + 2u) * params.step_in1];
    let in1_3 = in1[at_in1 + (down * 4u + 3u) * params.step_in1];
    out[at_out + (down * 4u + 0u) * params.step_out + across * 1u + 0u] = vec4<f32>(element(in0_0.x, in1_0), element(in0_1.x, in1_0), element(in0_2.x, in1_0), element(in0_3.x, in1_0));
    out[at_out + (down * 4u + 1u) * params.step_out + across * 1u + 0u] = vec4<f32>(element(in0_0.y, in1_1), element(in0_1.y, in1_1), element(in0_2.y, in1_1), element(in0_3.y, in1_1));
    out[at_out + (down * 4u + 2u) * params.step_out + across * 1u + 0u] = vec4<f32>(element(in0_0.z, in1_2), element(in0_1.z, in1_2), element(in0_2.z, in1_2), element(in0_3.z, in1_2));
    out[at_out + (down * 4u + 3u) * params.step_out + across * 1u + 0u] = vec4<f32>(element(in0_0.w, in1_3), element(in0_1.w, in1_3), element(in0_2.w, in1_3), element(in0_3.w, in1_3));
}
