"""The language of ordinary scripts: Python under the policy (wall 1).

Owns what of the policy is made in the zygote, and how a script of it begins. Its sibling is `native.py`. Must not
know sockets.
"""

from __future__ import annotations

import importlib
import types
from collections.abc import Callable
from typing import Any

from sandbox import library
from sandbox.policy import stdlib, views
from sandbox.policy.builtins import make_globals
from sandbox.policy.compiler import FILENAME, compile_script

_LAZY = "_strptime stringprep concurrent.futures.thread asyncio.selector_events unicodedata zlib"
_WARM_SCRIPT = """
import json, re, math, dataclasses, enum, asyncio

@dataclasses.dataclass
class Point:
    x: int = 0

async def main():
    match Point():
        case Point(x=0):
            return json.dumps({"a": re.sub("a", "b", f"{math.pi:.2f}")})
"""


def warm() -> None:
    """Import and touch everything that a worker may need, as it can open no file. Once, in the zygote."""
    stdlib.install()
    library.install()
    for name in _LAZY.split():
        importlib.import_module(name)
    for module in views.available():
        views.view(module)
    compile_script(_WARM_SCRIPT)


def begin(entered: Callable[[], None]) -> dict[str, Any]:
    """The globals of this process's script; `entered` is called whenever its own `main` is."""
    return make_globals(library.builtins(), entered)


def compiled(source: str, filename: str = FILENAME, *, valued: bool = False) -> types.CodeType:
    """The code of a script; of a notebook's cell if `valued`. Raises `ScriptSyntaxError`, `ScriptDeniedError`."""
    return compile_script(source, views.star_names, filename, valued=valued)


def plain(result: Any) -> Any:
    """What leaves the sandbox for `result`: itself."""
    return result
