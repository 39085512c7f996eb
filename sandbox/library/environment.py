"""`os.environ`: the values that a run was granted.

Owns that mapping. Must not know who granted them. Whether a name is there (`in`, `get`) is no request; to read one that
is not is a denial, of which the host is told.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from sandbox.gates.frames import EnvironmentRead
from sandbox.library import gate
from sandbox.policy.denials import PermissionDenied
from sandbox.policy.whole import Whole


class MissingValue(PermissionDenied, KeyError):
    """A name that the run was not granted: a denial, and the `KeyError` of a mapping."""

    def __init__(self, name: str, hint: str | None = None) -> None:
        grant = {"env": {name: None}}
        super().__init__(
            f"env: {name!r} is not granted to this run",
            hint or f"A run whose grants include {json.dumps(grant)} may do this, if its key allows it.",
            "env",
            repr(name),
            grant,
        )


MissingValue.__name__ = MissingValue.__qualname__ = PermissionDenied.__qualname__


class Environment(Whole, Mapping[str, str]):
    """Names and their values, for reading."""

    __slots__ = ("_values",)
    _values: dict[str, str]

    def __getitem__(self, name: str) -> str:
        if not isinstance(name, str):
            raise TypeError(f"str expected, not {type(name).__name__}")
        found = self._values.get(name)
        if found is None:
            raise _missing(str.__str__(name)[:128])
        return found

    def get(self, name: str, default: Any = None) -> Any:
        """The value of `name`, or `default`."""
        return self._values.get(name, default)

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._values))

    def __len__(self) -> int:
        return len(self._values)

    def __setitem__(self, name: str, value: Any) -> NoReturn:
        raise TypeError("os.environ cannot be changed by scripts")

    def __delitem__(self, name: str) -> NoReturn:
        raise TypeError("os.environ cannot be changed by scripts")

    def copy(self) -> dict[str, str]:
        """A plain dict."""
        return dict(self._values)

    def __repr__(self) -> str:
        return f"Environment({self._values!r})"


def _missing(name: str) -> MissingValue:
    """The error for `name`, which the host has put on record, and knows how to change."""
    try:
        gate.ask(EnvironmentRead, name=name.encode("utf-8", "replace").decode())
    except PermissionDenied as denial:
        return MissingValue(name, denial.hint)
    return MissingValue(name)


ENVIRONMENT = Environment()
ENVIRONMENT._values = {}  # not by __init__, which a script could call again


def use(values: Mapping[str, str]) -> None:
    """Let scripts see `values`."""
    ENVIRONMENT._values.clear()
    ENVIRONMENT._values.update(values)
