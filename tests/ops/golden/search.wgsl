// kernel search
@group(0) @binding(0) var<storage, read> in0: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;

struct Params {
    count: u32,
    rows: u32,
    columns: u32,
    chunk: u32,
    chunks: u32,
    offset_in0: u32,
    step_in0: u32,
    shape: array<vec4<u32>, 1>,
    strides_in0: array<vec4<u32>, 1>,
    first_thread: u32,
}

@group(0) @binding(2) var<uniform> params: Params;

fn shape_at(i: u32) -> u32 {
    return params.shape[i >> 2u][i & 3u];
}

fn strides_in0_at(i: u32) -> u32 {
    return params.strides_in0[i >> 2u][i & 3u];
}

fn magnitude_bits(x: f32) -> u32 {
  return bitcast<u32>(x) & 0x7fffffffu;
}
fn is_nan(x: f32) -> bool {
  return magnitude_bits(x) > 0x7f800000u;
}
fn order_key_f32(x: f32) -> u32 {
  let bits = select(bitcast<u32>(x), 0u, magnitude_bits(x) == 0u);
  return select(bits | 0x80000000u, ~bits, (bits & 0x80000000u) != 0u);
}
fn key(x: f32) -> u32 {
  return order_key_f32(x);
}
fn key_of(x: f32) -> u32 {
  return select(key(x), 0xffffffffu, is_nan(x));
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
    let row = thread % params.rows;
    let part = thread / params.rows;
    var rest = row;
    let c1 = rest % shape_at(1u);
    rest /= shape_at(1u);
    let c0 = rest;
    let at_in0 = params.offset_in0 + c0 * strides_in0_at(0u) + c1 * strides_in0_at(1u);
    let begin = part * params.chunk;
    let end = min(begin + params.chunk, params.columns);
    var best = begin;
    var best_key = key_of(in0[at_in0 + best * params.step_in0]);
    for (var i = begin + 1u; i < end; i++) {
        let other = i;
        let other_key = key_of(in0[at_in0 + other * params.step_in0]);
        let is_better = other_key > best_key;
        best = select(best, other, is_better);
        best_key = select(best_key, other_key, is_better);
    }
    out[row * params.chunks + part] = i32(best);
}

// kernel search
@group(0) @binding(0) var<storage, read> in0: array<f32>;
@group(0) @binding(1) var<storage, read> candidates: array<i32>;
@group(0) @binding(2) var<storage, read_write> out: array<i32>;

struct Params {
    count: u32,
    rows: u32,
    columns: u32,
    chunk: u32,
    chunks: u32,
    offset_in0: u32,
    step_in0: u32,
    shape: array<vec4<u32>, 1>,
    strides_in0: array<vec4<u32>, 1>,
    first_thread: u32,
}

@group(0) @binding(3) var<uniform> params: Params;

fn shape_at(i: u32) -> u32 {
    return params.shape[i >> 2u][i & 3u];
}

fn strides_in0_at(i: u32) -> u32 {
    return params.strides_in0[i >> 2u][i & 3u];
}

fn magnitude_bits(x: f32) -> u32 {
  return bitcast<u32>(x) & 0x7fffffffu;
}
fn is_nan(x: f32) -> bool {
  return magnitude_bits(x) > 0x7f800000u;
}
fn order_key_f32(x: f32) -> u32 {
  let bits = select(bitcast<u32>(x), 0u, magnitude_bits(x) == 0u);
  return select(bits | 0x80000000u, ~bits, (bits & 0x80000000u) != 0u);
}
fn key(x: f32) -> u32 {
  return order_key_f32(x);
}
fn key_of(x: f32) -> u32 {
  return select(key(x), 0xffffffffu, is_nan(x));
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
    let row = thread % params.rows;
    let part = thread / params.rows;
    var rest = row;
    let c1 = rest % shape_at(1u);
    rest /= shape_at(1u);
    let c0 = rest;
    let at_in0 = params.offset_in0 + c0 * strides_in0_at(0u) + c1 * strides_in0_at(1u);
    let begin = part * params.chunk;
    let end = min(begin + params.chunk, params.columns);
    var best = u32(candidates[row * params.columns + begin]);
    var best_key = key_of(in0[at_in0 + best * params.step_in0]);
    for (var i = begin + 1u; i < end; i++) {
        let other = u32(candidates[row * params.columns + i]);
        let other_key = key_of(in0[at_in0 + other * params.step_in0]);
        let is_better = other_key > best_key;
        best = select(best, other, is_better);
        best_key = select(best_key, other_key, is_better);
    }
    out[row * params.chunks + part] = i32(best);
}
