"""From what a client posts to a kernel that may run: rendered, parsed and guarded in workers, tried by the compiler.

Owns that order, the cache of what templates gave for each set of values, which overrides the compiler has tried, and
that owners take turns at workers. Must not know names or the database: an owner is a string.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from weakref import WeakValueDictionary

import msgspec

from api.errors import InvalidRequest
from api.kernels.compiling import Compiler
from api.kernels.parameters import Template, key_of
from api.turns import Turns
from sandbox.pool import WorkerPool
from shaders.errors import KernelgateError, caret
from shaders.guard.guard import VERSION
from shaders.limits import LIMITS
from shaders.reflection import Reflection
from shaders.source import Source
from shaders.template import Scalar

CACHED = 256
PROVEN = 1024
MAX_SETS = 64
"""Of overrides, in one dispatch."""
WORKERS_AT_ONCE = 4
"""That render or parse."""
Constants = tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Build:
    """A kernel that was tried. `hash` is its source's, and names its pipelines on every device."""

    source: str
    hash: str
    reflection: Reflection


class Builder:
    """Makes builds. Those of templates are kept, the longest unused leave."""

    def __init__(self, pool: WorkerPool, compiler: Compiler, ready: Callable[[], Awaitable[None]]) -> None:
        self._pool = pool
        self._compiler = compiler
        self._ready = ready
        self._kept: OrderedDict[tuple[str, str], Build] = OrderedDict()
        self._proven: OrderedDict[tuple[str, Constants], None] = OrderedDict()
        self._under_way: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()
        self._workers = Turns(WORKERS_AT_ONCE)

    def check(self, reflection: Reflection, owner: str) -> None:
        """Raise `KernelQuarantined` for a kernel of `owner` that is not to run."""
        self._compiler.check(reflection, owner)

    async def of_source(self, owner: str, source: str) -> Build:
        """The build of WGSL, at `owner`'s turn.

        Raises what parsing and compiling raise, with the line as it is posted: the compiler's text has no comments.
        """
        digest = text_hash(source)
        await self._ready()
        reflection = await self.reflected(owner, source)
        try:
            await self._compiler.add_kernel(owner, digest, reflection, warm=True)
        except KernelgateError as error:
            if error.line is not None and error.column is not None:
                error.snippet = caret(Source(source, LIMITS).text, error.line, error.column)
            raise
        return Build(source, digest, reflection)

    async def reflected(self, owner: str, source: str) -> Reflection:
        """What a worker finds in WGSL, at `owner`'s turn. Raises what parsing raises."""
        async with self._workers.turn(owner):
            return await self._pool.reflect(source)

    async def of_template(self, owner: str, template: Template, values: Mapping[str, Scalar]) -> Build:
        """The build of a template's text for `values`: made once, however many ask for it at a time.

        Raises what rendering raises, and what `of_source` does; that says that it is about the rendered text.
        """
        key = (template.hash, key_of(values))
        lock = self._under_way.setdefault(key, asyncio.Lock())
        async with lock:
            if key not in self._kept:
                async with self._workers.turn(owner):
                    source = await self._pool.render(template.text, values)
                self._keep(key, await self._of_rendered(owner, source))
            self._kept.move_to_end(key)
            return self._kept[key]

    async def prove(
        self, owner: str, digest: str, reflection: Reflection, sets: Iterable[Mapping[str, float]]
    ) -> None:
        """Let the compiler try a kernel with each of these sets of constants that it has not been tried with lately.

        Raises `InvalidRequest` for too many sets, and what compiling raises.
        """
        wanted = {tuple(sorted(constants.items())): constants for constants in sets if constants}
        if len(wanted) > MAX_SETS:
            raise InvalidRequest(
                f"the steps have {len(wanted)} different sets of overrides; the limit is {MAX_SETS}",
                hint="Each set is compiled on its own: give what changes often in a uniform.",
            )
        for key, constants in wanted.items():
            if (digest, key) not in self._proven:
                await self._ready()
                await self._compiler.add_kernel(owner, digest, reflection, True, constants)
                self._proven[digest, key] = None
            self._proven.move_to_end((digest, key))
        while len(self._proven) > PROVEN:
            self._proven.popitem(last=False)

    async def _of_rendered(self, owner: str, source: str) -> Build:
        try:
            return await self.of_source(owner, source)
        except KernelgateError as error:
            if not error.code.startswith("kernel_"):
                raise
            record = error.record()
            message = f"in the rendered text: {record.message}"
            raise KernelgateError.from_record(msgspec.structs.replace(record, message=message)) from None

    def _keep(self, key: tuple[str, str], build: Build) -> None:
        self._kept[key] = build
        if len(self._kept) > CACHED:
            self._kept.popitem(last=False)


def text_hash(source: str) -> str:
    """What names a kernel's source."""
    return hashlib.sha256(source.encode()).hexdigest()


def is_current(reflection: Reflection) -> bool:
    """Whether this version's guard wrote what would be compiled."""
    return reflection.guard is not None and reflection.guard.version == VERSION
