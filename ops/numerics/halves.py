"""f16 by integer arithmetic: IEEE 754's binary16, rounded to nearest, ties to even, whatever the driver's own does."""

from __future__ import annotations

TEXT = """
fn half_bits(x: f32) -> u32 {
  let size = magnitude_bits(x);
  let sign = (bitcast<u32>(x) >> 16u) & 0x8000u;
  let normal = min((size - 0x37fff001u + ((size >> 13u) & 1u)) >> 13u, 0x7c00u);
  let shift = 126u - clamp(size >> 23u, 95u, 112u);
  let digits = (size & 0x7fffffu) | 0x800000u;
  let small = (digits + (1u << (shift - 1u)) - 1u + ((digits >> shift) & 1u)) >> shift;
  let finite = select(small, normal, size >= 0x38800000u);
  return sign | select(finite, 0x7e00u, size > 0x7f800000u);
}

fn half_value(bits: u32) -> f32 {
  let size = bits & 0x7fffu;
  let small = bitcast<u32>(f32(size) * 5.9604644775390625e-8f);
  let large = (size << 13u) + select(0x38000000u, 0x70000000u, size >= 0x7c00u);
  return bitcast<f32>(((bits & 0x8000u) << 16u) | select(small, large, size >= 0x400u));
}

fn to_half(x: f32) -> f32 {
  return half_value(half_bits(x));
}

fn half_at(word: u32, place: u32) -> f32 {
  return half_value((word >> (16u * (place & 1u))) & 0xffffu);
}

fn halves_of(words: vec2<u32>) -> vec4<f32> {
  return vec4<f32>(half_at(words.x, 0u), half_at(words.x, 1u), half_at(words.y, 0u), half_at(words.y, 1u));
}

fn word_of(x: f32, y: f32) -> u32 {
  return half_bits(x) | (half_bits(y) << 16u);
}

fn words_of(x: vec4<f32>) -> vec2<u32> {
  return vec2<u32>(word_of(x.x, x.y), word_of(x.z, x.w));
}
"""
