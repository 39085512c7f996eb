"""Sines, tangents and their inverses (`sinf`, `tanf`, `asinf`, `atanf` of Cephes).

Angles up to 8192 are reduced by pi/2 in four parts, so that each product is exact; larger ones by the bits of 2/pi
that matter (Payne and Hanek), so that `sin` of any f32 is right.
"""

from __future__ import annotations

TEXT = """
fn product_parts(x: u32, y: u32) -> vec2<u32> {
  let low = (x & 0xffffu) * (y & 0xffffu);
  let first = (x >> 16u) * (y & 0xffffu) + (low >> 16u);
  let second = (x & 0xffffu) * (y >> 16u) + (first & 0xffffu);
  return vec2<u32>(x * y, (x >> 16u) * (y >> 16u) + (first >> 16u) + (second >> 16u));
}

fn two_over_pi(word: u32) -> u32 {
  switch word {
    case 1u: { return 0xa2f9836eu; }
    case 2u: { return 0x4e441529u; }
    case 3u: { return 0xfc2757d1u; }
    case 4u: { return 0xf534ddc0u; }
    case 5u: { return 0xdb629599u; }
    case 6u: { return 0x3c439041u; }
    case 7u: { return 0xfe5163abu; }
    default: { return 0u; }
  }
}

fn two_over_pi_from(bit: u32) -> u32 {
  let high = two_over_pi(bit >> 5u) << (bit & 31u);
  return high | ((two_over_pi((bit >> 5u) + 1u) >> 1u) >> (31u - (bit & 31u)));
}

fn large_quarters(size: f32) -> vec2<f32> {
  let bits = bitcast<u32>(size);
  let m = (bits & 0x007fffffu) | 0x00800000u;
  let bit = (bits >> 23u) - 120u;
  let low = product_parts(m, two_over_pi_from(bit + 64u));
  let middle = product_parts(m, two_over_pi_from(bit + 32u));
  let next = middle.x + low.y;
  let top = m * two_over_pi_from(bit) + middle.y + select(0u, 1u, next < low.y);
  var high = (top << 2u) | (next >> 30u);
  var rest = (next << 2u) | (low.x >> 30u);
  let above = high >= 0x80000000u;
  if (above) {
    high = ~high + select(0u, 1u, rest == 0u);
    rest = ~rest + 1u;
  }
  let part = (f32(high) * 2.3283064e-10f + f32(rest) * 5.4210109e-20f) * 1.57079633f;
  return vec2<f32>(select(part, -part, above), f32(((top >> 30u) + select(0u, 1u, above)) & 3u));
}

fn quarters(x: f32) -> vec2<f32> {
  let size = abs(x);
  if (magnitude_bits(x) >= 0x46000000u) {
    return large_quarters(size);
  }
  let n = round(size * 0.636619772f);
  let coarse = max(fma(n, -1.5703125f, size), -2.0f);
  let finer = max(fma(n, -4.8351287841796875e-4f, coarse), -2.0f);
  let fine = max(fma(n, -3.1385570764541626e-7f, finer), -2.0f);
  return vec2<f32>(fma(n, -6.07709993438732e-11f, fine), f32(u32(n) & 3u));
}

fn sin_part(r: f32) -> f32 {
  let s = r * r;
  let p = fma(fma(-1.9515295891e-4f, s, 8.3321608736e-3f), s, -1.6666654611e-1f);
  return fma(p * s, r, r);
}

fn cos_part(r: f32) -> f32 {
  let s = r * r;
  let p = fma(fma(2.443315711809948e-5f, s, -1.388731625493765e-3f), s, 4.166664568298827e-2f);
  return fma(p, s * s, fma(-0.5f, s, 1.0f));
}

fn sin_f32(x: f32) -> f32 {
  let parts = quarters(x);
  let quarter = u32(parts.y);
  let size = select(sin_part(parts.x), cos_part(parts.x), (quarter & 1u) != 0u);
  let value = select(size, -size, ((quarter & 2u) != 0u) != (bitcast<u32>(x) >= 0x80000000u));
  return select(select(value, x, abs(x) < 1.0e-4f), not_a_number(), !is_finite(x));
}

fn cos_f32(x: f32) -> f32 {
  let parts = quarters(x);
  let quarter = u32(parts.y);
  let size = select(cos_part(parts.x), sin_part(parts.x), (quarter & 1u) != 0u);
  let value = select(size, -size, quarter == 1u || quarter == 2u);
  return select(value, not_a_number(), !is_finite(x));
}

fn tan_part(r: f32) -> f32 {
  let s = r * r;
  var p = fma(9.38540185543e-3f, s, 3.11992232697e-3f);
  p = fma(p, s, 2.44301354525e-2f);
  p = fma(p, s, 5.34112807005e-2f);
  p = fma(p, s, 1.33387994085e-1f);
  p = fma(p, s, 3.33331568548e-1f);
  return fma(p * s, r, r);
}

fn tan_f32(x: f32) -> f32 {
  let parts = quarters(x);
  let tangent = tan_part(parts.x);
  let size = select(tangent, -1.0f / tangent, (u32(parts.y) & 1u) != 0u);
  let value = select(size, -size, bitcast<u32>(x) >= 0x80000000u);
  return select(select(value, x, abs(x) < 1.0e-4f), not_a_number(), !is_finite(x));
}

fn sinpi_f32(x: f32) -> f32 {
  let whole = round(x);
  let part = x - whole;
  let outer = copysign_f32(cos_part((0.5f - abs(part)) * 3.14159265f), part);
  let near = select(sin_part(part * 3.14159265f), outer, abs(part) > 0.25f);
  let odd = abs(x) < 16777216.0f && (i32(clamp(whole, -16777216.0f, 16777216.0f)) & 1i) != 0i;
  return select(select(near, -near, odd), not_a_number(), !is_finite(x));
}

fn asin_part(r: f32, s: f32) -> f32 {
  var p = fma(4.2163199048e-2f, s, 2.4181311049e-2f);
  p = fma(p, s, 4.5470025998e-2f);
  p = fma(p, s, 7.4953002686e-2f);
  p = fma(p, s, 1.6666752422e-1f);
  return fma(p * s, r, r);
}

fn asin_f32(x: f32) -> f32 {
  let size = abs(x);
  let s = 0.5f * (1.0f - size);
  let root = sqrt(max(s, 0.0f));
  let large = copysign_f32(1.57079633f - 2.0f * asin_part(root, s), x);
  let value = select(large, asin_part(x, x * x), size <= 0.5f);
  return select(select(value, not_a_number(), size > 1.0f), x, is_nan(x) || size < 1.0e-4f);
}

fn acos_f32(x: f32) -> f32 {
  let s = 0.5f * (1.0f - abs(x));
  let root = sqrt(max(s, 0.0f));
  let large = 2.0f * asin_part(root, s);
  let outer = select(large, 3.14159265f - large, x < 0.0f);
  let value = select(outer, 1.57079633f - asin_part(x, x * x), abs(x) <= 0.5f);
  return select(select(value, not_a_number(), abs(x) > 1.0f), x, is_nan(x));
}

fn atan_f32(x: f32) -> f32 {
  let size = abs(x);
  let far = size > 2.41421356f;
  let middle = size > 0.414213562f && !far;
  let r = select(select(size, (size - 1.0f) / (size + 1.0f), middle), -1.0f / size, far);
  let base = select(select(0.0f, 0.785398163f, middle), 1.57079633f, far);
  let s = r * r;
  var p = fma(8.05374449538e-2f, s, -1.38776856032e-1f);
  p = fma(p, s, 1.99777106478e-1f);
  p = fma(p, s, -3.33329491539e-1f);
  let value = copysign_f32(base + fma(p * s, r, r), x);
  return select(value, x, is_nan(x) || size < 1.0e-4f);
}

fn raised(x: f32) -> f32 {
  let bits = magnitude_bits(x);
  return select(abs(x) * 16777216.0f, f32(bits) * 2.3509887e-38f, bits < 0x00800000u);
}

fn atan2_f32(y: f32, x: f32) -> f32 {
  let both_large = is_inf(x) && is_inf(y);
  let both_small = max(magnitude_bits(x), magnitude_bits(y)) < 0x0d800000u;
  let rise = select(select(abs(y), raised(y), both_small), 1.0f, both_large);
  let run = select(select(abs(x), raised(x), both_small), 1.0f, both_large);
  let slope = div_f32(rise, run);
  let angle = select(atan_f32(slope), 0.0f, magnitude_bits(y) == 0u);
  let turned = select(angle, 3.14159265f - angle, bitcast<u32>(x) >= 0x80000000u);
  return select(copysign_f32(turned, y), not_a_number(), unordered(x, y));
}
"""
