"""`logging`'s records, formatters, filters and handlers.

Owns what becomes of one record on its way to a text stream. The library's own would follow attribute paths that a
script gives, and open files. Must not know loggers.
"""

from __future__ import annotations

import functools
import string
import sys
import time
import types
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from sandbox.policy import names, ownership, tracebacks
from sandbox.policy.attributes import FORMATTER
from sandbox.policy.keys import store_key
from sandbox.policy.stdlib.system import stream as stream_now

C = TypeVar("C", bound=type)
LEVELS = {"CRITICAL": 50, "ERROR": 40, "WARNING": 30, "INFO": 20, "DEBUG": 10, "NOTSET": 0}
_names = {number: name for name, number in LEVELS.items()}
_DEFAULT_DATE = "%Y-%m-%d %H:%M:%S"


def level_number(level: int | str) -> int:
    """A level's number. Raises `ValueError` for an unknown name."""
    if isinstance(level, str):
        if level not in LEVELS:
            raise ValueError(f"Unknown level: {level!r}")
        return LEVELS[level]
    return int(level)


def level_name(level: int | str) -> Any:
    """`logging.getLevelName`."""
    if isinstance(level, str):
        return LEVELS.get(level, f"Level {level}")
    return _names.get(level, f"Level {level}")


def add_level_name(level: int, name: str) -> None:
    """`logging.addLevelName`."""
    LEVELS[str(name)], _names[int(level)] = int(level), str(name)


def for_instances(cls: C) -> C:
    """`cls`, whose methods refuse an object of another class: called through the class they would change any."""
    for name, method in list(vars(cls).items()):
        if callable(method) and not names.is_dunder(name):
            setattr(cls, name, _checked(cls, method))
    return cls


