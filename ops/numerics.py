"""WGSL helper functions whose results do not depend on the adapter's taste.

Owns their text. Drivers differ in how they treat NaN (`v != v` is false on llvmpipe), infinities, and the last
digits of `exp`, `log` and `tanh`; these functions test NaN by its bits and use polynomials of their own
(Cephes; N. Juffa for `erf`), within 4 units in the last place. A `max` that changes nothing, as in `exp_f32`, keeps
optimisers from adding up constants that must be applied one after the other. Subnormal numbers may be flushed to
zero, as WGSL allows. Must not know expressions or ops.
"""

from __future__ import annotations

import re

_TEXTS = (
    """
var<private> infinity_bits: u32 = 0x7f800000u;
fn infinity() -> f32 {
  return bitcast<f32>(infinity_bits);
}
""",
    """
var<private> nan_bits: u32 = 0x7fc00000u;
fn not_a_number() -> f32 {
  return bitcast<f32>(nan_bits);
}
""",
    """
fn magnitude_bits(x: f32) -> u32 {
  return bitcast<u32>(x) & 0x7fffffffu;
}
""",
    """
fn is_nan(x: f32) -> bool {
  return magnitude_bits(x) > 0x7f800000u;
}
""",
    """
fn unordered(x: f32, y: f32) -> bool {
  return is_nan(x) || is_nan(y);
}
""",
    *(
        f"""
fn {name}_f32(x: f32, y: f32) -> bool {{
  return x {symbol} y && !unordered(x, y);
}}
"""
        for name, symbol in (("eq", "=="), ("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">="))
    ),
    """
fn ne_f32(x: f32, y: f32) -> bool {
  return x != y || unordered(x, y);
}
""",
    *(
        f"""
fn {name}_f32(x: f32, y: f32) -> f32 {{
  return select(select({builtin}(x, y), y, is_nan(y)), x, is_nan(x));
}}
"""
        for name, builtin in (("maximum", "max"), ("minimum", "min"))
    ),
    """
fn truth_f32(x: f32) -> bool {
  return magnitude_bits(x) != 0u;
}
""",
    """
fn i32_of_f32(x: f32) -> i32 {
  let inside = i32(clamp(x, -2147483648.0f, 2147483520.0f));
  return select(select(inside, 2147483647i, x >= 2147483648.0f), 0i, is_nan(x));
}
""",
    """
fn u32_of_f32(x: f32) -> u32 {
  let inside = u32(clamp(x, 0.0f, 4294967040.0f));
  return select(select(inside, 4294967295u, x >= 4294967296.0f), 0u, is_nan(x));
}
""",
    """
fn exp_f32(x: f32) -> f32 {
  let bounded = clamp(x, -88.0f, 89.0f);
  let n = round(bounded * 1.44269504f);
  let coarse = max(fma(n, -0.693359375f, bounded), -1.0f);
  let r = fma(n, 2.12194440e-4f, coarse);
  var p = fma(1.9875691500e-4f, r, 1.3981999507e-3f);
  p = fma(p, r, 8.3334519073e-3f);
  p = fma(p, r, 4.1665795894e-2f);
  p = fma(p, r, 1.6666665459e-1f);
  p = fma(p, r, 5.0000001201e-1f);
  p = fma(p, r * r, r) + 1.0f;
  let half = i32(n) >> 1u;
  let low = bitcast<f32>(u32(half + 127i) << 23u);
  let high = bitcast<f32>(u32(i32(n) - half + 127i) << 23u);
  let finite = select(p * low * high, 0.0f, x < -87.33654f);
  return select(select(finite, infinity(), x > 88.722839f), x, is_nan(x));
}
""",
    """
fn log_f32(x: f32) -> f32 {
  let bits = bitcast<u32>(x);
  let subnormal = bits < 0x00800000u;
  let scaled = select(bits, bitcast<u32>(f32(bits)), subnormal);
  let shift = (scaled - 0x3f3504f3u) & 0xff800000u;
  let e = f32((bitcast<i32>(shift) >> 23u) - select(0i, 149i, subnormal));
  let m = bitcast<f32>(scaled - shift) - 1.0f;
  var p = fma(7.0376836292e-2f, m, -1.1514610310e-1f);
  p = fma(p, m, 1.1676998740e-1f);
  p = fma(p, m, -1.2420140846e-1f);
  p = fma(p, m, 1.4249322787e-1f);
  p = fma(p, m, -1.6668057665e-1f);
  p = fma(p, m, 2.0000714765e-1f);
  p = fma(p, m, -2.4999993993e-1f);
  p = fma(p, m, 3.3333331174e-1f);
  let square = m * m;
  p = fma(e, -2.12194440e-4f, p * m * square);
  let finite = fma(e, 0.693359375f, m + fma(-0.5f, square, p));
  let positive = select(finite, x, bits >= 0x7f800000u);
  let signed = select(positive, not_a_number(), (bits & 0x80000000u) != 0u);
  return select(select(signed, -infinity(), magnitude_bits(x) == 0u), x, is_nan(x));
}
""",
    """
fn tanh_f32(x: f32) -> f32 {
  let s = x * x;
  var p = fma(-5.70498872745e-3f, s, 2.06390887954e-2f);
  p = fma(p, s, -5.37397155531e-2f);
  p = fma(p, s, 1.33314422036e-1f);
  p = fma(p, s, -3.33332819422e-1f);
  let small = fma(p * s, x, x);
  let large = 1.0f - 2.0f / (exp_f32(2.0f * abs(x)) + 1.0f);
  return select(select(large, -large, x < 0.0f), small, abs(x) < 0.625f);
}
""",
    """
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
""",
    """
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
""",
    """
fn pow_u32(x: u32, y: u32) -> u32 {
  var result = 1u;
  var square = x;
  for (var left = y; left != 0u; left >>= 1u) {
    if ((left & 1u) != 0u) {
      result *= square;
    }
    square *= square;
  }
  return result;
}
""",
    """
fn pow_i32(x: i32, y: i32) -> i32 {
  if (y >= 0i) {
    return bitcast<i32>(pow_u32(bitcast<u32>(x), bitcast<u32>(y)));
  }
  return select(select(0i, select(1i, -1i, (y & 1i) != 0i), x == -1i), 1i, x == 1i);
}
""",
    """
fn order_key_f32(x: f32) -> u32 {
  let bits = select(bitcast<u32>(x), 0u, magnitude_bits(x) == 0u);
  return select(bits | 0x80000000u, ~bits, (bits & 0x80000000u) != 0u);
}
""",
    """
fn shl_u32(x: u32, places: u32) -> u32 {
  return select(x << (places & 31u), 0u, places > 31u);
}
""",
    """
fn shr_u32(x: u32, places: u32) -> u32 {
  return select(x >> (places & 31u), 0u, places > 31u);
}
""",
    """
fn shr_i32(x: i32, places: i32) -> i32 {
  return x >> min(bitcast<u32>(places), 31u);
}
""",
    """
fn gray_decode(x: u32) -> u32 {
  var code = x ^ (x >> 1u);
  code ^= code >> 2u;
  code ^= code >> 4u;
  code ^= code >> 8u;
  return code ^ (code >> 16u);
}
""",
    """
fn spread2(x: u32) -> u32 {
  var bits = x & 0xffffu;
  bits = (bits | (bits << 8u)) & 0x00ff00ffu;
  bits = (bits | (bits << 4u)) & 0x0f0f0f0fu;
  bits = (bits | (bits << 2u)) & 0x33333333u;
  return (bits | (bits << 1u)) & 0x55555555u;
}
""",
    """
fn spread3(x: u32) -> u32 {
  var bits = x & 0x3ffu;
  bits = (bits | (bits << 16u)) & 0x030000ffu;
  bits = (bits | (bits << 8u)) & 0x0300f00fu;
  bits = (bits | (bits << 4u)) & 0x030c30c3u;
  return (bits | (bits << 2u)) & 0x09249249u;
}
""",
    """
fn gather2(x: u32) -> u32 {
  var bits = x & 0x55555555u;
  bits = (bits | (bits >> 1u)) & 0x33333333u;
  bits = (bits | (bits >> 2u)) & 0x0f0f0f0fu;
  bits = (bits | (bits >> 4u)) & 0x00ff00ffu;
  return (bits | (bits >> 8u)) & 0xffffu;
}
""",
    """
fn gather3(x: u32) -> u32 {
  var bits = x & 0x09249249u;
  bits = (bits | (bits >> 2u)) & 0x030c30c3u;
  bits = (bits | (bits >> 4u)) & 0x0300f00fu;
  bits = (bits | (bits >> 8u)) & 0x030000ffu;
  return (bits | (bits >> 16u)) & 0x3ffu;
}
""",
)
_NAME = re.compile(r"^fn (\w+)\(", re.MULTILINE)
HELPERS = {match.group(1): text.strip() for text in _TEXTS if (match := _NAME.search(text))}
_WORD = re.compile(r"\b[a-z_]\w*(?=\()")


def helpers(text: str) -> str:
    """The helper functions that the WGSL `text` calls, and those that they call, in the order of this module."""
    needed: set[str] = set()
    waiting = [text]
    while waiting:
        for word in set(_WORD.findall(waiting.pop())) & HELPERS.keys() - needed:
            needed.add(word)
            waiting.append(HELPERS[word])
    return "\n".join(HELPERS[name] for name in HELPERS if name in needed)
