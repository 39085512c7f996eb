// kernel elementwise
@group(0) @binding(0) var<storage, read> in0: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read_write> out: array<vec2<u32>>;

struct Params {
    count: u32,
    first_thread: u32,
}

@group(0) @binding(2) var<uniform> params: Params;

var<private> infinity_bits: u32 = 0x7f800000u;
fn infinity() -> f32 {
  return bitcast<f32>(infinity_bits);
}
fn magnitude_bits(x: f32) -> u32 {
  return bitcast<u32>(x) & 0x7fffffffu;
}
fn is_nan(x: f32) -> bool {
  return magnitude_bits(x) > 0x7f800000u;
}
fn scaled(p: f32, n: f32) -> f32 {
  let half = i32(n) >> 1u;
  let low = bitcast<f32>(u32(half + 127i) << 23u);
  let high = bitcast<f32>(u32(i32(n) - half + 127i) << 23u);
  return p * low * high;
}
fn exp_tail(r: f32) -> f32 {
  var p = fma(1.3814539416e-3f, r, 8.3687454462e-3f);
  p = fma(p, r, 4.1668388993e-2f);
  p = fma(p, r, 1.6666521132e-1f);
  return fma(p, r, 4.9999994040e-1f) * r * r;
}
fn exp_f32(x: f32) -> f32 {
  let bounded = clamp(x, -88.0f, 89.0f);
  let n = round(bounded * 1.44269504f);
  let coarse = max(fma(n, -0.693359375f, bounded), -1.0f);
  let r = fma(n, 2.12194440e-4f, coarse);
  let finite = select(scaled(exp_tail(r) + r + 1.0f, n), 0.0f, x < -87.33654f);
  return select(select(finite, infinity(), x > 88.722839f), x, is_nan(x));
}
fn erf_f32(x: f32) -> f32 {
  let t = abs(x);
  let s = x * x;
  var p = fma(-5.96761703e-4f, s, 4.99119423e-3f);
  p = fma(p, s, -2.67681349e-2f);
  p = fma(p, s, 1.12819925e-1f);
  p = fma(p, s, -3.76125336e-1f);
  p = fma(p, s, 1.28379166e-1f);
  let small = fma(p, x, x);
  let c = min(t, 4.0f);
  let d = c * c;
  var q = fma(fma(-1.72853470e-5f, c, 3.83197126e-4f), d, fma(-3.88396438e-3f, c, 2.42546219e-2f));
  q = fma(q, c, -1.06777877e-1f);
  q = fma(q, c, -6.34846687e-1f);
  q = fma(q, c, -1.28717512e-1f);
  let large = 1.0f - exp_f32(fma(q, c, -c));
  let value = select(select(large, -large, x < 0.0f), small, t <= 0.927734375f);
  return select(value, x, is_nan(x));
}
fn erfc_f32(x: f32) -> f32 {
  let size = abs(x);
  let high = bitcast<f32>(magnitude_bits(x) & 0xfffff000u);
  let z = exp_f32(-high * high) * exp_f32((high - size) * (high + size));
  let q = 1.0f / size;
  let y = q * q;
  var near = fma(2.326819970068386e-2f, y, -1.387039388740657e-1f);
  near = fma(near, y, 3.687424674597105e-1f);
  near = fma(near, y, -5.824733027278666e-1f);
  near = fma(near, y, 6.210004621745983e-1f);
  near = fma(near, y, -4.944515323274145e-1f);
  near = fma(near, y, 3.404879937665872e-1f);
  near = fma(near, y, -2.741127028184656e-1f);
  near = fma(near, y, 5.638259427386472e-1f);
  var far = fma(-1.047766399936249e+1f, y, 1.297719955372516e+1f);
  far = fma(far, y, -7.495518717768503f);
  far = fma(far, y, 2.921019019210786f);
  far = fma(far, y, -1.015265279202700f);
  far = fma(far, y, 4.218463358204948e-1f);
  far = fma(far, y, -2.820767439740514e-1f);
  far = fma(far, y, 5.641895067754075e-1f);
  let tail = select(z * q * select(far, near, size < 2.0f), 0.0f, size > 10.0f);
  let value = select(select(tail, 2.0f - tail, x < 0.0f), 1.0f - erf_f32(x), size < 1.0f);
  return select(value, x, is_nan(x));
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
fn f16_quad(words: vec2<u32>) -> vec4<f32> {
  return vec4<f32>(f16_at(words.x, 0u), f16_at(words.x, 1u), f16_at(words.y, 0u), f16_at(words.y, 1u));
}
fn f16_words(x: vec4<f32>) -> vec2<u32> {
  return vec2<u32>(f16_bits(x.x) | (f16_bits(x.y) << 16u), f16_bits(x.z) | (f16_bits(x.w) << 16u));
}
fn element(x0: f32) -> f32 {
  let t0 = x0;
  return to_f16(((0.5f * t0) * erfc_f32((t0 * (-0.7071067811865476f)))));
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
    let first = thread * 1u;
    let v0_0 = f16_quad(in0[first + 0u]);
    out[first + 0u] = f16_words(vec4<f32>(element(v0_0.x), element(v0_0.y), element(v0_0.z), element(v0_0.w)));
}
