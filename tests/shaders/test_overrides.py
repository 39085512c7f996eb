"""Overrides as a kernel declares them."""

from __future__ import annotations

import pytest

from shaders.reflect import reflect
from shaders.reflection import Override
from shaders.source import KernelSyntaxError, KernelUnsupportedError

MAIN = "@compute @workgroup_size(1) fn main() { let used = x; }"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("override x: f32 = 1.5;", Override("x", "f32", "1.5")),
        ("override x: u32;", Override("x", "u32")),
        ("@id(7) override x: i32 = -3;", Override("x", "i32", "-3", 7)),
        ("override x = true;", Override("x", "bool", "true")),
        ("override x = 3;", Override("x", "i32", "3")),
        ("override x = -3;", Override("x", "i32", "-3")),
        ("override x = 3u;", Override("x", "u32", "3u")),
        ("override x = 0xffu;", Override("x", "u32", "0xffu")),
        ("override x = 0xff;", Override("x", "i32", "0xff")),
        ("override x = 0x1.8p1;", Override("x", "f32", "0x1.8p1")),
        ("override x = 3f;", Override("x", "f32", "3f")),
        ("override x = 1e3;", Override("x", "f32", "1e3")),
        ("enable f16; override x = 3h;", Override("x", "f16", "3h")),
        ("alias T = f32; override x: T = 2;", Override("x", "f32", "2")),
        ("override x = 2.0 * 3.0;", Override("x", None, "2.0 * 3.0")),
    ],
)
def test_an_override_says_its_type_default_and_id(text: str, expected: Override) -> None:
    assert reflect(f"{text}\n{MAIN}").overrides == (expected,)


def test_an_entry_point_names_the_overrides_that_it_reaches_through_others_and_functions() -> None:
    kernel = reflect(
        "override a = 1; override b = 2; override c: i32 = a + 1; override d = 4;\n"
        "fn f() -> i32 { return c; }\n"
        "@compute @workgroup_size(1) fn one() { let v = f(); }\n"
        "@compute @workgroup_size(1) fn two() { let v = b; }\n"
    )
    assert [entry.overrides for entry in kernel.entry_points] == [("a", "c"), ("b",)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("override x: vec2<f32> = vec2<f32>();", "'x' cannot be a vec2<f32>: overrides are bool, i32"),
        ("@id(3) override x = 1; @id(3) override y = 1;", "'y' has @id.3., which another override has"),
        ("@id(70000) override x = 1;", "'x' has @id.70000.; the limit is 65535"),
        ("override x;", "'x' needs a type or a default"),
    ],
)
def test_an_override_that_cannot_be_is_refused_by_name(text: str, message: str) -> None:
    with pytest.raises(KernelSyntaxError, match=message):
        reflect(f"{text}\n{MAIN}")


@pytest.mark.parametrize(
    "text",
    [
        "override x = 4; var<workgroup> m: array<u32, x>; @compute @workgroup_size(1) fn main() { m[0] = 1u; }",
        "override x = 4; @compute @workgroup_size(x) fn main() {}",
    ],
)
def test_a_size_that_depends_on_an_override_is_refused(text: str) -> None:
    with pytest.raises(KernelUnsupportedError, match="'x' is an override; sizes must be constants"):
        reflect(text)


def test_a_loop_whose_length_is_an_override_draws_on_the_budget() -> None:
    kernel = reflect(
        "@group(0) @binding(0) var<storage, read_write> o: array<u32>; override n = 4u;\n"
        "@compute @workgroup_size(1) fn main() { for (var i = 0u; i < n; i++) { o[i] = i; } }"
    )
    assert kernel.guard is not None
    assert len(kernel.guard.loops) == 1
