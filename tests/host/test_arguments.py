"""The arguments of a dispatch against a kernel's bindings."""

from __future__ import annotations

from typing import Any

import pytest

from host.arguments import check_arguments, check_workgroups, entry_of
from host.errors import BindingMismatch, DispatchSizeError, UnknownHandle, UnknownKernel
from host.frames import Argument, Bound, Uniform
from host.tensors import Table
from ops.graph import TensorType
from shaders.reflection import EntryPoint, Reflection

LIMITS = {
    "max_compute_workgroups_per_dimension": 65535,
    "max_storage_buffer_binding_size": 4000,
    "max_uniform_buffer_binding_size": 256,
}


@pytest.fixture
def kernel(kernels: Any) -> Reflection:
    uniform = kernels.binding("p", 2, type="Params", kind="uniform", element=None, min_size=16, stride=0)
    mixed = kernels.binding("m", 3, type="array<Mixed>", element=None, min_size=32, stride=32)
    unused = kernels.binding("unused", 4)
    found = kernels.reflection(
        "", kernels.binding("a", 0), kernels.binding("b", 1, "read_write"), uniform, mixed, unused
    )
    return Reflection("", (EntryPoint("main", (1, 1, 1), ("a", "b", "p", "m")),), found.bindings)


@pytest.fixture
def table() -> Table[None]:
    table: Table[None] = Table()
    for handle, dtype, shape in [
        (1, "u32", (4,)),
        (2, "f32", (4,)),
        (3, "bool", (4,)),
        (4, "u32", (0,)),
        (5, "u32", (2000,)),
        (6, "f32", (8,)),
        (9, "u32", (4,)),
        (10, "f32", (4,)),
    ]:
        table.add(handle, "me", TensorType(shape, dtype), None)
    return table


FRESH = (9, 10)
GOOD: dict[str, Argument] = {
    "a": Bound("a", 1),
    "b": Bound("b", 9),
    "p": Uniform("p", bytes(16)),
    "m": Bound("m", 6),
}


def _check(kernel: Reflection, table: Table[None], **changes: Argument | None) -> list[str]:
    arguments = [argument for argument in (GOOD | changes).values() if argument is not None]
    pairs = check_arguments(kernel, entry_of(kernel, "main"), arguments, table.type, FRESH, LIMITS)
    return [info.name for info, _ in pairs]


def test_arguments_that_fit_are_paired_with_their_bindings(kernel: Reflection, table: Table[None]) -> None:
    assert _check(kernel, table) == ["a", "b", "p", "m"]


@pytest.mark.parametrize(
    "change",
    [
        {"a": Bound("a", 3)},
        {"unused": Bound("unused", 1)},
    ],
)
def test_bool_for_u32_and_unused_bindings_fit(
    kernel: Reflection, table: Table[None], change: dict[str, Argument]
) -> None:
    _check(kernel, table, **change)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"a": None}, "binding 'a' has no argument"),
        ({"a": Bound("z", 1)}, "'z' is given twice, or is no binding"),
        ({"again": Bound("a", 1)}, "'a' is given twice"),
        ({"a": Bound("a", 2)}, r"binding 'a' \(array<u32>\) holds u32, and its tensor is f32"),
        ({"a": Bound("a", 4)}, "binding 'a' .*needs at least 4 bytes, and its tensor has 0"),
        ({"m": Bound("m", 1)}, "binding 'm' .*needs at least 32 bytes, and its tensor has 16"),
        ({"a": Bound("a", 5)}, "binding 'a' has 8,000 bytes, and this device binds at most 4,000"),
        ({"a": Bound("a", 9)}, "bindings 'a' and 'b' have the same array, and 'b' is written"),
        ({"a": Uniform("a", bytes(16))}, "binding 'a' is storage memory"),
        ({"b": Bound("b", 1)}, "binding 'b' is written by the kernel"),
        ({"b": Bound("b", 10)}, "binding 'b' .*holds u32"),
        ({"p": Bound("p", 1)}, "binding 'p' is a uniform"),
        ({"p": Uniform("p", bytes(12))}, "binding 'p' .*takes 16 to 256 bytes, and 12 came"),
        ({"p": Uniform("p", bytes(260))}, "binding 'p'"),
    ],
)
def test_an_argument_that_does_not_fit_is_refused_by_name(
    kernel: Reflection, table: Table[None], change: dict[str, Argument | None], message: str
) -> None:
    with pytest.raises(BindingMismatch, match=message):
        _check(kernel, table, **change)


def test_a_tensor_of_another_element_is_told_how_it_is_cast(kernel: Reflection, table: Table[None]) -> None:
    with pytest.raises(BindingMismatch) as caught:
        _check(kernel, table, a=Bound("a", 2))
    assert caught.value.hint == "Give a tensor of u32, in a script x.to(torch.uint32)."


@pytest.mark.parametrize("change", [{"a": Bound("a", 77)}, {"b": Bound("b", 77)}])
def test_a_tensor_that_does_not_exist_is_named(
    kernel: Reflection, table: Table[None], change: dict[str, Argument]
) -> None:
    with pytest.raises(UnknownHandle, match="no tensor 77"):
        _check(kernel, table, **change)


def test_an_entry_point_that_does_not_exist_is_refused_with_those_that_do(kernel: Reflection) -> None:
    with pytest.raises(UnknownKernel) as error:
        entry_of(kernel, "other")
    assert "main" in (error.value.hint or "")


@pytest.mark.parametrize("workgroups", [(1, 1, 1), (0, 5, 5), (1 << 25, 1, 1), (32768, 65535, 1)])
def test_workgroups_within_the_limits_pass(workgroups: tuple[int, int, int]) -> None:
    check_workgroups(workgroups, (64, 1, 1))


@pytest.mark.parametrize(
    ("workgroups", "message"),
    [
        (((1 << 25) + 1, 1, 1), "workgroups of 64 along x may be 0 to 33554432"),
        ((1, -1, 1), "workgroups.y is -1"),
        ((1, 1, 1 << 70), "workgroups.z"),
        ((65535, 65535, 1), "4,294,836,225 workgroups"),
        ((65535, 65535, 65535), "over the limit"),
    ],
)
def test_workgroups_outside_the_limits_are_refused(workgroups: tuple[int, int, int], message: str) -> None:
    with pytest.raises(DispatchSizeError, match=message):
        check_workgroups(workgroups, (64, 1, 1))
