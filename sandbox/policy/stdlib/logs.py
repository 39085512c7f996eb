"""A small `logging` that writes to the run's stderr.

Owns loggers, levels and the percent style; the library's own formatter would follow attribute paths that a script
gives. Must not know how text leaves the process.
"""

from __future__ import annotations

import sys
import time
from typing import Any

from sandbox.policy import views
from sandbox.policy.names import words
from sandbox.policy.stdlib.system import stream
from sandbox.policy.tracebacks import script_traceback

LEVELS = {"DEBUG": 10, "INFO": 20, "WARNING": 30, "ERROR": 40, "CRITICAL": 50}
_NAMES = {number: name for name, number in LEVELS.items()}
_DEFAULT_FORMAT = "%(levelname)s:%(name)s:%(message)s"
_DEFAULT_DATE = "%Y-%m-%d %H:%M:%S"


def level_number(level: int | str) -> int:
    """A level's number. Raises `ValueError` for an unknown name."""
    if isinstance(level, str):
        if level not in LEVELS:
            raise ValueError(f"Unknown level: {level!r}")
        return LEVELS[level]
    return int(level)


class Formatter:
    """A record's text in percent style."""

    def __init__(
        self, fmt: str | None = None, datefmt: str | None = None, style: str = "%", **_: Any
    ) -> None:
        if style != "%":
            raise ValueError("only the percent style is available to scripts")
        self._format = fmt or "%(message)s"
        self._date_format = datefmt

    def format(self, record: dict[str, Any]) -> str:
        """The text of `record`."""
        if "%(asctime)" in self._format:
            stamp = time.strftime(self._date_format or _DEFAULT_DATE, time.localtime(record["created"]))
            record["asctime"] = stamp if self._date_format else f"{stamp},{int(record['msecs']):03d}"
        return str(self._format % record)


class Handler:
    """Where records go: the run's stderr, or a text stream of the script."""

    def __init__(self, stream: Any = None) -> None:
        self._stream = stream
        self._formatter = Formatter()
        self._level = 0

    def setFormatter(self, formatter: Formatter) -> None:  # noqa: N802
        """Use `formatter`."""
        self._formatter = formatter

    def setLevel(self, level: int | str) -> None:  # noqa: N802
        """Leave out records below `level`."""
        self._level = level_number(level)

    def _handle(self, record: dict[str, Any]) -> None:
        if record["levelno"] >= self._level:
            target = stream("stderr") if self._stream is None else self._stream
            target.write(self._formatter.format(dict(record)) + "\n")


class Logger:
    """A named logger; records rise to its parents' handlers."""

    def __init__(self, name: str, parent: Logger | None) -> None:
        self.name = name
        self.parent = parent
        self.handlers: list[Handler] = []
        self._level = 0
        self._propagate = True

    def setLevel(self, level: int | str) -> None:  # noqa: N802
        """Leave out records below `level`."""
        self._level = level_number(level)

    def getEffectiveLevel(self) -> int:  # noqa: N802
        """The level of this logger or its nearest parent that has one."""
        if self._level or self.parent is None:
            return self._level
        return self.parent.getEffectiveLevel()

    def isEnabledFor(self, level: int) -> bool:  # noqa: N802
        """Whether a record of `level` would be written."""
        return level >= self.getEffectiveLevel()

    def addHandler(self, handler: Handler) -> None:  # noqa: N802
        """Also write to `handler`."""
        self.handlers.append(handler)

    def hasHandlers(self) -> bool:  # noqa: N802
        """Whether any handler would get a record."""
        return bool(self.handlers) or (self.parent is not None and self.parent.hasHandlers())

    def log(self, level: int, message: Any, *args: Any, exc_info: Any = False, **_options: Any) -> None:
        """Write a record of `level`."""
        if not self.isEnabledFor(level):
            return
        text = str(message)
        if args:
            text %= args[0] if len(args) == 1 and isinstance(args[0], dict) and args[0] else args
        if exc_info and (error := sys.exc_info()[1]) is not None:
            text += "\n" + script_traceback(error).rstrip("\n")
        now = time.time()
        record = {
            "name": self.name,
            "levelno": level,
            "levelname": _NAMES.get(level, f"Level {level}"),
            "message": text,
            "created": now,
            "msecs": now % 1 * 1000,
        }
        handlers = list(self._reached())
        for handler in handlers or [_LAST_RESORT]:
            handler._handle(record)

    def _reached(self) -> list[Handler]:
        above = self.parent._reached() if self.parent is not None and self._propagate else []
        return [*self.handlers, *above]

    def debug(self, message: Any, *args: Any, **options: Any) -> None:
        """A DEBUG record."""
        self.log(10, message, *args, **options)

    def info(self, message: Any, *args: Any, **options: Any) -> None:
        """An INFO record."""
        self.log(20, message, *args, **options)

    def warning(self, message: Any, *args: Any, **options: Any) -> None:
        """A WARNING record."""
        self.log(30, message, *args, **options)

    def error(self, message: Any, *args: Any, **options: Any) -> None:
        """An ERROR record."""
        self.log(40, message, *args, **options)

    def critical(self, message: Any, *args: Any, **options: Any) -> None:
        """A CRITICAL record."""
        self.log(50, message, *args, **options)

    def exception(self, message: Any, *args: Any, **options: Any) -> None:
        """An ERROR record with the exception being handled."""
        self.log(40, message, *args, **{"exc_info": True, **options})


_LAST_RESORT = Handler()
_LAST_RESORT.setLevel(30)
_root = Logger("root", None)
_root.setLevel("WARNING")
_loggers: dict[str, Logger] = {"": _root, "root": _root}


def get_logger(name: str | None = None) -> Logger:
    """`logging.getLogger`."""
    if not name:
        return _root
    if name not in _loggers:
        parent, _, _ = name.rpartition(".")
        _loggers[name] = Logger(name, get_logger(parent) if parent else _root)
    return _loggers[name]


def basic_config(
    *,
    level: int | str | None = None,
    format: str | None = None,
    datefmt: str | None = None,
    handlers: list[Handler] | None = None,
    stream: Any = None,
    force: bool = False,
    **_options: Any,
) -> None:
    """`logging.basicConfig`."""
    if _root.handlers and not force:
        return
    _root.handlers.clear()
    for handler in handlers or [Handler(stream)]:
        handler.setFormatter(Formatter(format or _DEFAULT_FORMAT, datefmt))
        _root.addHandler(handler)
    if level is not None:
        _root.setLevel(level)


def _module_level(name: str) -> Any:
    def function(message: Any, *args: Any, **options: Any) -> None:
        basic_config()
        getattr(_root, name)(message, *args, **options)

    return function


def _members() -> dict[str, Any]:
    return {
        **LEVELS,
        "WARN": 30,
        "FATAL": 50,
        "NOTSET": 0,
        "getLogger": get_logger,
        "basicConfig": basic_config,
        "getLevelName": lambda level: _NAMES.get(level, f"Level {level}"),
        "Logger": Logger,
        "Formatter": Formatter,
        "StreamHandler": Handler,
        "NullHandler": Handler,
        **{name: _module_level(name) for name in words("debug info warning error critical exception")},
    }


def install() -> None:
    """Provide `logging`."""
    views.provide("logging", _members)
