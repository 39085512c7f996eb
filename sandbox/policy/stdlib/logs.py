"""A small `logging` that writes to the run's stderr.

Owns loggers, their hierarchy, and the module's functions. Must not know how text leaves the process, or how a record
becomes text (`records.py`).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any

from sandbox.policy import ownership, views
from sandbox.policy.names import words
from sandbox.policy.stdlib import records
from sandbox.policy.stdlib.records import Filter, Filterer, Formatter, Handler, LogRecord, StreamHandler

BASIC_FORMAT = "%(levelname)s:%(name)s:%(message)s"


@records.for_instances
class Leveled:
    """What has a `log`, with a method for each level."""

    log: Any

    def debug(self, msg: Any, *args: Any, **options: Any) -> None:
        """A DEBUG record."""
        self.log(10, msg, *args, **options)

    def info(self, msg: Any, *args: Any, **options: Any) -> None:
        """An INFO record."""
        self.log(20, msg, *args, **options)

    def warning(self, msg: Any, *args: Any, **options: Any) -> None:
        """A WARNING record."""
        self.log(30, msg, *args, **options)

    warn = warning

    def error(self, msg: Any, *args: Any, **options: Any) -> None:
        """An ERROR record."""
        self.log(40, msg, *args, **options)

    def critical(self, msg: Any, *args: Any, **options: Any) -> None:
        """A CRITICAL record."""
        self.log(50, msg, *args, **options)

    fatal = critical

    def exception(self, msg: Any, *args: Any, **options: Any) -> None:
        """An ERROR record with the exception being handled."""
        self.log(40, msg, *args, **{"exc_info": True, **options})


@records.for_instances
class Logger(Filterer, Leveled):
    """A named logger; records rise to its parents' handlers."""

    def __init__(self, name: str, level: int | str = 0) -> None:
        super().__init__()
        self.name = name
        self.level = records.level_number(level)
        self.parent: Any = None
        self.propagate = True
        self.disabled = False
        self.handlers: list[Any] = []

    def setLevel(self, level: int | str) -> None:  # noqa: N802
        """Leave out records below `level`."""
        self.level = records.level_number(level)

    def getEffectiveLevel(self) -> int:  # noqa: N802
        """The level of this logger or its nearest parent that has one."""
        return next((logger.level for logger in _line(self) if logger.level), 0)

    def isEnabledFor(self, level: int) -> bool:  # noqa: N802
        """Whether a record of `level` would be written."""
        return level > _disabled[0] and level >= self.getEffectiveLevel()

    def addHandler(self, handler: Any) -> None:  # noqa: N802
        """Also write to `handler`."""
        if handler not in self.handlers:
            self.handlers.append(handler)

    def removeHandler(self, handler: Any) -> None:  # noqa: N802
        """Do not write to `handler` any more."""
        if handler in self.handlers:
            self.handlers.remove(handler)

    def hasHandlers(self) -> bool:  # noqa: N802
        """Whether any handler would get a record."""
        return any(logger.handlers for logger in _reached(self))

    def getChild(self, suffix: str) -> Any:  # noqa: N802
        """The logger below this one."""
        return get_logger(suffix if self is _root else f"{self.name}.{suffix}")

    def handle(self, record: Any) -> None:
        """Give `record` to every handler that it reaches."""
        if self.disabled or not self.filter(record):
            return
        handlers = [handler for logger in _reached(self) for handler in logger.handlers]
        for handler in handlers or ([_LAST_RESORT] if record.levelno >= _LAST_RESORT.level else []):
            handler.handle(record)

    def log(
        self,
        level: int,
        msg: Any,
        *args: Any,
        exc_info: Any = False,
        extra: Mapping[str, Any] | None = None,
        **_options: Any,
    ) -> None:
        """Write a record of `level`; `exc_info`: with an exception, or the one that is being handled."""
        if not isinstance(level, int):
            raise TypeError("level must be an integer")
        if self.isEnabledFor(level):
            error = exc_info if isinstance(exc_info, BaseException) else exc_info and sys.exc_info()[1]
            record = LogRecord(self.name, level, msg, args, error or None)
            self.handle(records.with_extra(record, extra))

    def __repr__(self) -> str:
        return f"<Logger {self.name} ({records.level_name(self.getEffectiveLevel())})>"


