"""What commands print: results and tables on stdout, and on stderr why a run did not succeed.

Owns the forms: JSON for programs, the same JSON laid out in colours or a table for people. Must not know HTTP.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.highlighter import JSONHighlighter
from rich.table import Table

from kernelgate.problems import complain
from kernelgate.runs import Run

_LINES = 50  # of a result, shown on a terminal
_WIDE = 1000  # characters of a line that no terminal bounds


def print_value(value: Any, as_json: bool = False) -> None:
    """One line of JSON (of a `Tensor` its fields); on a terminal, unless JSON was asked for, coloured and laid out."""
    if as_json or not sys.stdout.isatty():
        print(_json(value))
    else:
        terminal = _terminal()
        terminal.print(laid_out(json.loads(_json(value)), terminal.width), soft_wrap=True)


def print_result(value: Any, as_json: bool = False) -> None:
    """What was computed: as `print_value`, but on a terminal of much the beginning."""
    if as_json or not sys.stdout.isatty():
        print_value(value, as_json)
        return
    terminal = _terminal()
    text = laid_out(json.loads(_json(value)), terminal.width)
    shown = "\n".join(text.split("\n")[:_LINES])[: _LINES * terminal.width]
    terminal.print(shown, soft_wrap=True)
    if len(shown) < len(text):
        complain(f"{len(text) - len(shown)} characters more: --json prints all")


def laid_out(value: Any, width: int, margin: str = "", name: str = "") -> str:
    """JSON, behind a `margin` and its `name`, in lines of `width` characters; texts and flat lists may take more."""
    line = f"{margin}{name}{_json(value)}"
    if isinstance(value, dict):
        begin, end, items = "{", "}", [(f"{_json(key)}: ", each) for key, each in value.items()]
    elif isinstance(value, list) and any(isinstance(each, dict | list) for each in value):
        begin, end, items = "[", "]", [("", each) for each in value]
    else:
        return line
    if len(line) <= width or not items:
        return line
    inside = ",\n".join(laid_out(each, width, f"{margin}  ", key) for key, each in items)
    return f"{margin}{name}{begin}\n{inside}\n{margin}{end}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=asdict)


def _terminal() -> Console:
    return Console(markup=False, emoji=False, highlighter=JSONHighlighter())


def print_table(rows: Sequence[Mapping[str, Any]], columns: Iterable[str], as_json: bool) -> None:
    """A row a record, with the fields `columns`; as JSON the whole records."""
    if as_json:
        print(json.dumps(list(rows), ensure_ascii=False))
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    *names, last = columns
    for name in names:
        width = max((len(_cell(row.get(name))) for row in rows), default=0)
        table.add_column(
            name.replace("_", " "), no_wrap=True, min_width=width
        )  # an id that is cut is of no use
    table.add_column(last.replace("_", " "), overflow="fold")
    for row in rows:
        table.add_row(*(_cell(row.get(name)) for name in (*names, last)))
    if sys.stdout.isatty():
        Console(highlight=False, markup=False).print(table, crop=False)
        return
    console = Console(width=_WIDE, highlight=False, markup=False)
    with console.capture() as text:
        console.print(table, crop=False)
    print("\n".join(line.rstrip() for line in text.get().splitlines()))


def print_run(run: Run, as_json: bool, *, output: bool = True) -> int:
    """A run that is over: what it printed (unless that was shown), its result or its error; the exit status."""
    if output and not as_json:
        sys.stdout.write(run.stdout)
        sys.stderr.write(run.stderr)
    if as_json:
        print_value(run.raw, as_json)
    elif run.status == "succeeded":
        print_result(run.raw.get("result"))
    return complain_of(run, as_json)


def complain_of(run: Run, as_json: bool) -> int:
    """Why a run did not succeed, and in words whether output is missing; the exit status."""
    if run.raw.get("output_cut") and not as_json:
        complain("the output is cut at the limit output_bytes")
    if run.status == "succeeded":
        return 0
    if as_json:
        complain(run.failure(), as_json)
    else:
        complain(f"{run.status}: {run.error or run.raw.get('reason')}")
    return 1


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_cell, value))
    if isinstance(value, Mapping):
        return str(value.get("name", ""))
    return "" if value is None else str(value)
