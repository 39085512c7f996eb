"""`kernelgate kernel`: store, dispatch, list, show and forget kernels."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kernelgate.client import Client
from kernelgate.commands.arguments import (
    VALUES,
    AsJson,
    KernelName,
    Limit,
    MoreInputs,
    Pair,
    Sizes,
    from_json,
    pair,
    plain,
    sizes,
    text_of,
    values,
)
from kernelgate.commands.printing import print_result, print_table, print_value

kernels = typer.Typer(no_args_is_help=True, help="Store, dispatch, list, show and delete kernels.")
_OUTPUT = "or u32:SIZExSIZE for an output"


@kernels.command()
def add(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="a WGSL file, or a template of one, NAME.wgsl.j2")
    ],
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="Default: the file's name without its endings.")
    ] = None,
    params: Annotated[
        Path | None, typer.Option(metavar="FILE", help="JSON that declares a template's parameters.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Store a kernel and print its entry points and bindings."""
    text = text_of(file)
    declared = from_json(params)
    template = file.suffix == ".j2"
    called = name or Path(file.stem if template else file).stem
    with Client() as client:
        source, jinja = (None, text) if template else (text, None)
        print_value(client.add_kernel(called, source, template=jinja, params=declared), as_json)


@kernels.command()
def dispatch(
    name: KernelName,
    inputs: Annotated[
        list[Pair] | None,
        typer.Argument(parser=pair, metavar="NAME=VALUE", help=f"bindings: {VALUES}, {_OUTPUT}"),
    ] = None,
    more: MoreInputs = None,
    workgroups: Annotated[
        Sizes | None,
        typer.Option(
            parser=sizes,
            metavar="X,Y,Z",
            help="How many; without these, --threads and --over, a thread an element.",
        ),
    ] = None,
    threads: Annotated[
        Sizes | None, typer.Option(parser=sizes, metavar="X,Y,Z", help="Rounded up to whole workgroups.")
    ] = None,
    over: Annotated[
        str | None, typer.Option(metavar="BINDING", help="A thread an element of this array.")
    ] = None,
    overrides: Annotated[
        list[Pair] | None,
        typer.Option(
            "--override", parser=pair, metavar="NAME=VALUE", help="An override of the kernel, as scale=2.5."
        ),
    ] = None,
    params: Annotated[
        list[Pair] | None,
        typer.Option(
            "--param", parser=pair, metavar="NAME=VALUE", help="A parameter of the kernel's template."
        ),
    ] = None,
    fuel: Annotated[int | None, typer.Option(metavar="N", help="The budget of each thread.")] = None,
    entry_point: Annotated[
        str | None, typer.Option(metavar="NAME", help="Needed where the kernel has several.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Dispatch a stored kernel and print what it wrote."""
    if sum(size is not None for size in (workgroups, threads, over)) > 1:
        raise typer.BadParameter("--workgroups, --threads and --over exclude each other")
    with Client() as client:
        outputs = client.dispatch(
            name,
            values(client, inputs, more, outputs=True),
            None if workgroups is None else workgroups.numbers,
            entry_point,
            threads=None if threads is None else threads.numbers,
            over=over,
            overrides={each.name: plain(each.text) for each in overrides or []},
            params={each.name: plain(each.text) for each in params or []},
            fuel=fuel,
        )
    print_result(outputs, as_json)


@kernels.command("list")
def list_(limit: Limit = 50, as_json: AsJson = False) -> None:
    """List kernels by name."""
    with Client() as client:
        columns = ("name", "owner", "hash", "entry_points", "bindings", "created_at")
        print_table(client.list_kernels(limit), columns, as_json)


@kernels.command()
def show(name: KernelName, as_json: AsJson = False) -> None:
    """Print a kernel's text; as JSON also its entry points, bindings and overrides."""
    with Client() as client:
        found = client.get_kernel(name)
    if as_json:
        print_value(found, as_json)
    else:
        print(found.get("template") or found["source"])


@kernels.command()
def versions(name: KernelName, as_json: AsJson = False) -> None:
    """List what the name has meant, the newest first; NAME@HASH is a version wherever NAME is."""
    with Client() as client:
        print_table(client.get_kernel(name)["versions"], ("hash", "created_at"), as_json)


@kernels.command()
def delete(name: KernelName, as_json: AsJson = False) -> None:
    """Forget a kernel with all its versions."""
    with Client() as client:
        client.delete_kernel(name)
    print_value({"deleted": name}, as_json)
