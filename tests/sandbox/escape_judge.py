"""Runs escape attempts against the language policy alone, and judges what each got.

A program: `python escape_judge.py FILE…` in a folder with `results/flag.txt`, whose text is the flag. Each attempt
runs in a fork, under the policy but without the walls of the operating system, and calls `leak(x)` with what it got
hold of. Prints a JSON object: file name to `[prizes, error]`. With `--plain` the attempts run as plain Python, which
shows that the judge has eyes.
"""

from __future__ import annotations

import builtins
import json
import os
import signal
import sys
import types
from pathlib import Path
from typing import Any

import msgspec

from sandbox import library
from sandbox.console import CONSOLE
from sandbox.gates.frames import FetchResponse, FileEntry, FileInfo
from sandbox.library import gate
from sandbox.policy import ownership, stdlib, views
from sandbox.policy.builtins import make_globals
from sandbox.policy.compiler import compile_script

FLAG = "results/flag.txt"
CANARY = "results/canary"
TIMEOUT_S = 20
RAW = {
    id(getattr(builtins, name)): name
    for name in "open eval exec compile __import__ getattr setattr globals vars type breakpoint".split()  # noqa: SIM905
}
METHODS = {"__subclasses__", "__getattribute__", "_getframe", "urandom"}
DANGEROUS_MODULES = {"posix", "gc", "sys", "_io", "_ctypes", "_imp"}
DANGEROUS_FUNCTIONS = {"os", "importlib", "asyncio.subprocess", "asyncio.base_events", "subprocess"}
TELLING = {
    "'__builtins__'": "globals as text",
    "__loader__": "globals as text",
    "<class 'code'>": "globals as text",
    "<built-in method __subclasses__": "a dunder as text",
    "<class 'function'>": "a dunder as text",
    "environ({": "modules as text",
    "'sys': <module": "modules as text",
}


class StubLink:
    """Serves every request of the gates, so that what they give to scripts can be tried too."""

    def ask(self, kind: Any, **fields: Any) -> bytes:
        encode = msgspec.msgpack.encode
        match kind.__name__:
            case "Fetch":
                status = 404 if "missing" in fields["url"] else 200
                headers = [("Content-Type", "application/json; charset=utf-8"), ("X-Thing", "1")]
                body = b'{"a": [1, 2.5, null]}'
                return encode(FetchResponse(status, "OK", fields["url"], headers, body, ["http://before/"]))
            case "FileRead":
                return b"line 1\nline 2\n"[fields["offset"] :][: fields["size"]]
            case "FileStat":
                return encode(FileInfo("file", 14, 0.0))
            case "FileList":
                return encode([FileEntry("a.txt", "file")])
        return b""


def judge(value: Any, flag: str) -> str | None:
    """What `value` is worth to an attacker, or None."""
    match value:
        case types.ModuleType():
            return f"module {value.__name__}"
        case types.FrameType():
            return "a frame"
        case types.CodeType():
            return "a code object"
        case str():
            return _judge_text(value, flag)
        case list() | tuple():
            return _judge_list(value, flag)
        case dict():
            return _judge_dict(value)
        case types.MethodType():
            return judge(value.__func__, flag)
    if id(value) in RAW:
        return f"raw {RAW[id(value)]}"
    return _judge_object(value)


def _judge_text(value: str, flag: str) -> str | None:
    if flag in value:
        return "a file of the host was read"
    if value.startswith(("poison", "shadowed", "memory", "MEMORY-READ-PROOF")):
        return value[:40]
    return next((prize for part, prize in TELLING.items() if part in value), None)


def _judge_list(value: Any, flag: str) -> str | None:
    if len(value) > 60 and all(isinstance(item, type) for item in value[:60]):
        return "all classes"
    return next((prize for item in value[:8] if (prize := judge(item, flag))), None)


def _judge_dict(value: dict[Any, Any]) -> str | None:
    if "__builtins__" in value:
        return "a globals dict"
    if any(isinstance(item, types.ModuleType) for item in list(value.values())[:300]):
        return "a dict with modules"
    return "a raw dict of a type" if value.get("__name__") == "builtins" or "__len__" in value else None


def _judge_object(value: Any) -> str | None:
    kind = type(value)
    if kind is types.BuiltinMethodType:
        owner = value.__self__
        if value.__name__ in ("format", "format_map") and isinstance(owner, str):
            return "raw str.format"
        if value.__name__ in METHODS:
            return f"raw {value.__name__}"
        if isinstance(owner, types.ModuleType) and owner.__name__ in DANGEROUS_MODULES:
            return f"{owner.__name__}.{value.__name__}"
    if "ctypes" in kind.__module__ or (isinstance(value, type) and "ctypes" in value.__module__):
        return "a ctypes object"
    if isinstance(value, type) and issubclass(value, type):
        return f"a metaclass: {value.__name__}"
    if isinstance(value, types.FunctionType) and value.__module__ in DANGEROUS_FUNCTIONS:
        return f"{value.__module__}.{value.__name__}"
    return "an event loop" if "EventLoop" in kind.__name__ else None


def attempt(source: str, plain: bool) -> tuple[list[str], str]:
    """Run one attempt in this process; its prizes and its error."""
    signal.alarm(TIMEOUT_S)
    flag = Path(FLAG).read_text()
    prizes: list[str] = []

    def leak(value: Any = None) -> None:
        try:
            prize = judge(value, flag)
        except Exception:
            prize = None
        if prize:
            prizes.append(prize)

    known = json.dumps, json.JSONEncoder.encode
    error = ""
    try:
        if plain:
            exec(
                compile(source, "<script>", "exec", dont_inherit=True), {"leak": leak, "__name__": "__main__"}
            )
        else:
            ownership.reset()
            gate.connect(StubLink())  # type: ignore[arg-type]
            library.use_environment({"A": "1"})
            exec(compile_script(source, views.star_names), make_globals({**library.builtins(), "leak": leak}))
    except BaseException as caught:
        error = f"{type(caught).__name__}: {caught}"
    if getattr(json, "dumps", None) is not known[0] or json.JSONEncoder.encode is not known[1]:
        prizes.append("the standard library was changed")
    if Path(CANARY).exists():
        prizes.append("a file of the host was written")
    return sorted(set(prizes)), error


def forked(source: str, plain: bool) -> tuple[list[str], str]:
    """`attempt` in a fork; a crash is a prize."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        encode = json.JSONEncoder.encode
        sys.modules["__main__"] = types.ModuleType("__main__")
        prizes, error = attempt(source, plain)
        os.write(writer, encode(json.JSONEncoder(), [prizes, error[:2000]]).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        data = pipe.read()
    _, status = os.waitpid(pid, 0)
    Path(CANARY).unlink(missing_ok=True)
    if not data:
        return [f"the process ended with wait status {status}"], ""
    prizes, error = json.loads(data)
    return prizes, error


def main(arguments: list[str]) -> None:
    """Judge every file."""
    plain = "--plain" in arguments
    files = [Path(argument) for argument in arguments if not argument.startswith("--")]
    if not plain:
        stdlib.install()
        library.install()
        for module in views.available():
            views.view(module)
        CONSOLE.open(lambda *_: None, 1 << 20, timer=False)
    print(json.dumps({path.name: forked(path.read_text(), plain) for path in files}))


if __name__ == "__main__":
    main(sys.argv[1:])
