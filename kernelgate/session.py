"""`Session`: a worker on the server that keeps its variables from cell to cell.

Owns the cells' form for callers. Must not know HTTP: `Client.session` opens one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any

from kernelgate.runs import Run


class Session:
    """A session with the id `id`. It ends with its block, or when it is closed."""

    def __init__(
        self,
        id: str,
        run: Callable[[str, Mapping[str, object] | None, bool], Run],
        close: Callable[[], object],
    ) -> None:
        self.id = id
        self._run = run
        self._close = close

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def run(self, script: str, inputs: Mapping[str, object] | None = None, *, check: bool = True) -> Run:
        """The finished run of a cell, for which `inputs` are variables. Raises its error, unless `check` is false."""
        return self._run(script, inputs, check)

    def value(self, script: str, /, **inputs: object) -> Any:
        """The value of the last expression of a cell. Raises its error."""
        return self.run(script, inputs).result

    def close(self) -> None:
        """End it, with all its variables. Closing twice is harmless."""
        self._close()
