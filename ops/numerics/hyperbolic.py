"""Hyperbolic functions and their inverses (`tanhf` and `sinhf` of Cephes; the others by `exp` and `log1p`).

Half a power of e is made with its exponent less 1: of products of three a driver may make the two largest first.
"""

from __future__ import annotations

TEXT = """
fn tanh_f32(x: f32) -> f32 {
  let s = x * x;
  var p = fma(-5.70498872745e-3f, s, 2.06390887954e-2f);
  p = fma(p, s, -5.37397155531e-2f);
  p = fma(p, s, 1.33314422036e-1f);
  p = fma(p, s, -3.33332819422e-1f);
  let small = select(fma(p * s, x, x), x, abs(x) < 1.0e-4f);
  let large = 1.0f - 2.0f / (exp_f32(2.0f * abs(x)) + 1.0f);
  return select(select(large, -large, x < 0.0f), small, abs(x) < 0.625f);
}

fn half_exp(x: f32) -> f32 {
  let bounded = min(x, 90.0f);
  let n = round(bounded * 1.44269504f);
  let coarse = max(fma(n, -0.693359375f, bounded), -1.0f);
  let r = fma(n, 2.12194440e-4f, coarse);
  return scaled(exp_tail(r) + r + 1.0f, n - 1.0f);
}

fn sinh_f32(x: f32) -> f32 {
  let s = x * x;
  var p = fma(2.03721912945e-4f, s, 8.33028376239e-3f);
  p = fma(p, s, 1.66667160211e-1f);
  let small = select(fma(p * s, x, x), x, abs(x) < 1.0e-4f);
  let grown = half_exp(abs(x));
  let large = copysign_f32(grown - 0.25f / grown, x);
  return select(select(large, small, abs(x) < 1.0f), x, is_nan(x));
}

fn cosh_f32(x: f32) -> f32 {
  let grown = half_exp(abs(x));
  return select(grown + 0.25f / grown, x, is_nan(x));
}

fn asinh_f32(x: f32) -> f32 {
  let size = abs(x);
  let inner = size + size * size / (1.0f + sqrt(fma(size, size, 1.0f)));
  let large = log_f32(size) + 0.69314718f;
  let value = copysign_f32(select(log1p_f32(inner), large, size > 1.0e9f), x);
  return select(value, x, is_nan(x) || size < 1.0e-4f);
}

fn acosh_f32(x: f32) -> f32 {
  let above = x - 1.0f;
  let near = log1p_f32(above + sqrt(above * (above + 2.0f)));
  let value = select(near, log_f32(x) + 0.69314718f, x > 1.0e9f);
  return select(select(value, not_a_number(), x < 1.0f), x, is_nan(x));
}

fn atanh_f32(x: f32) -> f32 {
  let size = abs(x);
  let value = copysign_f32(0.5f * log1p_f32(2.0f * size / (1.0f - size)), x);
  let inside = select(value, copysign_f32(infinity(), x), size == 1.0f);
  return select(select(inside, not_a_number(), size > 1.0f), x, is_nan(x) || size < 1.0e-4f);
}
"""
