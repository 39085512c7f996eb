"""Uniform bytes, against `struct` and offsets worked out by hand."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaders.pack import UniformError, pack_fields, pack_params
from shaders.reflect import reflect
from shaders.reflection import BindingInfo, Field
from shaders.spec import Binding, KernelSpec, Param


def spec(*params: Param) -> KernelSpec:
    return KernelSpec("k", (), (Binding("y", "f32", "read_write"),), "", params=params)


def uniform(type_: str, before: str = "") -> BindingInfo:
    source = f"enable f16;\n{before}\n@group(0) @binding(0) var<uniform> u: {type_};"
    (info,) = reflect(source + "\n@compute @workgroup_size(1) fn main() {}").bindings
    return info


def test_parameters_lie_in_order_and_defaults_fill_in():
    form = spec(Param("n"), Param("scale", "f32", 0.5), Param("shift", "i32", -1))
    assert pack_params(form, {"n": 7}) == struct.pack("<Ifi4x", 7, 0.5, -1)
    assert pack_params(form, {"n": 7, "shift": -9, "scale": 3}) == struct.pack("<Ifi4x", 7, 3.0, -9)


def test_an_array_parameter_fills_whole_chunks_of_four():
    form = spec(Param("n"), Param("shape", "u32", length=6), Param("last", "i32", 5))
    packed = pack_params(form, {"n": 1, "shape": (1, 2, 3, 4, 5, 6)})
    assert packed == struct.pack("<I12x6I8xi12x", 1, 1, 2, 3, 4, 5, 6, 5)


def test_a_default_of_an_array_parameter_is_every_element():
    form = spec(Param("shape", "u32", 1, length=3))
    assert pack_params(form, {}) == struct.pack("<3I20x", 1, 1, 1)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "the kernel 'k' needs the parameter 'n'"),
        ({"n": 1, "m": 2}, "the kernel 'k' has no parameter 'm'"),
        ({"n": -1}, "does not fit"),
        ({"n": 1.5}, "does not fit"),
        ({"n": 1, "x": 1e39}, "does not fit"),
        ({"n": (1, 2)}, "the parameter 'n' takes 1 numbers, not 2"),
        ({"n": 1, "shape": (1, 2)}, "the parameter 'shape' takes 3 numbers, not 2"),
    ],
)
def test_a_parameter_that_does_not_fit_is_named(values, message):
    form = spec(Param("n"), Param("x", "f32", 0.0), Param("shape", "u32", 0, length=3))
    with pytest.raises(UniformError, match=message):
        pack_params(form, values)


def test_a_struct_of_scalars_and_vectors():
    info = uniform("P", "struct P { a: vec3<f32>, b: f32, c: u32, d: vec2<i32>, e: f16 }")
    packed = pack_fields(info, {"a": [1, 2.5, 3], "b": 4, "c": 5, "d": [-6, 7], "e": 0.5})
    assert packed == struct.pack("<4fI4x2ie14x", 1, 2.5, 3, 4, 5, -6, 7, 0.5)


def test_nested_structs_arrays_and_matrices():
    info = uniform(
        "P",
        """
        const n = 2;
        struct Light { @align(16) colour: vec3f, @size(20) power: f32 }
        struct P { turn: mat3x3<f32>, lights: array<Light, n>, grid: array<array<vec4<u32>, 2>, 2>, main: Light }
        """,
    )
    lights = [{"colour": [1, 2, 3], "power": 4}, {"colour": [5, 6, 7], "power": 8}]
    value = {
        "turn": [[1, 2, 3], [4, 5, 6], [7, 8, 9]],
        "lights": lights,
        "grid": [[[1, 2, 3, 4], [5, 6, 7, 8]], [[9, 10, 11, 12], [13, 14, 15, 16]]],
        "main": {"colour": [9, 9, 9], "power": -1},
    }
    expected = struct.pack("<3f4x3f4x3f4x", *range(1, 10))
    expected += struct.pack("<4f16x4f16x", *range(1, 9))
    expected += struct.pack("<16I", *range(1, 17))
    expected += struct.pack("<4f16x", 9, 9, 9, -1)
    assert pack_fields(info, value) == expected
    assert len(expected) == info.min_size


@pytest.mark.parametrize(
    ("type_", "value", "expected"),
    [
        ("vec4f", [1, 2, 3, 4], struct.pack("<4f", 1, 2, 3, 4)),
        ("u32", 7, struct.pack("<I", 7)),
        ("mat2x3<f32>", [[1, 2, 3], [4, 5, 6]], struct.pack("<3f4x3f4x", 1, 2, 3, 4, 5, 6)),
        ("array<vec4<i32>, 2>", [[1, 2, 3, 4]] * 2, struct.pack("<8i", 1, 2, 3, 4, 1, 2, 3, 4)),
        ("array<L, 2>", [{"x": [1, 2, 3, 4], "y": 5}] * 2, struct.pack("<4IH14x", 1, 2, 3, 4, 0x4500) * 2),
        ("f16", 1, b"\x00\x3c\0\0"),
    ],
)
def test_a_uniform_need_not_be_a_struct(type_, value, expected):
    assert pack_fields(uniform(type_, "struct L { x: vec4<u32>, y: f16 }"), value) == expected


def test_numbers_that_are_not_finite_are_numbers():
    packed = pack_fields(uniform("vec4f"), [float("inf"), float("-inf"), float("nan"), -0.0])
    assert packed[:8] == struct.pack("<2f", float("inf"), float("-inf"))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([], "'u' takes an object with a, b, c, not a list"),
        ({"a": 1, "b": [0, 0]}, "'u.c' is missing"),
        ({"a": 1, "b": [0, 0], "c": [{"x": 1}] * 2, "d": 1}, "'u' has no field 'd'"),
        ({"a": "1", "b": [0, 0], "c": [{"x": 1}] * 2}, "'u.a' takes u32, not a string"),
        ({"a": True, "b": [0, 0], "c": [{"x": 1}] * 2}, "'u.a' takes u32, not a boolean"),
        ({"a": 1.0, "b": [0, 0], "c": [{"x": 1}] * 2}, "'u.a' takes u32, not a float"),
        ({"a": 1 << 32, "b": [0, 0], "c": [{"x": 1}] * 2}, "'u.a' takes u32, which cannot hold 4294967296"),
        ({"a": 1 << 40_000, "b": [0, 0], "c": [{"x": 1}] * 2}, "cannot hold so large a number"),
        ({"a": 1, "b": [0], "c": [{"x": 1}] * 2}, "'u.b' takes a list of 2, not of 1"),
        ({"a": 1, "b": 3, "c": [{"x": 1}] * 2}, "'u.b' takes a list of 2, not a int"),
        ({"a": 1, "b": [0, None], "c": [{"x": 1}] * 2}, "'u.b' takes f32, not null"),
        ({"a": 1, "b": [0, 1e39], "c": [{"x": 1}] * 2}, "which cannot hold 1e\\+39"),
        ({"a": 1, "b": [0, 0], "c": [{"x": 1}, {}]}, r"'u.c\[1\].x' is missing"),
    ],
)
def test_a_value_that_does_not_fit_is_named_by_its_path(value, message):
    info = uniform("P", "struct L { @size(16) x: u32 } struct P { a: u32, b: vec2f, c: array<L, 2> }")
    with pytest.raises(UniformError, match=message):
        pack_fields(info, value)


@pytest.mark.parametrize(
    "info",
    [
        BindingInfo(0, 0, "u", "uniform", "read", "S", None, 16, 0, (Field("a", "u32", 16, 4),)),
        BindingInfo(0, 0, "u", "uniform", "read", "S", None, 16, 0, (Field("a", "u32", -4, 4),)),
        BindingInfo(0, 0, "u", "uniform", "read", "S", None, 16, 0, (Field("a", "vec4<u32>", 8, 4),)),
        BindingInfo(0, 0, "u", "uniform", "read", "vec4<u32>", None, 4, 0),
        BindingInfo(0, 0, "u", "uniform", "read", "u32", None, 1 << 40, 0),
        BindingInfo(0, 0, "u", "uniform", "read", "u32", None, 0, 0),
    ],
)
def test_a_reflection_that_does_not_add_up_is_refused(info):
    four = [1, 2, 3, 4]
    with pytest.raises(UniformError):
        pack_fields(
            info, {"a": four if info.fields and "vec4" in info.fields[0].type else 1} if info.fields else four
        )


@given(
    st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=8)
)
def test_any_value_gets_an_answer(value):
    for type_ in ("vec2f", "u32", "array<vec4<u32>, 2>"):
        try:
            assert len(pack_fields(uniform(type_), value)) in (4, 8, 32)
        except UniformError as error:
            assert "'u" in error.message  # noqa: PT017
