"""`kernelgate script`: store, call, list, show and forget scripts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kernelgate.client import Client
from kernelgate.commands.arguments import (
    AsJson,
    Grants,
    Inputs,
    Limit,
    Limits,
    MoreInputs,
    ScriptName,
    Watch,
    from_json,
    numbers,
    text_of,
    values,
)
from kernelgate.commands.printing import print_table, print_value
from kernelgate.commands.watching import finish

scripts = typer.Typer(no_args_is_help=True, help="Store, call, list, show and delete scripts.")


@scripts.command()
def add(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="a Python file")],
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="Default: the file's name without its ending.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Store a Python file."""
    with Client() as client:
        print_value(client.add_script(name or file.stem, text_of(file)), as_json)


@scripts.command()
def call(
    name: ScriptName,
    inputs: Inputs = None,
    more: MoreInputs = None,
    limits: Limits = None,
    grants: Grants = None,
    watch: Watch = False,
    as_json: AsJson = False,
) -> None:
    """Call a stored script and print its output and result. Ctrl-C cancels it."""
    with Client() as client:
        given = values(client, inputs, more)
        started = client.start_script(name, given, limits=numbers(limits), grants=from_json(grants))
        raise typer.Exit(finish(client, started, watch=watch, as_json=as_json))


@scripts.command("list")
def list_(limit: Limit = 50, as_json: AsJson = False) -> None:
    """List scripts by name."""
    with Client() as client:
        print_table(client.list_scripts(limit), ("name", "owner", "hash", "created_at"), as_json)


@scripts.command()
def show(name: ScriptName, as_json: AsJson = False) -> None:
    """Print a script's text; as JSON also what its main takes and gives."""
    with Client() as client:
        found = client.get_script(name)
    if as_json:
        print_value(found, as_json)
    else:
        print(found["source"])


@scripts.command()
def versions(name: ScriptName, as_json: AsJson = False) -> None:
    """List what the name has meant, the newest first; NAME@HASH is a version wherever NAME is."""
    with Client() as client:
        print_table(client.get_script(name)["versions"], ("hash", "created_at"), as_json)


@scripts.command()
def delete(name: ScriptName, as_json: AsJson = False) -> None:
    """Forget a script with all its versions."""
    with Client() as client:
        client.delete_script(name)
    print_value({"deleted": name}, as_json)
