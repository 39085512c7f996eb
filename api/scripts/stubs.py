"""The typed stubs of what scripts can use, made once by a process of their own.

Owns when they are made, and that they are made once. Must not know what is in them.
"""

from __future__ import annotations

import asyncio
import sys

import msgspec

from api.errors import StubsUnavailable

PATIENCE_S = 60.0


class Stubs:
    """The stubs of this server, by module; those that are not of the standard library come first."""

    def __init__(self) -> None:
        self._made: dict[str, str] | None = None
        self._lock = asyncio.Lock()

    async def all(self) -> dict[str, str]:
        """All of them. Raises `StubsUnavailable`."""
        async with self._lock:
            if self._made is None:
                self._made = await _made()
            return self._made


async def _made() -> dict[str, str]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-m", "sandbox.stubs"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(PATIENCE_S):
            text, errors = await process.communicate()
    except TimeoutError:
        raise StubsUnavailable(f"the stubs were not made in {PATIENCE_S:g} s") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        last = errors.decode(errors="replace").strip().rpartition("\n")[2]
        raise StubsUnavailable(f"the process that makes the stubs failed: {last[:200]}")
    return msgspec.json.decode(text, type=dict[str, str])
