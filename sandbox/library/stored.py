"""Stored scripts, as far as a script imports or calls them.

Owns the asking for their text, how many and how deep, and their life as read-only modules of ordinary scripts: each
runs once, in globals of its own. What another owner's script means by a name alone is that owner's. Must not know where
they are stored.
"""

from __future__ import annotations

import re
import sys
import types
from collections.abc import Callable
from typing import Any

import msgspec

from sandbox.frames import LoadScript
from sandbox.link import Link
from sandbox.policy import modules, names, ownership, tracebacks, views
from sandbox.policy.builtins import make_globals
from sandbox.policy.compiler import compile_script
from sandbox.policy.denials import BadScript, HostError
from sandbox.policy.views import Namespace
from shaders.errors import KernelgateError

MAX_SCRIPTS = 64
MAX_DEPTH = 16
_REFERENCE = re.compile(r"(?:([^/@]{1,64})/)?([^/@]{1,64})(?:@[0-9a-f]{8,64})?")
_link: Link | None = None
_builtins: Callable[[str], dict[str, Any]]
_sources: dict[str, str | None] = {}
_modules: dict[str, Namespace] = {}
_loading: list[str] = []


def connect(link: Link, builtins: Callable[[str], dict[str, Any]]) -> None:
    """Ask over `link`; imported scripts of an owner ("" is the run's own) have the further `builtins(owner)` too."""
    global _link, _builtins
    _link = link
    _builtins = builtins


def install() -> None:
    """Let `import` find stored scripts after everything else."""
    views.find_elsewhere(module)


def source_of(name: str) -> str | None:
    """The text of the stored script `name`, or `owner/name`, None when there is none; asked for once. Raises
    `ImportError`."""
    if name not in _sources and _link is not None:
        if len(_sources) >= MAX_SCRIPTS:
            raise ImportError(f"a run may import at most {MAX_SCRIPTS} stored scripts", name=name)
        try:
            _sources[name] = _link.ask(LoadScript, name=name).decode()
        except HostError as refusal:
            if refusal.code != "script_not_found":
                raise
            _sources[name] = None
    return _sources.get(name)


def bad_script(name: str, error: KernelgateError) -> BadScript:
    """What importing `name` raises when its text is refused, with that script's own line."""
    record = error.record()
    return BadScript(msgspec.structs.replace(record, message=f"{record.message} (in script {name})"))


def module(name: str) -> Namespace | None:
    """What `import name` gives for a stored script, which runs at the first import; None when there is none.

    Raises `ImportError` for scripts that import each other, or too deeply, `BadScript`, and what the script raises.
    """
    return _module(name) if modules.can_be_stored(name) else None


def finder_of(owner: str) -> views.Finder:
    """As `module`, for the scripts of another owner."""
    return lambda name: _module(f"{owner}/{name}") if modules.can_be_stored(name) else None


def _module(name: str) -> Namespace | None:
    if name in _modules:
        return _modules[name]
    if name in _loading:
        chain = " → ".join([*_loading[_loading.index(name) :], name])
        raise ImportError(f"stored scripts import each other: {chain}", name=name)
    source = source_of(name)
    if source is None:
        return None
    if len(_loading) >= MAX_DEPTH:
        raise ImportError(f"stored scripts import each other more than {MAX_DEPTH} deep", name=name)
    _loading.append(name)
    try:
        _modules[name] = Namespace(name, _run(name, source))
    finally:
        _loading.pop()
    return _modules[name]


def import_by(importer: Callable[[str], Any]) -> None:
    """Import stored scripts by `importer`, where they are not views but modules."""
    global _importer
    _importer = importer


def space_of(name: str, home: str = "") -> dict[str, Any]:
    """The public names of the stored script `name`, `name@hash`, `owner/name` or `owner/name@hash`, which runs at the
    first call. Without an owner it is of `home`.

    Raises as `module` does, and `ModuleNotFoundError` when there is none.
    """
    match = _REFERENCE.fullmatch(name)
    if match is None or not modules.can_be_stored(match.group(2)):
        found = None
    elif home and match.group(1) is None:
        found = _module(f"{home}/{name}")
    else:
        found = _importer(name)
    if found is None:
        raise ModuleNotFoundError(f"there is no stored script {name!r}", name=name)
    return {key: getattr(found, key) for key in dir(found) if not names.is_private(key)}


def _run(name: str, source: str) -> dict[str, Any]:
    """The public names that the script binds."""
    filename = tracebacks.stored_filename(name)
    tracebacks.remember(source, filename)
    try:
        code = compile_script(source, views.star_names, filename)
    except KernelgateError as error:
        raise bad_script(name, error) from None
    space = make_globals(_builtins(name.rpartition("/")[0]))
    space["__name__"] = ownership.add_module(name)
    sys.modules[space["__name__"]] = types.ModuleType(name)  # empty: the library looks classes' modules up
    exec(code, space)
    return {key: value for key, value in space.items() if not names.is_private(key)}


_importer: Callable[[str], Any] = _module
