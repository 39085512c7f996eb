"""`os.environ`: the values that a run was granted.

Owns that mapping. Must not know who granted them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from sandbox.policy.denials import PermissionDenied
from sandbox.policy.whole import Whole


class MissingValue(PermissionDenied, KeyError):
    """A name that the run was not granted: a denial, and the `KeyError` of a mapping."""

    def __init__(self, name: str) -> None:
        grant = {"env": {name: None}}
        super().__init__(
            f"env: {name!r} is not granted to this run",
            f"a run whose grants include {json.dumps(grant)}, with a value, may read it, if its key allows it",
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
            raise MissingValue(str.__str__(name)[:128])
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._values))

    def __len__(self) -> int:
        return len(self._values)

    def __setitem__(self, name: str, value: Any) -> NoReturn:
        raise TypeError("os.environ can not be changed by scripts")

    def __delitem__(self, name: str) -> NoReturn:
        raise TypeError("os.environ can not be changed by scripts")

    def copy(self) -> dict[str, str]:
        """A plain dict."""
        return dict(self._values)

    def __repr__(self) -> str:
        return f"Environment({self._values!r})"


ENVIRONMENT = Environment()
ENVIRONMENT._values = {}  # not by __init__, which a script could call again


def use(values: Mapping[str, str]) -> None:
    """Let scripts see `values`."""
    ENVIRONMENT._values.clear()
    ENVIRONMENT._values.update(values)
