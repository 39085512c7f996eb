"""Powers, exponentials and logarithms.

`exp`, `exp2`, `log` and its kin follow Cephes (`expf`, `exp2f`, `logf`, `log10f`), within 4 units in the last place.
The polynomial of `exp` is a term shorter: its largest error from -ln 2 / 2 to ln 2 / 2, made as small as its degree
allows by weighted least squares, is 3e-9 of the power.
"""

from __future__ import annotations

TEXT = """
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

fn exp2_f32(x: f32) -> f32 {
  let bounded = clamp(x, -127.0f, 128.0f);
  let n = round(bounded);
  let r = bounded - n;
  var p = fma(1.535336188319500e-4f, r, 1.339887440266574e-3f);
  p = fma(p, r, 9.618437357674640e-3f);
  p = fma(p, r, 5.550332471162809e-2f);
  p = fma(p, r, 2.402264791363012e-1f);
  p = fma(p, r, 6.931472028550421e-1f);
  let finite = select(scaled(fma(p, r, 1.0f), n), 0.0f, x < -126.0f);
  return select(select(finite, infinity(), x >= 128.0f), x, is_nan(x));
}

fn expm1_f32(x: f32) -> f32 {
  let small = select(exp_tail(x) + x, x, abs(x) < 1.0e-7f);
  return select(exp_f32(x) - 1.0f, small, abs(x) < 0.34f);
}

fn log_parts(x: f32) -> vec2<f32> {
  let bits = bitcast<u32>(x);
  let subnormal = bits < 0x00800000u;
  let normal = select(bits, bitcast<u32>(f32(bits)), subnormal);
  let shift = (normal - 0x3f3504f3u) & 0xff800000u;
  let e = f32((bitcast<i32>(shift) >> 23u) - select(0i, 149i, subnormal));
  return vec2<f32>(e, bitcast<f32>(normal - shift) - 1.0f);
}

fn log_cubic(m: f32) -> f32 {
  var p = fma(7.0376836292e-2f, m, -1.1514610310e-1f);
  p = fma(p, m, 1.1676998740e-1f);
  p = fma(p, m, -1.2420140846e-1f);
  p = fma(p, m, 1.4249322787e-1f);
  p = fma(p, m, -1.6668057665e-1f);
  p = fma(p, m, 2.0000714765e-1f);
  p = fma(p, m, -2.4999993993e-1f);
  p = fma(p, m, 3.3333331174e-1f);
  return p * m * (m * m);
}

fn log_at_edges(x: f32, finite: f32) -> f32 {
  let bits = bitcast<u32>(x);
  let positive = select(finite, x, bits >= 0x7f800000u);
  let signed = select(positive, not_a_number(), (bits & 0x80000000u) != 0u);
  return select(select(signed, -infinity(), magnitude_bits(x) == 0u), x, is_nan(x));
}

fn log_f32(x: f32) -> f32 {
  let parts = log_parts(x);
  let m = parts.y;
  let p = fma(parts.x, -2.12194440e-4f, log_cubic(m));
  let finite = fma(parts.x, 0.693359375f, m + fma(-0.5f, m * m, p));
  return log_at_edges(x, finite);
}

fn log2_f32(x: f32) -> f32 {
  let parts = log_parts(x);
  let m = parts.y;
  let tail = fma(-0.5f, m * m, log_cubic(m));
  let finite = fma(tail, 0.44269504f, fma(m, 0.44269504f, tail)) + m + parts.x;
  return log_at_edges(x, finite);
}

fn log10_f32(x: f32) -> f32 {
  let parts = log_parts(x);
  let m = parts.y;
  let tail = fma(-0.5f, m * m, log_cubic(m));
  let low = fma(tail + m, 7.00731903251827651129e-4f, tail * 4.3359375e-1f);
  let finite = fma(parts.x, 3.0078125e-1f, fma(m, 4.3359375e-1f, fma(parts.x, 2.48745663981195213739e-4f, low)));
  return log_at_edges(x, finite);
}

fn log1p_f32(x: f32) -> f32 {
  let tail = max(fma(-0.5f, x * x, log_cubic(x)), -1.0f);
  let small = select(x + tail, x, abs(x) < 1.0e-7f);
  return select(log_f32(1.0f + x), small, x > -0.29f && x < 0.41f);
}

fn pow_f32(x: f32, y: f32) -> f32 {
  if (magnitude_bits(y) == 0u || x == 1.0f) {
    return 1.0f;
  }
  if (unordered(x, y)) {
    return not_a_number();
  }
  let size = abs(y);
  let whole = floor(size) == size;
  if (whole && size <= 1024.0f) {
    var result = 1.0f;
    var square = x;
    for (var left = u32(size); left != 0u; left >>= 1u) {
      if ((left & 1u) != 0u) {
        result *= square;
      }
      square *= square;
    }
    return select(result, 1.0f / result, y < 0.0f);
  }
  let power = select(exp_f32(y * log_f32(abs(x))), 1.0f, abs(x) == 1.0f);
  let negative = (bitcast<u32>(x) & 0x80000000u) != 0u;
  let odd = whole && size < 16777216.0f && (u32(min(size, 16777216.0f)) & 1u) != 0u;
  let finite = magnitude_bits(x) != 0u && magnitude_bits(x) != 0x7f800000u;
  return select(select(power, -power, negative && odd), not_a_number(), negative && finite && !whole);
}

fn hypot_f32(x: f32, y: f32) -> f32 {
  let large = max(abs(x), abs(y));
  let small = min(abs(x), abs(y));
  let ratio = div_f32(small, large);
  let size = select(large * sqrt(fma(ratio, ratio, 1.0f)), large, magnitude_bits(small) == 0u);
  let value = select(size, not_a_number(), unordered(x, y));
  return select(value, infinity(), is_inf(x) || is_inf(y));
}
"""
