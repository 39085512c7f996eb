"""Rendered kernels, compared whole with the files of `golden/` (written anew with UPDATE_GOLDEN=1)."""

import os
from pathlib import Path

import pytest
from jinja2 import TemplateNotFound, UndefinedError
from msgspec.structs import replace

from shaders.digests import DIGESTS, digest_spec
from shaders.generator import WgslGenerator, literal
from shaders.reflect import reflect
from shaders.spec import Binding, KernelSpec, Param, Table

GOLDEN = Path(__file__).parent / "golden"
PLAIN = KernelSpec(
    "double",
    (Binding("x", "f32"),),
    (Binding("y", "f32", "read_write"),),
    "if thread < arrayLength(&y) {\n    y[thread] = 2.0 * x[thread];\n}",
)
WEIGHTS = (0.5, -1.25, 3.0e38, 1.0e-45, -0.0)
SPECS = {
    "plain": PLAIN,
    "params": replace(
        PLAIN,
        params=(
            Param("count"),
            Param("scale", "f32", 1.5),
            Param("shape", "u32", length=6),
            Param("shift", "i32", 0),
        ),
        body="""
            if thread < params.count {
                y[thread] = params.scale * x[thread % shape_at(5u)] + f32(params.shift);
            }
        """,
        workgroup_size=(8, 8, 1),
    ),
    "table_array": replace(
        PLAIN,
        tables=(Table("weight", "f32", WEIGHTS, "array"), Table("offset", "i32", (-(1 << 31), 7), "array")),
        body="y[thread] = weight(thread) + f32(offset(thread));",
    ),
    "table_switch": replace(
        PLAIN,
        tables=(Table("weight", "f32", WEIGHTS), Table("mask", "u32", (0, 0xFFFFFFFF))),
        body="y[thread] = weight(thread) + f32(mask(thread));",
    ),
    "functions": replace(
        PLAIN,
        enables=("f16",),
        functions="fn half(v: f32) -> f32 {\n    return f32(f16(v) * 0.5h);\n}\n",
        body="y[thread] = half(x[thread]);",
    ),
    "sha256": digest_spec(DIGESTS["sha256"]),
    "sha256_short": digest_spec(DIGESTS["sha256"], 55),
}


@pytest.mark.parametrize("name", SPECS)
def test_a_spec_renders_to_its_golden_text(name):
    text = WgslGenerator().render(SPECS[name])
    path = GOLDEN / f"{name}.wgsl"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text)
    assert text == path.read_text()


def test_every_golden_file_has_its_spec():
    assert {path.stem for path in GOLDEN.iterdir()} == set(SPECS)


@pytest.mark.parametrize("name", SPECS)
def test_our_own_kernels_pass_the_rules_for_strangers(name):
    spec = SPECS[name]
    reflection = reflect(WgslGenerator().render(spec))
    named = [(info.name, info.kind, info.access) for info in reflection.bindings]
    expected = [(binding.name, "storage", binding.access) for binding in spec.bindings]
    assert named == expected + [("params", "uniform", "read")] * bool(spec.params)
    assert [(each.name, each.workgroup_size) for each in reflection.entry_points] == [
        ("main", spec.workgroup_size)
    ]


def test_rendering_twice_gives_the_same_text():
    assert WgslGenerator().render(SPECS["params"]) == WgslGenerator().render(replace(SPECS["params"]))


def test_a_partial_that_does_not_exist_is_an_error():
    with pytest.raises(TemplateNotFound):
        WgslGenerator().render(replace(PLAIN, partials=("nowhere",)))


def test_a_table_of_an_unknown_form_is_an_error():
    with pytest.raises((TemplateNotFound, UndefinedError)):
        WgslGenerator().render(replace(PLAIN, tables=(Table("t", "u32", (1,), "list"),)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "type", "text"),
    [
        (7, "u32", "7u"),
        (7.0, "u32", "7u"),
        (4294967295, "u32", "4294967295u"),
        (-5, "i32", "-5i"),
        (-(1 << 31), "i32", "i32(-2147483648)"),
        (0.1, "f32", "0.10000000149011612f"),
        (3, "f32", "3.0f"),
        (-0.0, "f32", "-0.0f"),
    ],
)
def test_a_number_is_written_so_that_it_reads_back(value, type, text):
    assert literal(value, type) == text


@pytest.mark.parametrize(
    ("value", "type"),
    [
        (-1, "u32"),
        (1 << 32, "u32"),
        (1 << 31, "i32"),
        (0.5, "i32"),
        (1e39, "f32"),
        (float("inf"), "f32"),
        (float("nan"), "f32"),
    ],
)
def test_a_number_that_the_type_cannot_hold_is_refused(value, type):
    with pytest.raises(ValueError, match="is not a constant of type"):
        literal(value, type)
