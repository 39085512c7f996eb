"""`warnings`, with filters of the script's own.

Owns what a warning becomes: a line on stderr, an exception, an item of a list that the script asked for, or nothing.
Must not know how text leaves the process.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sandbox.policy import views
from sandbox.policy.compiler import FILENAME
from sandbox.policy.stdlib.records import script_line
from sandbox.policy.stdlib.system import stream

ACTIONS = ("default", "error", "ignore", "always", "all", "module", "once")


@dataclass(frozen=True, slots=True)
class _Rule:
    """What to do with warnings of `category` whose text begins as `message` says."""

    action: str
    message: re.Pattern[str]
    category: Any


class WarningMessage:
    """A warning that was recorded."""

    def __init__(self, message: Warning, category: Any, lineno: int) -> None:
        self.message, self.category, self.lineno = message, category, lineno
        self.filename = FILENAME

    def __str__(self) -> str:
        return (
            f"{{message : {self.message!r}, category : {self.category.__name__!r}, lineno : {self.lineno}}}"
        )


_rules: list[_Rule] = []
_seen: set[tuple[str, Any, int]] = set()
_recording: list[list[WarningMessage] | None] = []


def warn(message: Any, category: Any = None, *_args: Any, **_options: Any) -> None:
    """`warnings.warn`. Raises the warning when a filter says so."""
    category = type(message) if isinstance(message, Warning) else category or UserWarning
    if not (isinstance(category, type) and issubclass(category, Warning)):
        raise TypeError(f"category must be a Warning subclass, not {type(category).__name__!r}")
    warning = message if isinstance(message, Warning) else category(message)
    text, line = str(warning), script_line()
    fitting = (rule for rule in _rules if issubclass(category, rule.category) and rule.message.match(text))
    action = next((rule.action for rule in fitting), "default")
    if action == "error":
        raise warning
    once = (text, category, 0 if action in ("once", "module") else line)
    if action == "ignore" or (action not in ("always", "all") and once in _seen):
        return
    _seen.add(once)
    if _recording and (found := _recording[-1]) is not None:
        found.append(WarningMessage(warning, category, line))
    else:
        stream("stderr").write(f"{FILENAME}:{line}: {category.__name__}: {text}\n")


def filter_warnings(
    action: str, message: str = "", category: Any = Warning, *_args: Any, **options: Any
) -> None:
    """`warnings.filterwarnings`."""
    if action not in ACTIONS:
        raise ValueError(f"invalid action: {action!r}")
    if not (isinstance(category, type) and issubclass(category, Warning)):
        raise TypeError("category must be a Warning subclass")
    rule = _Rule(action, re.compile(str(message), re.IGNORECASE), category)
    _rules.insert(len(_rules) if options.get("append") else 0, rule)
    _seen.clear()


def simple_filter(action: str, category: Any = Warning, *_args: Any, **options: Any) -> None:
    """`warnings.simplefilter`."""
    filter_warnings(action, "", category, **options)


def reset() -> None:
    """`warnings.resetwarnings`."""
    _rules.clear()


@contextlib.contextmanager
def catch(
    *, record: bool = False, action: str | None = None, category: Any = Warning, **_options: Any
) -> Iterator[list[WarningMessage] | None]:
    """`warnings.catch_warnings`: filters are as before after it; with `record`, the list of what was warned of."""
    kept = list(_rules)
    found: list[WarningMessage] | None = [] if record else None
    _recording.append(found if record else (_recording[-1] if _recording else None))
    _seen.clear()
    try:
        if action is not None:
            simple_filter(action, category)
        yield found
    finally:
        _recording.pop()
        _rules[:] = kept


def install() -> None:
    """Provide `warnings`."""
    views.provide(
        "warnings",
        lambda: {
            "warn": warn,
            "filterwarnings": filter_warnings,
            "simplefilter": simple_filter,
            "resetwarnings": reset,
            "catch_warnings": catch,
            "WarningMessage": WarningMessage,
        },
    )
