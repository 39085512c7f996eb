"""`kernelgate ops`, `kernelgate device` and `kernelgate console`: what the host offers."""

from __future__ import annotations

import webbrowser
from difflib import get_close_matches
from typing import Annotated

import typer

from kernelgate.client import Client
from kernelgate.commands.arguments import AsJson, completed
from kernelgate.commands.printing import print_table, print_value
from kernelgate.problems import complain


def ops(
    words: Annotated[
        str,
        typer.Argument(
            metavar="WORDS",
            help="only ops whose name, alias or meaning has these words, names first",
            autocompletion=completed(lambda client: (each["name"] for each in client.list_ops())),
        ),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """List the ops; an op's own name shows all of it."""
    with Client() as client:
        table = client.list_ops()
    whole = [each for each in table if words in (each["name"], *each["aliases"])]
    if whole:
        print_value(whole[0], as_json)
        return
    found = [each for each in table if _has(words, each["name"], *each["aliases"], each["doc"])]
    found.sort(key=lambda each: _distance(words, [each["name"], *each["aliases"]]))
    if not found and not as_json:
        close = get_close_matches(words, [each["name"] for each in table], n=1)
        meant = f"\nDid you mean {close[0]}?" if close else ""
        complain(f"no op has {words!r} in its name or meaning{meant}")
        raise typer.Exit(1)
    print_table(found, ("name", "doc"), as_json)


def _distance(words: str, names: list[str]) -> int:
    """0 where a name begins with `words`, 1 where they are within names, 2 elsewhere."""
    if any(name.startswith(words.lower()) for name in names):
        return 0
    return 1 if _has(words, *names) else 2


def _has(words: str, *texts: str) -> bool:
    """Whether each of `words` is in one of `texts`."""
    text = " ".join(texts).lower()
    return all(word in text for word in words.lower().split())


def device(as_json: AsJson = False) -> None:
    """Show the adapter that computes."""
    with Client() as client:
        print_value(client.device(), as_json)


def console(
    open_: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print the address of the console."""
    with Client() as client:
        address = f"{client.url}/console"
    if as_json:
        print_value({"url": address}, as_json)
    else:
        print(address)
    if open_ and not webbrowser.open(address):
        complain("no browser could be opened: open the address yourself", as_json)
        raise typer.Exit(1)
