"""What commands print: results and tables on stdout, problems on stderr.

Owns the forms: JSON for programs, the same JSON in colours or a table for people. Must not know HTTP.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from kernelgate.runs import Run

_WIDE = 1000  # characters of a line that no terminal bounds


def print_value(value: Any, as_json: bool = False) -> None:
    """One line of JSON; on a terminal, unless JSON was asked for, many lines in colours."""
    if as_json or not sys.stdout.isatty():
        print(json.dumps(value, ensure_ascii=False))
    else:
        Console().print_json(data=value)


def print_table(rows: Sequence[Mapping[str, Any]], columns: Iterable[str], as_json: bool) -> None:
    """A row a record, with the fields `columns`; as JSON the whole records."""
    if as_json:
        print(json.dumps(list(rows), ensure_ascii=False))
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    shown = list(columns)
    for column in shown:
        table.add_column(column.replace("_", " "), no_wrap=True)
    for row in rows:
        table.add_row(*(_cell(row.get(column)) for column in shown))
    Console(width=None if sys.stdout.isatty() else _WIDE, highlight=False, markup=False).print(table)


def print_run(run: Run, as_json: bool, *, output: bool = True) -> int:
    """A run that is over: what it printed (unless that was shown), its result or its error; the exit status."""
    if output and not as_json:
        sys.stdout.write(run.stdout)
        sys.stderr.write(run.stderr)
    if as_json:
        print_value(run.raw, as_json)
    elif run.status == "succeeded":
        print_value(run.raw.get("result"))
    return complain_of(run)


def complain_of(run: Run) -> int:
    """Why a run did not succeed, and whether output is missing; the exit status."""
    if run.raw.get("output_cut"):
        complain("the output is cut at the limit output_bytes")
    if run.status == "succeeded":
        return 0
    complain(f"{run.status}: {run.error or run.raw.get('reason')}")
    return 1


def complain(problem: object) -> None:
    """A problem, on stderr."""
    print(f"kernelgate: {problem}", file=sys.stderr)


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_cell, value))
    if isinstance(value, Mapping):
        return str(value.get("name", ""))
    return "" if value is None else str(value)
