"""i64 as pairs of u32, the lower word first: exact, and wrapping at 64 bits, on adapters of 32 bits."""

from __future__ import annotations

TEXT = """
fn i64_of_i32(x: i32) -> vec2<u32> {
  return vec2<u32>(bitcast<u32>(x), bitcast<u32>(x >> 31u));
}

fn is_negative(x: vec2<u32>) -> bool {
  return (x.y >> 31u) != 0u;
}

fn lt_i64(x: vec2<u32>, y: vec2<u32>) -> bool {
  let a = bitcast<i32>(x.y);
  let b = bitcast<i32>(y.y);
  return a < b || (a == b && x.x < y.x);
}

fn lt_u64(x: vec2<u32>, y: vec2<u32>) -> bool {
  return x.y < y.y || (x.y == y.y && x.x < y.x);
}

fn maximum_i64(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  return select(x, y, lt_i64(x, y));
}

fn minimum_i64(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  return select(x, y, lt_i64(y, x));
}

fn add_i64(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  let low = x.x + y.x;
  return vec2<u32>(low, x.y + y.y + u32(low < x.x));
}

fn sub_i64(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  return vec2<u32>(x.x - y.x, x.y - y.y - u32(x.x < y.x));
}

fn neg_i64(x: vec2<u32>) -> vec2<u32> {
  return sub_i64(vec2<u32>(), x);
}

fn abs_i64(x: vec2<u32>) -> vec2<u32> {
  return select(x, neg_i64(x), is_negative(x));
}

fn sign_i64(x: vec2<u32>) -> vec2<u32> {
  return select(vec2<u32>(u32(any(x != vec2<u32>())), 0u), vec2<u32>(0xffffffffu), is_negative(x));
}

fn product_u64(x: u32, y: u32) -> vec2<u32> {
  let low = (x & 0xffffu) * (y & 0xffffu);
  let left = (x >> 16u) * (y & 0xffffu);
  let right = (x & 0xffffu) * (y >> 16u);
  let middle = (low >> 16u) + (left & 0xffffu) + (right & 0xffffu);
  let high = (x >> 16u) * (y >> 16u) + (left >> 16u) + (right >> 16u) + (middle >> 16u);
  return vec2<u32>((low & 0xffffu) | (middle << 16u), high);
}

fn mul_i64(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  let low = product_u64(x.x, y.x);
  return vec2<u32>(low.x, low.y + x.x * y.y + x.y * y.x);
}

fn shl_i64(x: vec2<u32>, places: vec2<u32>) -> vec2<u32> {
  if (places.y != 0u || places.x > 63u) {
    return vec2<u32>();
  }
  let bits = places.x & 31u;
  let carried = select(x.x >> (32u - max(bits, 1u)), 0u, bits == 0u);
  return select(vec2<u32>(x.x << bits, (x.y << bits) | carried), vec2<u32>(0u, x.x << bits), places.x > 31u);
}

fn shr_i64(x: vec2<u32>, places: vec2<u32>) -> vec2<u32> {
  let fill = bitcast<u32>(bitcast<i32>(x.y) >> 31u);
  if (places.y != 0u || places.x > 63u) {
    return vec2<u32>(fill);
  }
  let bits = places.x & 31u;
  let high = bitcast<u32>(bitcast<i32>(x.y) >> bits);
  let carried = select(x.y << (32u - max(bits, 1u)), 0u, bits == 0u);
  return select(vec2<u32>((x.x >> bits) | carried, high), vec2<u32>(high, fill), places.x > 31u);
}

fn divided_u64(x: vec2<u32>, y: vec2<u32>) -> vec4<u32> {
  if ((y.x | y.y) == 0u) {
    return vec4<u32>(0u, 0u, x);
  }
  if ((x.y | y.y) == 0u) {
    return vec4<u32>(x.x / y.x, 0u, x.x % y.x, 0u);
  }
  var quotient = vec2<u32>();
  var rest = vec2<u32>();
  for (var turn = 0u; turn < 64u; turn++) {
    let bit = select(x.x >> (31u - (turn & 31u)), x.y >> (31u - (turn & 31u)), turn < 32u) & 1u;
    rest = add_i64(add_i64(rest, rest), vec2<u32>(bit, 0u));
    let fits = !lt_u64(rest, y);
    rest = select(rest, sub_i64(rest, y), fits);
    quotient = add_i64(add_i64(quotient, quotient), vec2<u32>(u32(fits), 0u));
  }
  return vec4<u32>(quotient, rest);
}

fn trunc_div_i64(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  let quotient = divided_u64(abs_i64(x), abs_i64(y)).xy;
  return select(quotient, neg_i64(quotient), is_negative(x) != is_negative(y));
}

fn fmod_i64(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  let rest = divided_u64(abs_i64(x), abs_i64(y)).zw;
  return select(rest, neg_i64(rest), is_negative(x));
}

fn turns_back(rest: vec2<u32>, y: vec2<u32>) -> bool {
  return (rest.x | rest.y) != 0u && (y.x | y.y) != 0u && is_negative(rest) != is_negative(y);
}

fn remainder_i64(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  let rest = fmod_i64(x, y);
  return select(rest, add_i64(rest, y), turns_back(rest, y));
}

fn floor_div_i64(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  let less = vec2<u32>(u32(turns_back(fmod_i64(x, y), y)), 0u);
  return sub_i64(trunc_div_i64(x, y), less);
}

fn pow_i64(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  let is_odd = (y.x & 1u) != 0u;
  if (is_negative(y)) {
    let is_one = (x.x == 1u && x.y == 0u) || (x.x & x.y) == 0xffffffffu;
    return select(vec2<u32>(), select(abs_i64(x), x, is_odd), is_one);
  }
  var result = vec2<u32>(1u, 0u);
  var square = x;
  var left = y;
  for (var turn = 0u; turn < 64u; turn++) {
    if ((left.x & 1u) != 0u) {
      result = mul_i64(result, square);
    }
    square = mul_i64(square, square);
    left = vec2<u32>((left.x >> 1u) | (left.y << 31u), left.y >> 1u);
  }
  return result;
}

fn i64_of_f32(x: f32) -> vec2<u32> {
  let size = magnitude_bits(x);
  if (size >= 0x5f000000u) {
    let end = select(vec2<u32>(0xffffffffu, 0x7fffffffu), vec2<u32>(0u, 0x80000000u), x < 0.0f);
    return select(end, vec2<u32>(), size > 0x7f800000u);
  }
  let exponent = clamp(size >> 23u, 118u, 190u);
  let digits = select((size & 0x7fffffu) | 0x800000u, 0u, size < 0x3f800000u);
  let large = shl_i64(vec2<u32>(digits, 0u), vec2<u32>(max(exponent, 150u) - 150u, 0u));
  let whole = select(vec2<u32>(digits >> (150u - clamp(exponent, 127u, 150u)), 0u), large, exponent >= 150u);
  return select(whole, neg_i64(whole), x < 0.0f);
}

fn f32_of_i64(x: vec2<u32>) -> f32 {
  let size = abs_i64(x);
  let places = countLeadingZeros(size.y);
  let top = shl_i64(size, vec2<u32>(places, 0u));
  let value = f32(top.y | u32(top.x != 0u)) * bitcast<f32>((159u - places) << 23u);
  return select(value, -value, is_negative(x));
}
"""
