"""What makes a difference to a kernel's fingerprint, and what does not."""

import re

import pytest

from shaders.fingerprint import family
from shaders.reflect import reflect

KERNEL = """
struct Params { count: u32, scale: f32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> b: array<f32>;
@group(0) @binding(2) var<uniform> params: Params;
const LIMIT = 8u;
fn twice(value: f32) -> f32 { return value * 2.0; }
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  for (var turn = 0u; turn < LIMIT; turn++) {
    let here = id.x + turn;
    if (here < params.count) { b[here] = twice(a[here]) * params.scale; }
  }
}
"""


def of(source: str) -> str:
    """The fingerprint of a kernel."""
    return reflect(source).fingerprint


@pytest.mark.parametrize(
    "own",
    ["Params", "count", "scale", "a", "b", "params", "LIMIT", "twice", "value", "turn", "here", "id", "main"],
)
def test_the_choice_of_a_name_makes_no_difference(own: str) -> None:
    other = re.sub(rf"\b{own}\b", "other_name", KERNEL)
    assert other != KERNEL
    assert of(other) == of(KERNEL)


@pytest.mark.parametrize(
    "disguised",
    [
        "// mine\n" + KERNEL,
        KERNEL.replace(" = ", " /* = */ =\n"),
        KERNEL.replace("var<storage, read>", "var < storage, read >"),
    ],
)
def test_comments_and_blanks_make_no_difference(disguised: str) -> None:
    assert of(disguised) == of(KERNEL)


@pytest.mark.parametrize(
    ("part", "other"),
    [
        ("8u", "9u"),
        ("vec3<u32>", "vec3u"),
        ("<", ">="),
        ("u32, scale", "i32, scale"),
        ("a[here]", "b[here]"),
        ("64", "32"),
    ],
)
def test_anything_else_makes_a_difference(part: str, other: str) -> None:
    changed = KERNEL.replace("turn < LIMIT", "turn >= LIMIT") if part == "<" else KERNEL.replace(part, other)
    assert changed != KERNEL
    assert of(changed) != of(KERNEL)


@pytest.mark.parametrize(("part", "other"), [("8u", "9u"), ("2.0", "0x1p3"), ("64", "32"), ("0u", "1u")])
def test_another_literal_gives_another_kernel_of_the_same_family(part: str, other: str) -> None:
    changed = of(KERNEL.replace(part, other))
    assert changed != of(KERNEL)
    assert family(changed) == family(of(KERNEL))


@pytest.mark.parametrize(
    ("part", "other"), [("vec3<u32>", "vec3u"), ("* params", "+ params"), ("u32, scale", "i32, scale")]
)
def test_anything_but_literals_and_names_gives_another_family(part: str, other: str) -> None:
    assert family(of(KERNEL.replace(part, other))) != family(of(KERNEL))


def test_names_that_change_places_make_a_difference() -> None:
    swapped = KERNEL.replace("twice(a[here])", "twice(b[here])").replace("{ b[here] =", "{ a[here] =")
    read_write = swapped.replace("var<storage, read> a", "var<storage, read_write> a")
    assert of(read_write) != of(KERNEL)
