"""Every object that a script can reach by names alone: no module, frame, code, loop or raw builtin among them."""

from __future__ import annotations

import json
import subprocess
import sys

AUDIT = """
import builtins, collections, json, types
from sandbox import library
from sandbox.console import CONSOLE
from sandbox.policy import attributes, names, stdlib, views
from sandbox.policy.builtins import make_globals
from sandbox.policy.classes import TypeStandIn

RAW = {id(getattr(builtins, name)): name for name in
       "open eval exec compile __import__ getattr setattr delattr globals locals vars input breakpoint".split()}

def forbidden(value):
    if isinstance(value, types.ModuleType):
        return "module"
    if isinstance(value, (types.FrameType, types.CodeType, types.TracebackType)):
        return type(value).__name__
    if id(value) in RAW:
        return "raw " + RAW[id(value)]
    if isinstance(value, type) and issubclass(value, type) and value is not TypeStandIn:
        return "metaclass"
    if "EventLoop" in type(value).__name__:
        return "event loop"

stdlib.install()
library.install()
roots = {n: v for n, v in make_globals(library.builtins())["__builtins__"].items() if n.isidentifier()}
roots = {n: v for n, v in roots.items() if not n.startswith(("_", names.MARK))}
roots |= {m: views.view(m) for m in views.available()}
seen, found, waiting = {}, {}, collections.deque((value, name, 0) for name, value in roots.items())
while waiting and len(seen) < 60000:
    value, path, depth = waiting.popleft()
    if id(value) in seen:
        continue
    seen[id(value)] = value
    kind = forbidden(value)
    if kind:
        found.setdefault(kind, []).append(path)
        continue
    if depth > 5:
        continue
    try:
        reachable = [n for n in dir(value) if not n.startswith("_") or n in names.READABLE]
    except Exception:
        continue
    for name in reachable:
        try:
            child = attributes.guarded_getattr(value, name)
        except BaseException:
            continue
        waiting.append((child, f"{path}.{name}", depth + 1))
    if isinstance(value, (list, tuple, set, frozenset)):
        waiting.extend((item, f"{path}[]", depth + 1) for item in list(value)[:100])
    elif isinstance(value, dict):
        waiting.extend((item, f"{path}[{key!r}]", depth + 1) for key, item in list(value.items())[:100])
print(json.JSONEncoder().encode({"seen": len(seen), "found": {k: v[:5] for k, v in found.items()}}))
"""


def test_nothing_forbidden_is_within_reach() -> None:
    done = subprocess.run(
        [sys.executable, "-c", AUDIT], capture_output=True, text=True, timeout=90, check=False
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout.splitlines()[-1])
    assert report["seen"] > 5000
    assert report["found"] == {}
