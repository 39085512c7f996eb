"""Values for overrides: what fits goes through exactly, all else is refused by name."""

from __future__ import annotations

import math

import pytest

from shaders.constant_values import OverrideError, constants, keyed
from shaders.reflect import reflect

KERNEL = reflect(
    "enable f16;\n"
    "override flag = true; override i: i32 = 1; @id(9) override u: u32; override f = 1.0; override h = 1h;\n"
    "override odd = 1.0 + 1.0; override apart = 1.0;\n"
    "@compute @workgroup_size(1) fn main() { let a = flag; let b = i; let c = u; let d = f; let e = h; let g = odd; }\n"
    "@compute @workgroup_size(1) fn none() { }\n"
)
MAIN, NONE = KERNEL.entry_points


@pytest.mark.parametrize(
    ("name", "value", "number"),
    [
        ("flag", False, 0.0),
        ("i", -(2**31), -(2.0**31)),
        ("i", 3.0, 3.0),
        ("u", 2**32 - 1, 2.0**32 - 1),
        ("f", 3, 3.0),
        ("f", -3.4e38, -3.4e38),
        ("h", 65504, 65504.0),
    ],
)
def test_a_value_that_fits_is_given_as_it_is(name: str, value: object, number: float) -> None:
    assert constants(KERNEL, MAIN, {"u": 1, name: value})[name] == number


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("flag", 1, "'flag' takes true or false, not 1"),
        ("i", True, "'i' takes i32, not True"),
        ("i", 2**31, "'i' takes i32, which cannot hold 2147483648"),
        ("i", 1.5, "'i' takes i32, which cannot hold 1.5"),
        ("i", 10**400, "'i' takes i32, which cannot hold so large a number"),
        ("u", -1, "'u' takes u32, which cannot hold -1"),
        ("u", "1", "'u' takes u32, not '1'"),
        ("u", None, "'u' takes u32, not None"),
        ("f", math.nan, "'f' takes f32, which cannot hold nan"),
        ("f", math.inf, "'f' takes f32, which cannot hold inf"),
        ("f", 1e39, "'f' takes f32, which cannot hold 1e.39"),
        ("f", 10**400, "'f' takes f32, which cannot hold so large a number"),
        ("h", 70000, "'h' takes f16, which cannot hold 70000"),
        ("odd", 1.0, "'odd' is not given a value, as its type is not written"),
        ("other", 1, "no override 'other'"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_by_name(name: str, value: object, message: str) -> None:
    with pytest.raises(OverrideError, match=message):
        constants(KERNEL, MAIN, {"u": 1, name: value})


def test_a_value_without_default_is_needed_where_the_entry_point_reaches_it() -> None:
    with pytest.raises(OverrideError, match=r"'u' \(u32\) was given no value") as caught:
        constants(KERNEL, MAIN, {"f": 2.0})
    assert caught.value.hint == "Entry point 'main' takes flag, i, u, f, h, odd."
    assert constants(KERNEL, NONE, {}) == {}


def test_values_that_the_entry_point_does_not_reach_make_no_pipeline_of_their_own() -> None:
    assert constants(KERNEL, MAIN, {"u": 1, "apart": 2.0}) == {"u": 1.0}


def test_a_compiler_gets_ids_before_names_and_a_trial_value_where_one_is_needed() -> None:
    assert keyed(KERNEL, MAIN, {"u": 3.0, "flag": 0.0}) == {"9": 3.0, "flag": 0.0}
    assert keyed(KERNEL, MAIN, {}) == {"9": 1.0}
    assert keyed(KERNEL, NONE, {}) == {}
    with pytest.raises(OverrideError, match="cannot hold nan"):
        keyed(KERNEL, MAIN, {"u": math.nan})
