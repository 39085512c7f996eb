"""Parameters of templates: what a declaration may say, and which values it takes. Any JSON may come."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from api.kernels.parameters import Parameter, Template, check, dump, key_of, load
from shaders.template import TemplateParamsError

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
DECLARED = {
    "tile": {"type": "int", "default": 16, "min": 1, "max": 64, "description": "elements of a tile"},
    "scale": {"type": "float", "default": 1},
    "exact": {"type": "bool", "default": False},
    "type": {"type": "string", "choices": ["f32", "vec4<f32>"], "default": "f32"},
    "name": {"type": "string", "example": "x1"},
}


def declared(**params: Any) -> Template:
    return Template("", check({name: Parameter.model_validate(each) for name, each in params.items()}))


def test_defaults_fill_what_is_not_given_and_examples_only_store() -> None:
    template = declared(**DECLARED)
    values = {"tile": 16, "scale": 1.0, "exact": False, "type": "f32"}
    assert template.fill({"name": "y"}) == {**values, "name": "y"}
    assert template.first() == {**values, "name": "x1"}
    with pytest.raises(TemplateParamsError, match=r"params\.name must be given: a name of letters"):
        template.fill({})


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"tile": 0}, "params.tile: 0 is not an int from 1 to 64"),
        ({"tile": 65}, "params.tile: 65 is not an int from 1 to 64"),
        ({"tile": True}, "params.tile: True is not"),
        ({"tile": 2.0}, "params.tile: 2.0 is not an int"),
        ({"tile": "2"}, "params.tile: '2' is not"),
        ({"tile": None}, "params.tile: None is not"),
        ({"tile": [2]}, "params.tile"),
        ({"scale": math.inf}, "params.scale: inf is not a float"),
        ({"scale": math.nan}, "params.scale"),
        ({"scale": 1e39}, "params.scale"),
        ({"scale": 10**400}, "params.scale"),
        ({"exact": 1}, "params.exact: 1 is not true or false"),
        ({"type": "i32"}, "params.type: 'i32' is not one of f32, vec4<f32>"),
        ({"name": "x; }"}, "is not a name of letters, digits and _"),
        ({"name": "x" * 65}, "params.name"),
        ({"name": "x\n"}, "params.name"),
        ({"name": ""}, "params.name"),
        ({"other": 1}, "params.other does not exist"),
    ],
)  # fmt: skip
def test_a_value_that_does_not_fit_names_its_parameter_and_what_it_takes(given: Any, says: str) -> None:
    with pytest.raises(TemplateParamsError) as caught:
        declared(**DECLARED).fill({"name": "a", **given})
    assert says in caught.value.message


def test_a_refusal_shows_what_the_author_says_of_the_parameter() -> None:
    with pytest.raises(TemplateParamsError) as caught:
        declared(**DECLARED).fill({"name": "a", "tile": 99})
    assert caught.value.hint == "elements of a tile"


@pytest.mark.parametrize(
    ("name", "parameter", "says"),
    [
        ("loop", {"type": "int", "default": 1}, "'loop' is no name"),
        ("_x", {"type": "int", "default": 1}, "'_x' is no name"),
        ("a b", {"type": "int", "default": 1}, "'a b' is no name"),
        ("x", {"type": "int"}, "needs a default, or an example"),
        ("x", {"type": "int", "default": 1, "example": 1}, "and not both"),
        ("x", {"type": "int", "default": 1, "max": 0}, "params.x: 1 is not an int from"),
        ("x", {"type": "int", "default": 1, "min": 2, "max": 1}, "min is not above max"),
        ("x", {"type": "int", "default": 1, "max": 2**40}, "min and max are from"),
        ("x", {"type": "int", "default": 1, "max": 2.5}, "whole numbers"),
        ("x", {"type": "bool", "default": True, "max": 1}, "for numbers"),
        ("x", {"type": "int", "default": 1, "choices": ["1"]}, "for strings"),
        ("x", {"type": "string", "default": "a\n", "choices": ["a\n"]}, "printable characters"),
        ("x", {"type": "string", "default": "a b"}, "params.x: 'a b' is not a name"),
        ("x", {"type": "string", "default": "c", "choices": ["a", "b"]}, "is not one of a, b"),
    ],
)
def test_a_declaration_that_contradicts_itself_is_refused(name: str, parameter: Any, says: str) -> None:
    with pytest.raises(TemplateParamsError) as caught:
        declared(**{name: parameter})
    assert says in caught.value.message


def test_sets_of_values_differ_exactly_when_their_keys_do() -> None:
    sets = [{"a": 1}, {"a": 1.0}, {"a": True}, {"a": "1"}, {"b": 1}, {"a": 1, "b": 1}, {"a": "true"}]
    assert len({key_of(values) for values in sets}) == len(sets)
    assert key_of({"a": 1, "b": 2}) == key_of({"b": 2, "a": 1})


def test_declarations_survive_the_database() -> None:
    template = declared(**DECLARED)
    again = Template("", load(dump(template)))
    assert (again.declarations(), again.hash) == (template.declarations(), template.hash)
    assert template.declarations() == dict(sorted(DECLARED.items()))
    assert (
        declared(tile={"type": "int", "default": 16}).hash
        != declared(tile={"type": "int", "default": 17}).hash
    )


@given(st.dictionaries(st.sampled_from([*DECLARED, "other"]), JSON))
def test_any_json_as_values_is_taken_or_refused_by_name(given: dict[str, Any]) -> None:
    template = declared(**DECLARED)
    values, refused = outcome(lambda: template.fill(given))
    if refused is not None:
        assert refused.message.startswith("params.")
        return
    assert type(values["tile"]) is int
    assert 1 <= values["tile"] <= 64
    assert type(values["scale"]) is float
    assert math.isfinite(values["scale"])
    assert values["type"] in ("f32", "vec4<f32>")
    assert str(values["name"]).isidentifier()


def outcome(act: Callable[[], Any]) -> tuple[Any, TemplateParamsError | None]:
    try:
        return act(), None
    except TemplateParamsError as error:
        return None, error


@given(
    st.dictionaries(st.text(max_size=5), st.dictionaries(st.sampled_from([*Parameter.model_fields]), JSON))
)
def test_any_json_as_a_declaration_is_taken_or_refused(params: dict[str, Any]) -> None:
    try:
        template = declared(**params)
    except (ValidationError, TemplateParamsError):
        return
    assert template.fill(template.first()) == template.first()
    assert load(dump(template)) == template.params