def _checked(cls: type, method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def checked(self: Any, *args: Any, **options: Any) -> Any:
        if cls not in type(self).__mro__:
            raise TypeError(
                f"{method.__name__}() needs a {cls.__name__!r} object, not {type(self).__name__!r}"
            )
        return method(self, *args, **options)

    return checked


class LogRecord:
    """What was logged. Its attributes belong to the script, which may add some."""

    def __init__(self, name: str, level: int, message: Any, args: tuple[Any, ...], exc_info: Any) -> None:
        now = time.time()
        self.name, self.levelno, self.levelname = name, level, level_name(level)
        self.msg = message
        self.args: Any = args[0] if len(args) == 1 and isinstance(args[0], Mapping) and args[0] else args
        self.exc_info = None
        self.exc_text = tracebacks.script_traceback(exc_info).rstrip("\n") if exc_info is not None else None
        self.created, self.msecs = now, now % 1 * 1000
        self.filename = self.pathname = "<script>"
        self.module, self.processName, self.threadName = "script", "MainProcess", "MainThread"
        self.process = self.thread = 1
        code, self.lineno = _caller()
        self.funcName = names.unmangle(code.co_name)

    def getMessage(self) -> str:  # noqa: N802
        """The text with its arguments in place."""
        return str(self.msg) % self.args if self.args else str(self.msg)


def _caller() -> tuple[types.CodeType, int]:
    """The code of the script that logs or warns, and its line."""
    frame = sys._getframe()
    while frame.f_back is not None and not tracebacks.is_script(frame.f_code.co_filename):
        frame = frame.f_back
    return frame.f_code, frame.f_lineno


def script_line() -> int:
    """The line that the script is at."""
    return _caller()[1]


@for_instances
class Formatter:
    """A record's text in percent, brace or dollar style."""

    def __init__(
        self, fmt: str | None = None, datefmt: str | None = None, style: str = "%", *_: Any, **__: Any
    ) -> None:
        if style not in _STYLES:
            raise ValueError(f"Style must be one of: {','.join(_STYLES)}")
        self._format = fmt or {"%": "%(message)s", "{": "{message}", "$": "${message}"}[style]
        self._style = style
        self.datefmt = datefmt

    def format(self, record: Any) -> str:
        """The text of `record`, with the traceback below it."""
        record.message = record.getMessage()
        record.asctime = self.formatTime(record, self.datefmt)
        fields = {names.unmangle(name): value for name, value in record.__dict__.items()}
        text = _STYLES[self._style](str(self._format), fields)
        return f"{text}\n{record.exc_text}" if record.exc_text else text

    def formatTime(self, record: Any, datefmt: str | None = None) -> str:  # noqa: N802
        """When it was logged."""
        stamp = time.strftime(datefmt or _DEFAULT_DATE, time.localtime(record.created))
        return stamp if datefmt else f"{stamp},{int(record.msecs):03d}"


_STYLES: dict[str, Callable[[str, dict[str, Any]], str]] = {
    "%": lambda text, fields: text % fields,
    "{": lambda text, fields: FORMATTER.vformat(text, (), fields),
    "$": lambda text, fields: string.Template(text).substitute(fields),
}


@for_instances
class Filter:
    """Lets through the records of one logger and those below it."""

    def __init__(self, name: str = "") -> None:
        self.name = name

    def filter(self, record: Any) -> bool:
        """Whether `record` goes on."""
        return not self.name or record.name == self.name or record.name.startswith(f"{self.name}.")


@for_instances
class Filterer:
    """What has filters: objects with `filter(record)`, or functions."""

    def __init__(self) -> None:
        self.filters: list[Any] = []

    def addFilter(self, filter: Any) -> None:  # noqa: N802
        """Ask `filter` too."""
        if filter not in self.filters:
            self.filters.append(filter)

    def removeFilter(self, filter: Any) -> None:  # noqa: N802
        """Do not ask `filter` any more."""
        if filter in self.filters:
            self.filters.remove(filter)

    def filter(self, record: Any) -> bool:
        """Whether every filter lets `record` through."""
        return all(each.filter(record) if hasattr(each, "filter") else each(record) for each in self.filters)


@for_instances
class Handler(Filterer):
    """Where records go: a subclass says where in `emit`."""

    def __init__(self, level: int | str = 0) -> None:
        super().__init__()
        self.level = level_number(level)
        self.formatter: Any = None

    def setFormatter(self, formatter: Any) -> None:  # noqa: N802
        """Use `formatter`."""
        self.formatter = formatter

    def setLevel(self, level: int | str) -> None:  # noqa: N802
        """Leave out records below `level`."""
        self.level = level_number(level)

    def format(self, record: Any) -> str:
        """The text of `record`."""
        text: str = (self.formatter or _PLAIN).format(record)
        return text

    def handle(self, record: Any) -> None:
        """Emit `record` unless its level or a filter says no."""
        if record.levelno >= self.level and self.filter(record):
            self.emit(record)

    def emit(self, record: Any) -> None:
        """For subclasses."""
        raise NotImplementedError("emit must be implemented by Handler subclasses")

    def flush(self) -> None:
        """Nothing waits."""

    def close(self) -> None:
        """Nothing is held."""


@for_instances
class StreamHandler(Handler):
    """To a text stream of the script, or the run's stderr."""

    terminator = "\n"

    def __init__(self, stream: Any = None) -> None:
        super().__init__()
        self.stream = stream

    def emit(self, record: Any) -> None:
        """Write the record's text as a line."""
        target = stream_now("stderr") if self.stream is None else self.stream
        target.write(self.format(record) + self.terminator)


@for_instances
class NullHandler(Handler):
    """Nowhere."""

    def emit(self, record: Any) -> None:
        """Nothing."""


_PLAIN = Formatter()


def with_extra(record: LogRecord, extra: Mapping[str, Any] | None) -> LogRecord:
    """`record` with further attributes. Raises `KeyError` for one that it has."""
    for name, value in (extra or {}).items():
        key = store_key(name)
        if key in record.__dict__ or key in ("message", "asctime"):
            raise KeyError(f"Attempt to overwrite {name!r} in LogRecord")
        record.__dict__[key] = value
    return record


def install() -> None:
    """Let scripts set the attributes of records and handlers, and call what formats them."""
    ownership.adopt(LogRecord)
    for cls in (Formatter, Filter, Filterer, Handler, StreamHandler, NullHandler):
        ownership.add_writable(cls)
    FORMATTER.trust(vars(Formatter)["format"], vars(Handler)["format"])
