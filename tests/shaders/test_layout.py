"""Sizes, alignments and offsets: the tables of the WGSL specification, and structs laid out by hand."""

import pytest

from shaders.errors import KernelgateError
from shaders.reflect import reflect
from shaders.resolve import type_of

MAIN = "@compute @workgroup_size(1) fn main() {}"

# WGSL, "Alignment and Size": type, AlignOf, SizeOf
SPECIFIED = [
    ("i32", 4, 4),
    ("u32", 4, 4),
    ("f32", 4, 4),
    ("f16", 2, 2),
    ("atomic<u32>", 4, 4),
    ("vec2<f32>", 8, 8),
    ("vec2<f16>", 4, 4),
    ("vec3<f32>", 16, 12),
    ("vec3<f16>", 8, 6),
    ("vec4<f32>", 16, 16),
    ("vec4<f16>", 8, 8),
    ("mat2x2<f32>", 8, 16),
    ("mat2x2<f16>", 4, 8),
    ("mat3x2<f32>", 8, 24),
    ("mat3x2<f16>", 4, 12),
    ("mat4x2<f32>", 8, 32),
    ("mat4x2<f16>", 4, 16),
    ("mat2x3<f32>", 16, 32),
    ("mat2x3<f16>", 8, 16),
    ("mat3x3<f32>", 16, 48),
    ("mat3x3<f16>", 8, 24),
    ("mat4x3<f32>", 16, 64),
    ("mat4x3<f16>", 8, 32),
    ("mat2x4<f32>", 16, 32),
    ("mat2x4<f16>", 8, 16),
    ("mat3x4<f32>", 16, 48),
    ("mat3x4<f16>", 8, 24),
    ("mat4x4<f32>", 16, 64),
    ("mat4x4<f16>", 8, 32),
    ("array<vec3<f32>, 5>", 16, 80),
    ("array<array<vec2<f16>, 3>, 2>", 4, 24),
]


@pytest.mark.parametrize(("text", "align", "size"), SPECIFIED)
def test_a_type_has_the_alignment_and_size_of_the_specification(text, align, size):
    type_ = type_of(text, {})
    assert (type_.align, type_.size, type_.text) == (align, size, text)


@pytest.mark.parametrize(
    ("short", "long"),
    [("vec3f", "vec3<f32>"), ("vec2h", "vec2<f16>"), ("vec4i", "vec4<i32>"), ("mat3x2h", "mat3x2<f16>")],
)
def test_a_short_name_is_the_same_type(short, long):
    one, other = type_of(short, {}), type_of(long, {})
    assert (one.kind, one.align, one.size, one.scalar, one.count, one.rows) == (
        other.kind,
        other.align,
        other.size,
        other.scalar,
        other.count,
        other.rows,
    )


def offsets(members: str, before: str = "", space: str = "storage") -> tuple[list[int], int]:
    """The offsets of a struct's members and its least size."""
    source = f"{before} struct S {{ {members} }} @group(0) @binding(0) var<{space}> s: S; {MAIN}"
    (info,) = reflect(source).bindings
    return [field.offset for field in info.fields], info.min_size


@pytest.mark.parametrize(
    ("members", "expected", "size"),
    [
        ("a: f32, b: vec3<f32>, c: f32", [0, 16, 28], 32),
        ("a: vec3<f32>, b: vec3<f32>, c: vec2<f32>", [0, 16, 32], 48),
        ("a: f16, b: f32, c: f16", [0, 4, 8], 12),
        ("a: u32, b: mat3x3<f32>, c: u32", [0, 16, 64], 80),
        ("a: u32, b: array<u32, 3>, c: vec2<u32>", [0, 4, 16], 24),
        ("@size(16) a: u32, b: u32", [0, 16], 20),
        ("a: u32, @align(16) b: u32, c: u32", [0, 16, 20], 32),
        ("a: u32, @align(32) @size(64) b: vec2f, c: u32", [0, 32, 96], 128),
        ("a: vec2<u32>, b: array<vec3<f32>>", [0, 16], 32),
        ("a: Inner, b: u32, c: array<Inner, 2>", [0, 12, 16], 40),
    ],
)
def test_members_lie_where_the_rules_put_them(members, expected, size):
    before = "enable f16; struct Inner { x: u32, y: array<u32, 2> }"
    assert offsets(members, before) == (expected, size)


