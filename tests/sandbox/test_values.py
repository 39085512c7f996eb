"""Values cross the wall unchanged, or are refused with the path of the place."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ops.graph import TensorRef
from ops.wire import FrameError
from sandbox import budget, values
from sandbox.errors import ValueFormError

_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**300), 2**300)
    | st.floats(allow_nan=False)
    | st.text(max_size=20)
    | st.binary(max_size=20)
    | st.builds(TensorRef, st.integers(0, 99), st.tuples(st.integers(0, 9)), st.just("f32"))
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=20,
)


@given(_VALUES)
def test_a_value_comes_back_as_it_went(value: Any) -> None:
    assert values.unpack(values.pack(value)) == value


@given(st.binary(max_size=200))
def test_any_bytes_are_a_value_or_a_protocol_error(data: bytes) -> None:
    with suppress(FrameError):
        values.pack(values.unpack(data))


@given(_VALUES)
def test_the_budget_accepts_what_the_packer_makes_and_nothing_longer(value: Any) -> None:
    data = values.pack(value)
    budget.check(data)
    for wrong in (data + b"\0", data[:-1]):
        with pytest.raises(FrameError):
            budget.check(wrong)


def test_not_a_number_and_infinities_survive() -> None:
    inf, nan = values.unpack(values.pack([float("inf"), float("nan")]))
    assert inf == float("inf")
    assert nan != nan


def test_tuples_become_lists_and_keys_strings_as_in_json() -> None:
    value = {7: (1, 2), None: 0, 2.5: 0, True: 0}
    assert values.unpack(values.pack(value)) == {"7": [1, 2], "null": 0, "2.5": 0, "true": 0}


def test_subclasses_are_reduced_to_their_base() -> None:
    class Text(str):
        def __str__(self) -> str:
            return "a lie"

    class Number(int):
        def __int__(self) -> int:
            return 5

    assert values.unpack(values.pack([Text("truth"), Number(5)])) == ["truth", 5]


@pytest.mark.parametrize("value", [{1, 2}, object(), 1j, [[print]], {"a": {(1, 2): 3}}])
def test_what_has_no_form_is_refused_with_its_path(value: object) -> None:
    with pytest.raises(ValueFormError) as caught:
        values.pack(value, name="result")
    assert caught.value.message.startswith("result")


def test_depth_items_and_size_are_bounded() -> None:
    deep: Any = []
    for _ in range(values.MAX_DEPTH + 1):
        deep = [deep]
    with pytest.raises(ValueFormError, match="deeper"):
        values.pack(deep)
    with pytest.raises(ValueFormError, match="items"):
        values.pack([0] * (values.MAX_ITEMS + 1))
    with pytest.raises(ValueFormError, match="bytes"):
        values.pack(b"x" * (values.MAX_BYTES + 1))
    with pytest.raises(ValueFormError, match="int of"):
        values.pack(1 << (1 << 20))


def test_a_cycle_is_refused() -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(ValueFormError, match="deeper"):
        values.pack(loop)
    assert values.tensors_in(loop, lambda _: False) == []


@pytest.mark.parametrize(
    "data",
    [
        b"\x91" * 200 + b"\xc0",
        b"\xdd\xff\xff\xff\xff" + b"\x90" * 1000,
        b"\xdd\x00\x10\x00\x00" + b"\x90" * (1 << 20),
    ],
    ids=["deep", "a count that lies", "a million lists"],
)
def test_bytes_that_would_grow_are_refused_before_they_are_decoded(data: bytes) -> None:
    with pytest.raises(FrameError):
        values.unpack(data)


@pytest.mark.parametrize("code", [0, 1, 2, 3, 127])
def test_extensions_of_a_strangers_making_are_a_value_or_an_error(code: int) -> None:
    for body in (b"", b"\xff" * 10, msgspec.msgpack.encode([1])):
        data = msgspec.msgpack.encode(msgspec.msgpack.Ext(code, body))
        with suppress(FrameError):
            assert isinstance(values.unpack(data), int)


def test_each_tensor_is_found_once_wherever_it_is() -> None:
    class Tensor:
        pass

    first, second = Tensor(), Tensor()
    value = {"a": [first, (second, first)], "b": {"c": second}}
    assert values.tensors_in(value, lambda item: isinstance(item, Tensor)) == [first, second]
