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


@pytest.mark.parametrize(
    "dummy",
    [
        "let unused = 1;",
        "_ = 3u;",
        "var unused: f32 = sin(params.scale);",
        "const one = 1; const two = one + 1; _ = two;",
        "{ let id = 1; ; }",
        "_ = a[turn]; ;",
        "let unused = twice(twice(1.0));",
        "let unused = LIMIT; _ = unused;",
    ],
)
def test_a_statement_that_does_nothing_makes_no_difference(dummy: str) -> None:
    assert of(KERNEL.replace("let here", f"{dummy} let here")) == of(KERNEL)


@pytest.mark.parametrize(
    "dummy",
    [
        "const ANOTHER = 3;",
        "override ANOTHER: u32 = LIMIT;",
        "struct Another { id: u32 }; alias Third = array<Another, LIMIT>;",
        "var<private> another: vec3<f32>;",
        "@group(0) @binding(7) var<storage, read_write> another: array<u32>;",
        "fn another() -> f32 { return third(); } fn third() -> f32 { return twice(1.0); }",
        "const_assert LIMIT > 1u; ;",
    ],
)
def test_a_declaration_that_nothing_leads_to_makes_no_difference(dummy: str) -> None:
    assert of(dummy + KERNEL) == of(KERNEL)
    assert of(KERNEL + dummy) == of(KERNEL)


@pytest.mark.parametrize(
    "statement",
    [
        "b[0] = 1.0;",
        "let more = 1u; b[more] = 1.0;",
        "var more = 1u; more++;",
        "if (false) {}",
        "return;",
        "twice(1.0);",
    ],
)
def test_a_statement_that_may_do_something_makes_a_difference(statement: str) -> None:
    assert of(KERNEL.replace("let here", f"{statement} let here")) != of(KERNEL)