@records.for_instances
class LoggerAdapter(Leveled):
    """A logger with `extra` attributes for each of its records."""

    def __init__(self, logger: Any, extra: Mapping[str, Any] | None = None, **_options: Any) -> None:
        self.logger = logger
        self.extra = extra

    def process(self, msg: Any, kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """The message and options of a record; a subclass may change them."""
        return msg, {**kwargs, "extra": self.extra}

    def log(self, level: int, msg: Any, *args: Any, **options: Any) -> None:
        """Write a record of `level`."""
        if self.logger.isEnabledFor(level):
            msg, options = self.process(msg, options)
            self.logger.log(level, msg, *args, **options)


_LAST_RESORT = StreamHandler()
_LAST_RESORT.setLevel(30)
_root = Logger("root", 30)
_loggers: dict[str, Logger] = {}
_disabled = [0]


def _line(logger: Any) -> Iterator[Any]:
    """`logger` and those above it."""
    while logger is not None:
        yield logger
        logger = logger.parent


def _reached(logger: Any) -> Iterator[Any]:
    """Those whose handlers get the records of `logger`."""
    for each in _line(logger):
        yield each
        if not each.propagate:
            return


def get_logger(name: str | None = None) -> Logger:
    """`logging.getLogger`."""
    if not name or name == "root":
        return _root
    if name not in _loggers:
        parent, _, _ = name.rpartition(".")
        made = _loggers[name] = Logger(name)
        made.parent = get_logger(parent)
    return _loggers[name]


def basic_config(
    *,
    level: int | str | None = None,
    format: str | None = None,
    datefmt: str | None = None,
    style: str = "%",
    handlers: list[Any] | None = None,
    stream: Any = None,
    force: bool = False,
    filename: Any = None,
    **_options: Any,
) -> None:
    """`logging.basicConfig`."""
    if filename is not None:
        raise ValueError("logs go to the run's stderr or a stream, not to files")
    if _root.handlers and not force:
        return
    _root.handlers.clear()
    for handler in handlers or [StreamHandler(stream)]:
        if handler.formatter is None:
            handler.setFormatter(Formatter(format or BASIC_FORMAT, datefmt, style))
        _root.addHandler(handler)
    if level is not None:
        _root.setLevel(level)


def disable(level: int | str = 50) -> None:
    """`logging.disable`."""
    _disabled[0] = records.level_number(level)


def _module_function(name: str) -> Any:
    def function(*args: Any, **options: Any) -> None:
        basic_config()
        getattr(_root, name)(*args, **options)

    return function


def _members() -> dict[str, Any]:
    return {
        **records.LEVELS,
        "WARN": 30,
        "FATAL": 50,
        "BASIC_FORMAT": BASIC_FORMAT,
        "getLogger": get_logger,
        "basicConfig": basic_config,
        "getLevelName": records.level_name,
        "addLevelName": records.add_level_name,
        "disable": disable,
        "captureWarnings": lambda capture: None,
        "shutdown": lambda: None,
        "root": _root,
        "Logger": Logger,
        "LoggerAdapter": LoggerAdapter,
        "LogRecord": LogRecord,
        "Formatter": Formatter,
        "Filter": Filter,
        "Handler": Handler,
        "StreamHandler": StreamHandler,
        "NullHandler": records.NullHandler,
        **{name: _module_function(name) for name in words("debug info warning error critical exception log")},
    }


def install() -> None:
    """Provide `logging`."""
    records.install()
    for cls in (Logger, LoggerAdapter):
        ownership.add_writable(cls)
    views.provide("logging", _members)
