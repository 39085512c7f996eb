"""A run as it goes on: its output and progress as they come, and its end.

Owns what a terminal shows meanwhile. Must not know how a run was asked for.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from kernelgate.client import Client
from kernelgate.commands.printing import complain_of, print_run
from kernelgate.problems import complain
from kernelgate.runs import Run, run_of


class Bar(Protocol):
    """What shows how far a run is."""

    def show(self, fraction: float | None, text: str) -> None:
        """So far it is, and these are its values."""


class _Lines:
    """Progress where no terminal is: a line each."""

    def show(self, fraction: float | None, text: str) -> None:
        """A line on stderr."""
        print("".join((f"{fraction or 0:4.0%}  ", text)).rstrip(), file=sys.stderr)


class _Live:
    """Progress on a terminal."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task = progress.add_task("", total=None)

    def show(self, fraction: float | None, text: str) -> None:
        """Move the bar."""
        self._progress.update(self._task, completed=fraction or 0, total=1, description=text)


def finish(client: Client, run: Run, *, watch: bool, as_json: bool) -> int:
    """Wait until the run is over and print it; the exit status. Ctrl-C cancels the run."""
    try:
        if watch:
            return _watched(client, run, as_json)
        while not run.done:
            run = client.wait(run.id)
        return print_run(run, as_json)
    except KeyboardInterrupt:
        complain_of(client.cancel(run.id), as_json)
        return 130


def _watched(client: Client, run: Run, as_json: bool) -> int:
    """Follow the run's events; as JSON each is a line `{"event", "data"}`."""
    with _bar(as_json) as bar:
        for event in client.events(run.id):
            data = json.loads(event.data)
            if as_json:
                print(json.dumps({"event": event.kind, "data": data}, ensure_ascii=False), flush=True)
            if event.kind == "result":
                run = run_of(data)
            elif not as_json:
                _show(bar, event.kind, data)
    return complain_of(run, as_json) if as_json else print_run(run, as_json, output=False)


def _show(bar: Bar, kind: str, data: dict[str, Any]) -> None:
    if kind == "output":
        stream = sys.stderr if data["stream"] == "stderr" else sys.stdout
        stream.write(data["text"])
        stream.flush()
    elif kind == "progress":
        values = data.get("values") or ({"kernel": data["kernel"]} if "kernel" in data else {})
        bar.show(
            data.get("fraction"), "  ".join(f"{name}={_number(value)}" for name, value in values.items())
        )
    elif kind == "gate" and data.get("denied"):
        complain(f"{data['gate']} was denied: {data.get('reason')} [{data['denied']}]")


def _number(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


@contextmanager
def _bar(as_json: bool) -> Iterator[Bar]:
    """Where progress is shown: a bar on a terminal, else lines."""
    if as_json or not sys.stderr.isatty():
        yield _Lines()
        return
    terminal = Console(stderr=True)
    columns = (
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
    )
    shared = sys.stdout.isatty()  # the script's lines then go above the bar
    with Progress(*columns, console=terminal, transient=True, redirect_stdout=shared) as progress:
        yield _Live(progress)
