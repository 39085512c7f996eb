"""The tree of all commands.

Owns which command is found where, and how wrong usage is told. The server's commands are in it for the help alone:
`kernelgate/cli.py` calls them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

import typer

from kernelgate import __version__
from kernelgate.commands.helping import show_metavars
from kernelgate.commands.host import console, device, ops
from kernelgate.commands.kernels import kernels
from kernelgate.commands.runs import run, runs
from kernelgate.commands.scripts import scripts
from kernelgate.commands.tensors import tensors
from kernelgate.problems import WrongUsage

_CLIENT, _SERVER = "Commands of the client", "Commands of the server"


def _print_version(asked: bool) -> None:
    if asked:
        print(__version__)
        raise typer.Exit


def tree(server_commands: Mapping[str, str]) -> typer.Typer:
    """All commands; `server_commands` are names and descriptions."""
    show_metavars()
    app = typer.Typer(
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        epilog="The address comes from KERNELGATE_URL, the key from KERNELGATE_KEY or the data folder.",
    )
    app.callback()(_options)
    app.command(rich_help_panel=_CLIENT)(run)
    app.add_typer(runs, name="runs", rich_help_panel=_CLIENT)
    app.add_typer(scripts, name="script", rich_help_panel=_CLIENT)
    app.add_typer(kernels, name="kernel", rich_help_panel=_CLIENT)
    app.add_typer(tensors, name="tensor", rich_help_panel=_CLIENT)
    for command in (ops, device, console):
        app.command(rich_help_panel=_CLIENT)(command)
    for name, text in server_commands.items():
        app.command(name, help=text, rich_help_panel=_SERVER)(_elsewhere)
    return app


def call(tree: typer.Typer, given: Sequence[str]) -> int:
    """Run the command that was `given`; the exit status. Raises `WrongUsage`."""
    try:
        ended = tree(args=given, prog_name="kernelgate", standalone_mode=False)
    except SystemExit as end:
        ended = end.code
    except typer.TyperException as error:
        if not error.format_message():  # a group alone: its help is shown
            return 2
        context = getattr(error, "ctx", None)
        command = "kernelgate" if context is None else context.command_path
        raise WrongUsage(error.format_message(), command) from None
    return ended if isinstance(ended, int) else int(ended is not None)


def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Run scripts and kernels on a Kernelgate."""


def _elsewhere() -> None:
    """A command of the server."""
