"""Runs and their events, as the server tells of them.

Owns the records. Must not know HTTP.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kernelgate.errors import ApiError
from kernelgate.values import decode

_FINAL = frozenset({"succeeded", "failed", "cancelled", "timed_out"})


@dataclass(frozen=True, slots=True)
class Run:
    """A script's execution as the server last told it; `raw` is the whole record."""

    id: str
    status: str
    result: Any
    error: ApiError | None
    stdout: str
    stderr: str
    usage: Mapping[str, Any]
    raw: Mapping[str, Any]

    @property
    def done(self) -> bool:
        """Whether the run is over."""
        return self.status in _FINAL

    def checked(self) -> Run:
        """This run, if it succeeded. Raises its error."""
        if self.status != "succeeded":
            raise self.failure()
        return self

    def failure(self) -> ApiError:
        """Why this run, which did not succeed, did not."""
        return self.error or ApiError({"code": self.status, "detail": f"the run was {self.status}"})


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in a run: `kind` as `stdout`, `progress` or `status`, and its data."""

    id: str
    kind: str
    data: str


def run_of(record: dict[str, Any]) -> Run:
    """The run that a document of the server describes."""
    error = record.get("error")
    return Run(
        id=record["id"],
        status=record["status"],
        result=decode(record.get("result")),
        error=ApiError(error) if error else None,
        stdout=record.get("stdout") or "",
        stderr=record.get("stderr") or "",
        usage=record.get("usage") or {},
        raw=record,
    )


class Follower:
    """The events in the lines of a stream, which may be cut and taken up again. `after` is the id of the last one."""

    def __init__(self, after: str | None = None) -> None:
        self.after = after or ""
        self._fields: dict[str, str] = {}

    @property
    def headers(self) -> dict[str, str]:
        """What asks the server for all that came after."""
        self._fields = {}
        return {"Last-Event-ID": self.after} if self.after else {}

    def feed(self, line: str) -> Iterator[Event]:
        """The event that `line` ends, if it does."""
        fields = self._fields
        if line:
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            fields[name] = f"{fields[name]}\n{value}" if name == "data" and "data" in fields else value
        elif fields:
            self._fields = {}
            if "data" in fields:
                self.after = fields.get("id", self.after)
                yield Event(fields.get("id", ""), fields.get("event", "message"), fields["data"])
