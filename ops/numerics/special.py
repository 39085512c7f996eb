"""The error function, the gamma function's logarithm, and their kin.

`erf` is by N. Juffa, `erfc` by Cephes (`erfcf`), `erfinv` by M. Giles (2010). `lgamma` takes a polynomial (a Chebyshev
fit of its own) up to 3 and Stirling's series from there, `digamma` and its derivatives
the recurrence up to 6 and their asymptotic series.
"""

from __future__ import annotations

TEXT = """
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

fn erfinv_f32(x: f32) -> f32 {
  let w = -log_f32((1.0f - x) * (1.0f + x));
  let a = w - 2.5f;
  var near = fma(2.81022636e-8f, a, 3.43273939e-7f);
  near = fma(near, a, -3.5233877e-6f);
  near = fma(near, a, -4.39150654e-6f);
  near = fma(near, a, 2.1858087e-4f);
  near = fma(near, a, -1.25372503e-3f);
  near = fma(near, a, -4.17768164e-3f);
  near = fma(near, a, 2.46640727e-1f);
  near = fma(near, a, 1.50140941f);
  let b = sqrt(max(w, 5.0f)) - 3.0f;
  var far = fma(-2.00214257e-4f, b, 1.00950558e-4f);
  far = fma(far, b, 1.34934322e-3f);
  far = fma(far, b, -3.67342844e-3f);
  far = fma(far, b, 5.73950773e-3f);
  far = fma(far, b, -7.6224613e-3f);
  far = fma(far, b, 9.43887047e-3f);
  far = fma(far, b, 1.00167406f);
  far = fma(far, b, 2.83297682f);
  let inside = x * select(far, near, w < 5.0f);
  let value = select(inside, copysign_f32(infinity(), x), abs(x) == 1.0f);
  return select(select(value, not_a_number(), abs(x) > 1.0f), x, is_nan(x));
}

fn lgamma_near_one(t: f32) -> f32 {
  var p = fma(0.18043524f, t, -0.1838190f);
  p = fma(p, t, 0.064833596f);
  p = fma(p, t, -0.08126285f);
  p = fma(p, t, 0.13121358f);
  p = fma(p, t, -0.14823335f);
  p = fma(p, t, 0.16912173f);
  p = fma(p, t, -0.20712964f);
  p = fma(p, t, 0.27059484f);
  p = fma(p, t, -0.40069127f);
  p = fma(p, t, 0.8224669f);
  return fma(p, t, -0.57721567f) * t;
}

fn lgamma_near_two(t: f32) -> f32 {
  var p = fma(-1.8448643e-5f, t, 9.078143e-5f);
  p = fma(p, t, -2.3603e-4f);
  p = fma(p, t, 5.1976595e-4f);
  p = fma(p, t, -1.1916672e-3f);
  p = fma(p, t, 2.8881347e-3f);
  p = fma(p, t, -7.3854122e-3f);
  p = fma(p, t, 0.020581009f);
  p = fma(p, t, -0.06735232f);
  p = fma(p, t, 0.32246703f);
  return fma(p, t, 0.42278433f) * t;
}

fn lgamma_large(x: f32) -> f32 {
  let q = 1.0f / x;
  let s = q * q;
  var p = fma(-5.9523809e-4f, s, 7.9365079e-4f);
  p = fma(p, s, -2.7777778e-3f);
  p = fma(p, s, 8.3333333e-2f);
  let power = log_f32(x);
  return fma(x, power - 1.0f, fma(-0.5f, power, 0.91893853f) + p * q);
}

fn lgamma_positive(x: f32) -> f32 {
  let below = select(lgamma_near_one(x - 1.0f), lgamma_near_one(x) - log_f32(x), x < 0.5f);
  return select(select(lgamma_large(x), lgamma_near_two(x - 2.0f), x < 3.0f), below, x < 1.5f);
}

fn lgamma_f32(x: f32) -> f32 {
  let size = abs(x);
  let upper = select(lgamma_positive(size), infinity(), is_inf(x) || size > 4.0850034e36f);
  let sine = abs(sinpi_f32(size));
  let reflected = log_f32(3.14159265f / (size * sine)) - upper;
  let lower = select(select(reflected, -log_f32(size), size < 1.0e-5f), infinity(), sine == 0.0f || is_inf(x));
  return select(select(upper, lower, x <= 0.0f), x, is_nan(x));
}

fn digamma_positive(x: f32) -> f32 {
  var above = x;
  var total = 0.0f;
  for (var step = 0u; step < 6u; step++) {
    let more = above < 6.0f;
    total -= select(0.0f, 1.0f / above, more);
    above += select(0.0f, 1.0f, more);
  }
  let q = 1.0f / above;
  let s = q * q;
  let p = fma(fma(fma(-4.1666667e-3f, s, 3.9682540e-3f), s, -8.3333333e-3f), s, 8.3333333e-2f);
  return total + (log_f32(above) - 0.5f * q - p * s);
}

fn digamma_f32(x: f32) -> f32 {
  let part = x - round(x);
  let size = tan_f32(3.14159265f * part);
  let reflected = digamma_positive(1.0f - x) - 3.14159265f / size;
  let pole = select(not_a_number(), copysign_f32(infinity(), -x), magnitude_bits(x) == 0u);
  let lower = select(reflected, pole, part == 0.0f);
  return select(select(digamma_positive(x), lower, x <= 0.0f), x, is_nan(x) || x == infinity());
}

fn trigamma_positive(x: f32) -> f32 {
  var above = x;
  var total = 0.0f;
  for (var step = 0u; step < 6u; step++) {
    let more = above < 6.0f;
    total += select(0.0f, 1.0f / above / above, more);
    above += select(0.0f, 1.0f, more);
  }
  let q = 1.0f / above;
  let s = q * q;
  let p = fma(fma(fma(-3.3333333e-2f, s, 2.3809524e-2f), s, -3.3333333e-2f), s, 1.6666667e-1f);
  return total + q + s * (0.5f + p * q);
}

fn trigamma_f32(x: f32) -> f32 {
  let sine = sinpi_f32(x);
  let reflected = 9.8696044f / sine / sine - trigamma_positive(1.0f - x);
  let pole = select(not_a_number(), infinity(), x > -infinity());
  let lower = select(reflected, pole, magnitude_bits(sine) == 0u || is_inf(x));
  let value = select(trigamma_positive(x), lower, x <= 0.0f);
  return select(select(value, 0.0f, x == infinity()), x, is_nan(x));
}

fn tetragamma_positive(x: f32) -> f32 {
  var above = x;
  var total = 0.0f;
  for (var step = 0u; step < 6u; step++) {
    let more = above < 6.0f;
    total += select(0.0f, 2.0f / above / above / above, more);
    above += select(0.0f, 1.0f, more);
  }
  let q = 1.0f / above;
  let s = q * q;
  let p = fma(fma(fma(0.3f, s, -1.6666667e-1f), s, 1.6666667e-1f), s, -0.5f);
  return s * fma(p, s, -1.0f - q) - total;
}

fn tetragamma_f32(x: f32) -> f32 {
  let part = x - round(x);
  let sine = sinpi_f32(x);
  let reflected = tetragamma_positive(1.0f - x) - 62.012553f / tan_f32(3.14159265f * part) / sine / sine;
  let pole = select(not_a_number(), copysign_f32(infinity(), -x), magnitude_bits(x) == 0u);
  let lower = select(reflected, pole, part == 0.0f || is_inf(x));
  let value = select(tetragamma_positive(x), lower, x <= 0.0f);
  return select(select(value, 0.0f, x == infinity()), x, is_nan(x));
}
"""
