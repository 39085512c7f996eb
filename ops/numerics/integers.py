"""Powers, shifts and permutations of the bits of integers."""

from __future__ import annotations

TEXT = """
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

fn pow_i32(x: i32, y: i32) -> i32 {
  if (y >= 0i) {
    return bitcast<i32>(pow_u32(bitcast<u32>(x), bitcast<u32>(y)));
  }
  return select(select(0i, select(1i, -1i, (y & 1i) != 0i), x == -1i), 1i, x == 1i);
}

fn shl_u32(x: u32, places: u32) -> u32 {
  return select(x << (places & 31u), 0u, places > 31u);
}

fn shr_u32(x: u32, places: u32) -> u32 {
  return select(x >> (places & 31u), 0u, places > 31u);
}

fn shr_i32(x: i32, places: i32) -> i32 {
  return x >> min(bitcast<u32>(places), 31u);
}

fn gray_decode(x: u32) -> u32 {
  var code = x ^ (x >> 1u);
  code ^= code >> 2u;
  code ^= code >> 4u;
  code ^= code >> 8u;
  return code ^ (code >> 16u);
}

fn spread2(x: u32) -> u32 {
  var bits = x & 0xffffu;
  bits = (bits | (bits << 8u)) & 0x00ff00ffu;
  bits = (bits | (bits << 4u)) & 0x0f0f0f0fu;
  bits = (bits | (bits << 2u)) & 0x33333333u;
  return (bits | (bits << 1u)) & 0x55555555u;
}

fn spread3(x: u32) -> u32 {
  var bits = x & 0x3ffu;
  bits = (bits | (bits << 16u)) & 0x030000ffu;
  bits = (bits | (bits << 8u)) & 0x0300f00fu;
  bits = (bits | (bits << 4u)) & 0x030c30c3u;
  return (bits | (bits << 2u)) & 0x09249249u;
}

fn gather2(x: u32) -> u32 {
  var bits = x & 0x55555555u;
  bits = (bits | (bits >> 1u)) & 0x33333333u;
  bits = (bits | (bits >> 2u)) & 0x0f0f0f0fu;
  bits = (bits | (bits >> 4u)) & 0x00ff00ffu;
  return (bits | (bits >> 8u)) & 0xffffu;
}

fn gather3(x: u32) -> u32 {
  var bits = x & 0x09249249u;
  bits = (bits | (bits >> 2u)) & 0x030c30c3u;
  bits = (bits | (bits >> 4u)) & 0x0300f00fu;
  bits = (bits | (bits >> 8u)) & 0x030000ffu;
  return (bits | (bits >> 16u)) & 0x3ffu;
}
"""
