"""The server's log: short lines for a terminal, or one JSON object a line for a machine.

Owns both forms, and what of the request or run under way stands on each line. Must not know what is logged, or HTTP.
"""

from __future__ import annotations

import contextlib
import contextvars
import logging
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Literal, Protocol

import msgspec

Form = Literal["text", "json"]
DETAILS = "details"
"""The attribute of a record whose mapping stands on the line of JSON: `log.info(…, extra={DETAILS: {…}})`."""
ENDED = logging.getLogger("kernelgate.ended")
"""Tells of each request and run that ended; in lines of JSON only."""
MAX_MESSAGE = 10_000


class Subject(Protocol):
    """What is under way. Its `marks` may become more as it goes on; they hold no secret."""

    def marks(self) -> Mapping[str, str]:
        """Of `request_id`, `run_id`, `key_id` and `route` those that are known."""


_subjects: contextvars.ContextVar[tuple[Subject, ...]] = contextvars.ContextVar("subjects", default=())


@contextlib.contextmanager
def during(subject: Subject) -> Iterator[None]:
    """Inside, and in tasks that begin inside, lines are about `subject` too."""
    token = _subjects.set((*_subjects.get(), subject))
    try:
        yield
    finally:
        _subjects.reset(token)


def marks() -> dict[str, str]:
    """Those of all that is under way here; of two alike the inner one's."""
    return {name: value for subject in _subjects.get() for name, value in subject.marks().items()}


class JsonLines(logging.Formatter):
    """A record as one line of JSON: `time`, `level`, `logger`, `message`, marks, details, and `error`, a traceback."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, without its end."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage()[:MAX_MESSAGE],
            **marks(),
            **getattr(record, DETAILS, {}),
        }
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return msgspec.json.encode(line).decode()


def configure(form: Form) -> None:
    """Let all loggers write to standard error in this form."""
    handler = logging.StreamHandler()
    handler.setFormatter(
        JsonLines()
        if form == "json"
        else logging.Formatter("%(asctime)s %(levelname).1s %(message)s", datefmt="%H:%M:%S")
    )
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    ENDED.setLevel(logging.INFO if form == "json" else logging.WARNING)
    logging.getLogger("uvicorn.error").setLevel(
        logging.CRITICAL
    )  # until it has started: `listen` says why not
    logging.getLogger("alembic").setLevel(logging.WARNING)
