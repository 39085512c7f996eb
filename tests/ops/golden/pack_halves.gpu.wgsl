// kernel elementwise_strided
@group(0) @binding(0) var<storage, read> in0: array<u32>;
@group(0) @binding(1) var<storage, read> in1: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

struct Params {
    count: u32,
    offset_in0: u32,
    offset_in1: u32,
    offset_out: u32,
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

fn magnitude_bits(x: f32) -> u32 {
  return bitcast<u32>(x) & 0x7fffffffu;
}
fn f16_bits(x: f32) -> u32 {
  let size = magnitude_bits(x);
  let sign = (bitcast<u32>(x) >> 16u) & 0x8000u;
  let normal = min((size - 0x37fff001u + ((size >> 13u) & 1u)) >> 13u, 0x7c00u);
  let shift = 126u - clamp(size >> 23u, 95u, 112u);
  let digits = (size & 0x7fffffu) | 0x800000u;
  let small = (digits + (1u << (shift - 1u)) - 1u + ((digits >> shift) & 1u)) >> shift;
  let finite = select(small, normal, size >= 0x38800000u);
  return sign | select(finite, 0x7e00u, size > 0x7f800000u);
}
fn f16_value(bits: u32) -> f32 {
  let size = bits & 0x7fffu;
  let small = bitcast<u32>(f32(size) * 5.9604644775390625e-8f);
  let large = (size << 13u) + select(0x38000000u, 0x70000000u, size >= 0x7c00u);
  return bitcast<f32>(((bits & 0x8000u) << 16u) | select(small, large, size >= 0x400u));
}
fn to_f16(x: f32) -> f32 {
  return f16_value(f16_bits(x));
}
fn f16_at(word: u32, place: u32) -> f32 {
  return f16_value((word >> (16u * (place & 1u))) & 0xffffu);
}
fn element(x0: f32, x1: f32) -> f32 {
  return to_f16((x0 * x1));
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
    var rest = thread * 1u;
    let c1 = rest % shape_at(1u);
    rest /= shape_at(1u);
    let c0 = rest;
    let at_in0 = params.offset_in0 + c0 * strides_in0_at(0u) + c1 * strides_in0_at(1u);
    let at_in1 = params.offset_in1 + c0 * strides_in1_at(0u) + c1 * strides_in1_at(1u);
    let at_out = params.offset_out + c0 * strides_out_at(0u) + c1 * strides_out_at(1u);
    out[at_out] = element(f16_at(in0[(at_in0) / 2u], at_in0), f16_at(in1[(at_in1) / 2u], at_in1));
}

// kernel pack
@group(0) @binding(0) var<storage, read> in0: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

struct Params {
    count: u32,
    offset_in: u32,
    offset_out: u32,
    first_thread: u32,
}

@group(0) @binding(2) var<uniform> params: Params;

fn magnitude_bits(x: f32) -> u32 {
  return bitcast<u32>(x) & 0x7fffffffu;
}
fn f16_bits(x: f32) -> u32 {
  let size = magnitude_bits(x);
  let sign = (bitcast<u32>(x) >> 16u) & 0x8000u;
  let normal = min((size - 0x37fff001u + ((size >> 13u) & 1u)) >> 13u, 0x7c00u);
  let shift = 126u - clamp(size >> 23u, 95u, 112u);
  let digits = (size & 0x7fffffu) | 0x800000u;
  let small = (digits + (1u << (shift - 1u)) - 1u + ((digits >> shift) & 1u)) >> shift;
  let finite = select(small, normal, size >= 0x38800000u);
  return sign | select(finite, 0x7e00u, size > 0x7f800000u);
}
fn f16_words(x: vec4<f32>) -> vec2<u32> {
  return vec2<u32>(f16_bits(x.x) | (f16_bits(x.y) << 16u), f16_bits(x.z) | (f16_bits(x.w) << 16u));
}

@compute @workgroup_size(64, 1, 1)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(local_invocation_id) lid: vec3<u32>,
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) nwg: vec3<u32>,
) {
    let thread = (wid.x + wid.y * nwg.x) * 64u + lid.x + params.first_thread;
    if (thread * 2u >= params.count) {
        return;
    }
    let at = params.offset_in + thread * 2u;
    let left = params.count - thread * 2u;
    out[params.offset_out + thread] = f16_words(vec4<f32>(in0[at], select(f32(), in0[at + min(1u, left - 1u)], left > 1u), f32(), f32())).x;
}
