"""`kernelgate run` and `kernelgate runs`: run a script; list, show, watch and cancel runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from kernelgate.client import Client
from kernelgate.commands.arguments import (
    AsJson,
    Grants,
    Inputs,
    Limit,
    Limits,
    MoreInputs,
    RunId,
    Watch,
    from_json,
    numbers,
    text_of,
    values,
)
from kernelgate.commands.printing import print_run, print_table, print_value
from kernelgate.commands.watching import finish

runs = typer.Typer(no_args_is_help=True, help="List, show, watch and cancel runs.")
_COLUMNS = ("id", "kind", "status", "owner", "created_at", "seconds", "reason")


def run(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="a Python file, or - for stdin, that defines main or assigns result"
        ),
    ],
    inputs: Inputs = None,
    more: MoreInputs = None,
    limits: Limits = None,
    grants: Grants = None,
    watch: Watch = False,
    as_json: AsJson = False,
) -> None:
    """Run a script and print its output and result. Ctrl-C cancels it."""
    with Client() as client:
        started = client.start(
            text_of(file),
            values(client, inputs, more),
            limits=numbers(limits),
            grants=from_json(grants),
        )
        raise typer.Exit(finish(client, started, watch=watch, as_json=as_json))


@runs.command("list")
def list_(
    limit: Limit = 20,
    status: Annotated[
        str | None,
        typer.Option(metavar="STATUS", help="Only those that are so: queued, running, succeeded, failed …"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the newest runs."""
    with Client() as client:
        found = client.list_runs(limit, status=status)
    print_table(found if as_json else [_row(each) for each in found], _COLUMNS, as_json)


@runs.command()
def show(run_id: RunId, watch: Watch = False, as_json: AsJson = False) -> None:
    """Show a run's output and result; with --watch, wait for them."""
    with Client() as client:
        found = client.get_run(run_id)
        if watch:
            raise typer.Exit(finish(client, found, watch=True, as_json=as_json))
    if found.done:
        raise typer.Exit(print_run(found, as_json))
    print_value(found.raw, as_json)


@runs.command()
def cancel(run_id: RunId, as_json: AsJson = False) -> None:
    """Stop a run."""
    with Client() as client:
        stopped = client.cancel(run_id)
    if as_json:
        print_value(stopped.raw, as_json)
    else:
        print(f"{stopped.id} {stopped.status}")


def _row(record: Any) -> dict[str, Any]:
    """A run as the table shows it."""
    wall = (record.get("usage") or {}).get("wall_ms")
    return {**record, "seconds": None if wall is None else f"{wall / 1000:.3f}"}
