"""Quotients and remainders of every sign, as C and as Python have them.

A quotient of integers by 0 is 0, and the remainder what was divided, so that no adapter decides. Remainders of floats
are exact: the quotient is made eight bits at a time. WGSL lets a quotient err by 2.5 units in the last place, so
whether it is a whole number is for the remainder to say.
"""

from __future__ import annotations

TEXT = """
fn div_u32(x: u32, y: u32) -> u32 {
  return select(x / max(y, 1u), 0u, y == 0u);
}

fn mod_u32(x: u32, y: u32) -> u32 {
  return select(x % max(y, 1u), x, y == 0u);
}

fn size_of_i32(x: i32) -> u32 {
  return bitcast<u32>(select(x, -x, x < 0i));
}

fn div_i32(x: i32, y: i32) -> i32 {
  let size = bitcast<i32>(div_u32(size_of_i32(x), size_of_i32(y)));
  return select(size, -size, (x < 0i) != (y < 0i));
}

fn fmod_i32(x: i32, y: i32) -> i32 {
  let size = bitcast<i32>(mod_u32(size_of_i32(x), size_of_i32(y)));
  return select(size, -size, x < 0i);
}

fn remainder_i32(x: i32, y: i32) -> i32 {
  let rest = fmod_i32(x, y);
  return select(rest, rest + y, rest != 0i && (rest < 0i) != (y < 0i));
}

fn floor_div_i32(x: i32, y: i32) -> i32 {
  let lower = y != 0i && fmod_i32(x, y) != 0i && (x < 0i) != (y < 0i);
  return div_i32(x, y) - select(0i, 1i, lower);
}

fn fmod_f32(x: f32, y: f32) -> f32 {
  let a = magnitude_bits(x);
  let b = magnitude_bits(y);
  if (a >= 0x7f800000u || b > 0x7f800000u || b == 0u) {
    return not_a_number();
  }
  if (a < b) {
    return x;
  }
  let shift = select(0u, 0x00800000u, a >= 0x00800000u);
  let low = select(0u, 0x00800000u, b >= 0x00800000u);
  let from_place = max(a >> 23u, 1u);
  let to_place = max(b >> 23u, 1u);
  let divisor = (b & 0x007fffffu) | low;
  var rest = ((a & 0x007fffffu) | shift) % divisor;
  var left = from_place - to_place;
  for (var turn = 0u; turn < 32u && left != 0u; turn++) {
    let step = min(left, 8u);
    rest = (rest << step) % divisor;
    left -= step;
  }
  let lead = select(0u, firstLeadingBit(rest), rest != 0u);
  let up = min(23u - min(lead, 23u), to_place - 1u);
  let bits = rest << up;
  let exponent = select(0u, (to_place - up) << 23u, bits >= 0x00800000u);
  return bitcast<f32>((bits & 0x007fffffu) | exponent | (bitcast<u32>(x) & 0x80000000u));
}

fn remainder_f32(x: f32, y: f32) -> f32 {
  let rest = fmod_f32(x, y);
  let other = (bitcast<u32>(rest) >> 31u) != (bitcast<u32>(y) >> 31u);
  return select(rest, rest + y, magnitude_bits(rest) != 0u && other && !is_nan(rest));
}

fn floor_div_f32(x: f32, y: f32) -> f32 {
  let rest = fmod_f32(x, y);
  let other = magnitude_bits(rest) != 0u && (bitcast<u32>(rest) >> 31u) != (bitcast<u32>(y) >> 31u);
  let quotient = div_f32(x - rest, y) - select(0.0f, 1.0f, other);
  let whole = floor_f32(quotient);
  let nearest = select(whole, whole + 1.0f, quotient - whole > 0.5f);
  let value = select(nearest, copysign_f32(0.0f, x / y), quotient == 0.0f);
  return select(select(value, not_a_number(), is_nan(rest)), x / y, magnitude_bits(y) == 0u);
}

fn trunc_div_f32(x: f32, y: f32) -> f32 {
  let quotient = div_f32(x, y);
  let whole = abs(quotient) < 4194304.0f && magnitude_bits(fmod_f32(x, y)) == 0u;
  return select(trunc_f32(quotient), round_f32(quotient), whole);
}
"""
