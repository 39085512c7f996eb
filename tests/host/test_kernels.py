"""Reflections that may come from an attacker, and the order of bindings."""

from __future__ import annotations

from typing import Any

import pytest

from host.errors import UnknownKernel
from host.kernels import Kernels, check_reflection, groups_of
from ops.wire import FrameError
from shaders.reflection import EntryPoint, Reflection


def test_kernels_are_kept_until_they_are_dropped(kernels: Any) -> None:
    known = Kernels()
    known.add("k", kernels.double)
    known.add("k", kernels.double)
    assert (known.get("k"), len(known)) == (kernels.double, 1)
    known.drop("k")
    known.drop("k")
    with pytest.raises(UnknownKernel, match="'k'"):
        known.get("k")


def test_bindings_are_grouped_in_order_with_empty_groups_between(kernels: Any) -> None:
    found = kernels.reflection(
        "", kernels.binding("x", 7, group=2), kernels.binding("y", 3, group=2), kernels.binding("z", 0)
    )
    groups = groups_of(found, found.entry_points[0])
    assert [[info.name for info in group] for group in groups] == [["z"], [], ["y", "x"]]


def test_an_entry_point_without_bindings_has_no_groups(kernels: Any) -> None:
    assert groups_of(kernels.double, EntryPoint("main", (1, 1, 1))) == []


def test_honest_reflections_pass(kernels: Any) -> None:
    check_reflection(kernels.double)


@pytest.mark.parametrize(
    ("bindings", "reached"),
    [
        ([("a", 0, {}), ("a", 1, {})], ["a"]),
        ([("a", 0, {}), ("b", 0, {})], ["a"]),
        ([("a", 0, {"group": 3})], ["a"]),
        ([("a", 0, {"group": -1})], ["a"]),
        ([("a", 0, {"group": 10**9})], ["a"]),
        ([("a", 10**6, {})], ["a"]),
        ([("a", 0, {"min_size": -4})], ["a"]),
        ([("a", 0, {"min_size": 1 << 40})], ["a"]),
        ([("a", 0, {})], ["b"]),
    ],
)
def test_reflections_that_contradict_themselves_are_refused(
    kernels: Any, bindings: Any, reached: list[str]
) -> None:
    infos = tuple(kernels.binding(name, number, **more) for name, number, more in bindings)
    with pytest.raises(FrameError):
        check_reflection(Reflection("", (EntryPoint("main", (1, 1, 1), tuple(reached)),), infos))


def test_two_entry_points_of_one_name_are_refused() -> None:
    entry = EntryPoint("main", (1, 1, 1))
    with pytest.raises(FrameError):
        check_reflection(Reflection("", (entry, entry), ()))
