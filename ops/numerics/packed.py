"""Dtypes of which a word holds several: reading and writing them, and the conversions that WGSL lacks.

For each dtype `d` there are `d_at` (an element of a word), `d_quad` (four elements of their words) and `d_words` (words
of four elements). f16 is IEEE 754's binary16 and bf16 the upper half of an f32, both rounded to nearest, ties to even,
by integer arithmetic, whatever the driver's own does.
"""

from __future__ import annotations

TEXT = """
fn f16_bits(x: f32) -> u32 {
  let size = magnitude_bits(x);
  let sign = (bitcast<u32>(x) >> 16u) & 0x8000u;
  let normal = min((size - 0x37fff001u + ((size >> 13u) & 1u)) >> 13u, 0x7c00u);
  let shift = 126u - clamp(size >> 23u, 95u, 112u);
  let digits = (size & 0x7fffffu) | 0x800000u;
  let small = (digits + (1u << (shift - 1u)) - 1u + ((digits >> shift) & 1u)) >> shift;
  let finite = select(small, normal, size >= 0x38800000u);
  return sign | select(finite, 0x7e00u, size > 0x7f800000u);
}

fn f16_value(bits: u32) -> f32 {
  let size = bits & 0x7fffu;
  let small = bitcast<u32>(f32(size) * 5.9604644775390625e-8f);
  let large = (size << 13u) + select(0x38000000u, 0x70000000u, size >= 0x7c00u);
  return bitcast<f32>(((bits & 0x8000u) << 16u) | select(small, large, size >= 0x400u));
}

fn to_f16(x: f32) -> f32 {
  return f16_value(f16_bits(x));
}

fn bf16_bits(x: f32) -> u32 {
  let bits = bitcast<u32>(x);
  return select((bits + 0x7fffu + ((bits >> 16u) & 1u)) >> 16u, 0x7fc0u, magnitude_bits(x) > 0x7f800000u);
}

fn bf16_value(bits: u32) -> f32 {
  return bitcast<f32>(bits << 16u);
}

fn to_bf16(x: f32) -> f32 {
  return bf16_value(bf16_bits(x));
}

fn f16_at(word: u32, place: u32) -> f32 {
  return f16_value((word >> (16u * (place & 1u))) & 0xffffu);
}

fn f16_quad(words: vec2<u32>) -> vec4<f32> {
  return vec4<f32>(f16_at(words.x, 0u), f16_at(words.x, 1u), f16_at(words.y, 0u), f16_at(words.y, 1u));
}

fn f16_words(x: vec4<f32>) -> vec2<u32> {
  return vec2<u32>(f16_bits(x.x) | (f16_bits(x.y) << 16u), f16_bits(x.z) | (f16_bits(x.w) << 16u));
}

fn bf16_at(word: u32, place: u32) -> f32 {
  return bf16_value((word >> (16u * (place & 1u))) & 0xffffu);
}

fn bf16_quad(words: vec2<u32>) -> vec4<f32> {
  return vec4<f32>(bf16_at(words.x, 0u), bf16_at(words.x, 1u), bf16_at(words.y, 0u), bf16_at(words.y, 1u));
}

fn bf16_words(x: vec4<f32>) -> vec2<u32> {
  return vec2<u32>(bf16_bits(x.x) | (bf16_bits(x.y) << 16u), bf16_bits(x.z) | (bf16_bits(x.w) << 16u));
}

fn u16_at(word: u32, place: u32) -> u32 {
  return (word >> (16u * (place & 1u))) & 0xffffu;
}

fn u16_quad(words: vec2<u32>) -> vec4<u32> {
  return vec4<u32>(u16_at(words.x, 0u), u16_at(words.x, 1u), u16_at(words.y, 0u), u16_at(words.y, 1u));
}

fn u16_words(x: vec4<u32>) -> vec2<u32> {
  let halves = x & vec4<u32>(0xffffu);
  return vec2<u32>(halves.x | (halves.y << 16u), halves.z | (halves.w << 16u));
}

fn i16_at(word: u32, place: u32) -> i32 {
  return extractBits(bitcast<i32>(word), 16u * (place & 1u), 16u);
}

fn i16_quad(words: vec2<u32>) -> vec4<i32> {
  return vec4<i32>(i16_at(words.x, 0u), i16_at(words.x, 1u), i16_at(words.y, 0u), i16_at(words.y, 1u));
}

fn i16_words(x: vec4<i32>) -> vec2<u32> {
  let halves = bitcast<vec4<u32>>(x) & vec4<u32>(0xffffu);
  return vec2<u32>(halves.x | (halves.y << 16u), halves.z | (halves.w << 16u));
}

fn u8_at(word: u32, place: u32) -> u32 {
  return (word >> (8u * (place & 3u))) & 0xffu;
}

fn u8_quad(word: u32) -> vec4<u32> {
  return vec4<u32>(u8_at(word, 0u), u8_at(word, 1u), u8_at(word, 2u), u8_at(word, 3u));
}

fn u8_words(x: vec4<u32>) -> u32 {
  let bytes = x & vec4<u32>(0xffu);
  return bytes.x | (bytes.y << 8u) | (bytes.z << 16u) | (bytes.w << 24u);
}

fn i8_at(word: u32, place: u32) -> i32 {
  return extractBits(bitcast<i32>(word), 8u * (place & 3u), 8u);
}

fn i8_quad(word: u32) -> vec4<i32> {
  return vec4<i32>(i8_at(word, 0u), i8_at(word, 1u), i8_at(word, 2u), i8_at(word, 3u));
}

fn i8_words(x: vec4<i32>) -> u32 {
  let bytes = bitcast<vec4<u32>>(x) & vec4<u32>(0xffu);
  return bytes.x | (bytes.y << 8u) | (bytes.z << 16u) | (bytes.w << 24u);
}
"""
