"""`os.environ`: the values that a run was granted.

Owns that mapping. Must not know who granted them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from sandbox.policy.whole import Whole


class MissingValue(KeyError):
    """A name that the run was not granted."""

    def __init__(self, name: str) -> None:
        super().__init__(name)

    def __str__(self) -> str:
        grant = json.dumps({"env": {self.args[0]: "…"}}, ensure_ascii=False)
        return f"{self.args[0]!r} is not granted to this run: its grants would have to include {grant}"


MissingValue.__name__ = MissingValue.__qualname__ = "KeyError"


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
