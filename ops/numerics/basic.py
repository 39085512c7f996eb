"""Constants, comparisons, extremes, conversions and quotients of f32, with NaN told by its bits.

WGSL promises nothing of quotients by more than 2^126, whose reciprocal is subnormal: on NVIDIA they are 0. So both
numbers are made smaller there, which rounds nothing.
"""

from __future__ import annotations

TEXT = """
var<private> infinity_bits: u32 = 0x7f800000u;
fn infinity() -> f32 {
  return bitcast<f32>(infinity_bits);
}

var<private> nan_bits: u32 = 0x7fc00000u;
fn not_a_number() -> f32 {
  return bitcast<f32>(nan_bits);
}

fn magnitude_bits(x: f32) -> u32 {
  return bitcast<u32>(x) & 0x7fffffffu;
}

fn is_nan(x: f32) -> bool {
  return magnitude_bits(x) > 0x7f800000u;
}

fn unordered(x: f32, y: f32) -> bool {
  return is_nan(x) || is_nan(y);
}

fn eq_f32(x: f32, y: f32) -> bool {
  return x == y && !unordered(x, y);
}

fn lt_f32(x: f32, y: f32) -> bool {
  return x < y && !unordered(x, y);
}

fn le_f32(x: f32, y: f32) -> bool {
  return x <= y && !unordered(x, y);
}

fn gt_f32(x: f32, y: f32) -> bool {
  return x > y && !unordered(x, y);
}

fn ge_f32(x: f32, y: f32) -> bool {
  return x >= y && !unordered(x, y);
}

fn ne_f32(x: f32, y: f32) -> bool {
  return x != y || unordered(x, y);
}

fn maximum_f32(x: f32, y: f32) -> f32 {
  return select(select(max(x, y), y, is_nan(y)), x, is_nan(x));
}

fn minimum_f32(x: f32, y: f32) -> f32 {
  return select(select(min(x, y), y, is_nan(y)), x, is_nan(x));
}

fn truth_f32(x: f32) -> bool {
  return magnitude_bits(x) != 0u;
}

fn i32_of_f32(x: f32) -> i32 {
  let inside = i32(clamp(x, -2147483648.0f, 2147483520.0f));
  return select(select(inside, 2147483647i, x >= 2147483648.0f), 0i, is_nan(x));
}

fn u32_of_f32(x: f32) -> u32 {
  let inside = u32(clamp(x, 0.0f, 4294967040.0f));
  return select(select(inside, 4294967295u, x >= 4294967296.0f), 0u, is_nan(x));
}

fn order_key_f32(x: f32) -> u32 {
  let bits = select(bitcast<u32>(x), 0u, magnitude_bits(x) == 0u);
  return select(bits | 0x80000000u, ~bits, (bits & 0x80000000u) != 0u);
}

fn is_inf(x: f32) -> bool {
  return magnitude_bits(x) == 0x7f800000u;
}

fn is_finite(x: f32) -> bool {
  return magnitude_bits(x) < 0x7f800000u;
}

fn div_f32(x: f32, y: f32) -> f32 {
  let large = magnitude_bits(y) > 0x7e800000u;
  return select(x, x * 0.25f, large) / select(y, y * 0.25f, large);
}

fn copysign_f32(x: f32, y: f32) -> f32 {
  return bitcast<f32>(magnitude_bits(x) | (bitcast<u32>(y) & 0x80000000u));
}

fn round_f32(x: f32) -> f32 {
  return select(copysign_f32(round(x), x), x, magnitude_bits(x) >= 0x4b000000u);
}

fn floor_f32(x: f32) -> f32 {
  return select(floor(x), x, magnitude_bits(x) >= 0x4b000000u || magnitude_bits(x) == 0u);
}

fn ceil_f32(x: f32) -> f32 {
  return select(copysign_f32(ceil(x), x), x, magnitude_bits(x) >= 0x4b000000u);
}

fn trunc_f32(x: f32) -> f32 {
  return select(copysign_f32(trunc(x), x), x, magnitude_bits(x) >= 0x4b000000u);
}

fn sign_f32(x: f32) -> f32 {
  return select(select(0.0f, 1.0f, gt_f32(x, 0.0f)), -1.0f, lt_f32(x, 0.0f));
}
"""
