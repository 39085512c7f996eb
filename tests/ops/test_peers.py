"""What other systems have is here, each op with its meaning, and the page of ops says so."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ops import document
from ops.errors import UnknownOpError
from ops.peers import FACES, PEERS, combined, peers_of
from ops.spec import OpSpec
from ops.table import TABLE, find
from ops.torch.namespace import namespace
from ops.torch.tensor import Tensor


def is_op(theirs: str, row: OpSpec | None) -> bool:
    """Whether this is a row of webgpu-torch's table: there are elementwise ops and folds in it."""
    folds = row is not None and row.section in ("", "reduction") and row.kind in ("reduction", "composite")
    return folds or (
        row is not None and row.kind == "elementwise" and theirs not in (*row.aliases, "detach", "Mul")
    )


COUNTED: dict[tuple[str, int], Callable[[str, OpSpec | None], bool]] = {
    ("webgpu-torch", 56): is_op,
    ("webgpu-torch", 12): lambda theirs, row: row is not None and row.kind == "elementwise" and theirs in row.aliases,
    ("wonnx", 10): lambda theirs, row: theirs.startswith("Reduce"),
    ("volvoxai", 14): lambda theirs, row: theirs[0] == "Q" and theirs[1].isupper(),
}  # fmt: skip
"""How many each says that it has of a family, counted in its sources; and what tells the family here."""


def exists(name: str) -> bool:
    """Whether scripts find `torch.…` by this name."""
    first, *rest = name.removeprefix(FACES).split(".")
    if first == "Tensor":
        return hasattr(Tensor, rest[0])
    at: object = namespace()
    for part in (first, *rest):
        at = at.get(part) if isinstance(at, dict) else None
    return at is not None


NAMES = [(system, theirs, ours) for system, names in PEERS.items() for theirs, ours in names.items()]


@pytest.mark.parametrize(("system", "theirs", "ours"), NAMES)
def test_what_another_system_has_is_here(system: str, theirs: str, ours: tuple[str, ...]) -> None:
    assert ours
    assert all(exists(name) if name.startswith(FACES) else name in TABLE for name in ours)


@pytest.mark.parametrize(("system", "count"), COUNTED)
def test_the_lists_are_as_long_as_those_that_are_published(system: str, count: int) -> None:
    belongs = COUNTED[system, count]
    found = [
        theirs
        for theirs, ours in PEERS[system].items()
        if belongs(theirs, TABLE.get(ours[0]) if len(ours) == 1 else None)
    ]
    assert len(found) == count, found


def test_names_of_onnx_lead_to_the_same_rows() -> None:
    for theirs, ours in PEERS["wonnx"].items():
        try:
            row = find(theirs)
        except UnknownOpError:
            continue  # what ONNX tells such an op is not what ours takes
        assert ours == (row.name,) or theirs in ("Min", "Slice"), theirs


def test_a_row_tells_who_else_has_it() -> None:
    assert peers_of(find("relu")) == {
        "webgpu-torch": ["relu"], "wonnx": ["Relu"], "MoxWebGPU": ["relu"], "volvoxai": ["ReLU"],
    }  # fmt: skip
    assert peers_of(find("erfinv")) == {}
    page = document.document()
    assert "Also in webgpu-torch, wonnx as `Relu`, MoxWebGPU, volvoxai as `ReLU`." in page
    for system, names in combined().items():
        for theirs in names:
            assert f"| {system} | `{theirs}` | " in page
