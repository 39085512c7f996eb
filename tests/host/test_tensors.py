"""The table of live tensors."""

from __future__ import annotations

import pytest

from host.errors import UnknownHandle
from host.tensors import Table
from ops.graph import TensorType
from ops.wire import FrameError

TYPE = TensorType((2,), "f32")


def test_several_handles_become_live_together_or_none_of_them() -> None:
    table: Table[str] = Table()
    table.add_all([1, 2], "me", [TYPE, TYPE], ["one", "two"])
    assert (table.get(1).storage, table.get(2).storage) == ("one", "two")
    with pytest.raises(FrameError, match="2"):
        table.add_all([3, 2], "you", [TYPE, TYPE], ["three", "other"])
    assert table.get(2).storage == "two"
    with pytest.raises(UnknownHandle):
        table.get(3)