def test_the_example_of_the_specification():
    # WGSL, "Structure Member Layout", the first example
    before = """
        struct A { u: f32, v: f32, w: vec2<f32>, x: f32 }
    """
    members = "a: vec2<f32>, b: vec3<f32>, c: f32, d: f32, e: A, f: vec3<f32>, g: array<A, 3>, h: i32"
    assert offsets(members, before) == ([0, 16, 28, 32, 40, 64, 80, 152], 160)


@pytest.mark.parametrize(
    ("members", "fault"),
    [
        ("a: array<u32, 4>", "are 4 bytes apart"),
        ("a: array<vec2<f32>, 4>", "are 8 bytes apart"),
        ("a: u32, b: Inner", "'S.b' begins at byte 4"),
        ("@align(16) a: Inner, b: u32", "'S.b' begins within 16 bytes of the end of 'a'"),
        ("a: vec4<f32>, b: array<Inner, 2>", "are 8 bytes apart"),
    ],
)
def test_what_a_uniform_buffer_does_not_take_is_named(members, fault):
    before = "struct Inner { x: u32, y: u32 }"
    with pytest.raises(KernelgateError, match=fault):
        offsets(members, before, "uniform")
    offsets(members, before, "storage")


@pytest.mark.parametrize(
    "members",
    [
        "a: vec3<f32>, b: f32",
        "a: u32, @align(16) b: Inner, @align(16) c: u32",
        "a: array<vec4<f32>, 4>, b: mat4x4<f32>",
        "a: array<Wide, 2>, b: u32",
    ],
)
def test_what_a_uniform_buffer_takes_has_the_storage_layout(members):
    before = "struct Inner { x: u32, y: u32 } struct Wide { @size(16) x: u32 }"
    assert offsets(members, before, "uniform") == offsets(members, before, "storage")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("array<u32, 0>", "an array must have an element"),
        ("array<u32, 1, 2>", "takes a type and a number"),
        ("array<array<u32>, 2>", "an array cannot hold 'array<u32>'"),
        ("mat2x2<u32>", "a matrix cannot hold 'u32'"),
        ("mat2x2i", "a matrix cannot hold 'i32'"),
        ("vec2<vec2<f32>>", "'vec2' cannot hold"),
        ("vec5<f32>", "there is no type 'vec5'"),
        ("Unknown", "there is no type 'Unknown'"),
        ("u32 u32", "expected the end of the type"),
        ("u32<f32>", "there is no type 'u32'"),
        ("array", "there is no type 'array'"),
        ("array<u32", "this '<' is never closed"),
        ("", "expected a name, found the end of the source"),
    ],
)
def test_a_type_that_is_none_is_refused(text, message):
    with pytest.raises(KernelgateError, match=message):
        type_of(text, {})


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("array<float>", "Write f32."),
        ("uvec3", "Write vec3<u32>."),
        ("float4", "Write vec4<f32>."),
        ("vec3ff", "Did you mean vec3f"),
        ("Colour", None),
    ],
)
def test_a_type_of_another_language_is_answered_with_that_of_wgsl(text, hint):
    with pytest.raises(KernelgateError) as caught:
        type_of(text, {})
    assert hint is None if caught.value.hint is None else caught.value.hint.startswith(hint)


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ("@align(3) a: u32", "@align must be a power of two"),
        ("@align(4) a: vec4<f32>", "at least 16 here"),
        ("@size(2) a: u32", "@size must be at least 4 here"),
        ("@size a: u32", "@size takes one number"),
        ("a: array<u32>, b: u32", "only the last member"),
        ("", "the struct 'S' has no members"),
        ("a: u32 b: u32", "expected ',', found 'b'"),
    ],
)
def test_a_struct_that_cannot_lie_in_memory_is_refused(members, message):
    with pytest.raises(KernelgateError, match=message):
        offsets(members)
