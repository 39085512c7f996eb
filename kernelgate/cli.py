"""The command `kernelgate`.

Owns the client's commands and finds the server's (`serve`, `doctor`, `keys`, …) by entry point, so that it works
where no server is installed. Must not import the server's folders.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from kernelgate.calls import output
from kernelgate.client import Client
from kernelgate.errors import ApiError
from kernelgate.runs import Run
from kernelgate.values import DTYPES, Tensor, decode

SERVER_COMMANDS = {
    "serve": "start the host",
    "doctor": "list adapters and test what this machine offers",
    "keys": "make, list and revoke keys",
    "backup": "write all that is stored to a file",
    "restore": "restore such a file",
}

VALUES = "JSON, plain text, @FILE.npy for a tensor, f32:[[1,2],[3,4]] for one given here"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the answer is the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given and given[0] in SERVER_COMMANDS:
        return _server_command(given[0], given[1:])
    options = _parser().parse_args(given)
    try:
        return int(options.command(options))
    except (ApiError, OSError, ValueError, TypeError) as error:
        print(f"kernelgate: {error}", file=sys.stderr)
        return 1


def _server_command(name: str, arguments: list[str]) -> int:
    for entry in entry_points(group="kernelgate.commands", name=name):
        try:
            command: Callable[[list[str]], int] = entry.load()
        except ModuleNotFoundError as error:
            print(f"kernelgate: {name} needs the server ({error.name} is missing):", file=sys.stderr)
            break
        return command(arguments)
    else:
        print(f"kernelgate: {name} needs the server:", file=sys.stderr)
    print("    pip install 'kernelgate[server]'", file=sys.stderr)
    return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="kernelgate",
        description="Run scripts and kernels on a Kernelgate.",
        epilog="The address comes from KERNELGATE_URL, the key from KERNELGATE_KEY or the data folder.",
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, text in SERVER_COMMANDS.items():
        commands.add_parser(name, help=text, add_help=False)

    run = commands.add_parser("run", help="run a script and print its output and result")
    run.add_argument("script", type=Path)
    _add_pairs(run, "--input", f"an argument of main: {VALUES}")
    _add_pairs(run, "--limit", "a limit, as wall_s=10")
    run.set_defaults(command=_run)

    script = commands.add_parser("script", help="store and call scripts")
    actions = script.add_subparsers(metavar="ACTION", required=True)
    add = actions.add_parser("add", help="store a Python file")
    add.add_argument("file", type=Path)
    add.add_argument("--name", help="default: the file's name without its ending")
    add.set_defaults(command=_add_script)
    call = actions.add_parser("call", help="call a stored script and print its output and result")
    call.add_argument("name", help="NAME, NAME@HASH or OWNER/NAME")
    call.add_argument(
        "inputs", nargs="*", type=_pair, metavar="NAME=VALUE", help=f"an argument of main: {VALUES}"
    )
    _add_pairs(call, "--limit", "a limit, as wall_s=10")
    call.set_defaults(command=_call_script)

    kernel = commands.add_parser("kernel", help="store and dispatch kernels")
    actions = kernel.add_subparsers(metavar="ACTION", required=True)
    add = actions.add_parser("add", help="store a WGSL file, or a template of one, NAME.wgsl.j2")
    add.add_argument("file", type=Path)
    add.add_argument("--name", help="default: the file's name without its endings")
    add.add_argument("--params", type=Path, metavar="FILE", help="JSON that declares a template's parameters")
    add.set_defaults(command=_add_kernel)
    dispatch = actions.add_parser("dispatch", help="dispatch a stored kernel and print what it wrote")
    dispatch.add_argument("name")
    _add_pairs(dispatch, "--input", f"a binding: {VALUES}, or u32:SIZExSIZE for an output")
    size = dispatch.add_mutually_exclusive_group()
    size.add_argument("--workgroups", type=_sizes, metavar="X,Y,Z")
    size.add_argument("--threads", type=_sizes, metavar="X,Y,Z", help="rounded up to whole workgroups")
    size.add_argument("--over", metavar="BINDING", help="a thread an element of this array")
    _add_pairs(dispatch, "--override", "an override of the kernel, as scale=2.5")
    dispatch.add_argument("--fuel", type=int, help="the budget of each thread")
    _add_pairs(dispatch, "--param", "a parameter of the kernel's template: JSON or plain text")
    dispatch.add_argument("--entry-point")
    dispatch.set_defaults(command=_dispatch)
    return parser


def _add_pairs(parser: argparse.ArgumentParser, flag: str, text: str) -> None:
    parser.add_argument(flag, action="append", default=[], type=_pair, metavar="NAME=VALUE", help=text)


def _run(options: argparse.Namespace) -> int:
    with Client() as client:
        inputs = {name: _value(client, text) for name, text in options.input}
        limits = {name: float(text) for name, text in options.limit}
        run = client.run(options.script.read_text(), inputs, limits=limits, check=False)
    return _show(run)


def _add_script(options: argparse.Namespace) -> int:
    with Client() as client:
        _print(client.add_script(options.name or options.file.stem, options.file.read_text()))
    return 0


def _call_script(options: argparse.Namespace) -> int:
    with Client() as client:
        inputs = {name: _value(client, text) for name, text in options.inputs}
        limits = {name: float(text) for name, text in options.limit}
        run = client.call_script(options.name, inputs, limits=limits, check=False)
    return _show(run)


def _show(run: Run) -> int:
    sys.stdout.write(run.stdout)
    sys.stderr.write(run.stderr)
    if run.raw.get("output_cut"):
        print("kernelgate: the output is cut at the limit output_bytes", file=sys.stderr)
    if run.error is not None:
        print(f"kernelgate: {run.status}: {run.error}", file=sys.stderr)
        return 1
    _print(run.raw.get("result"))
    return 0


def _add_kernel(options: argparse.Namespace) -> int:
    text, file = options.file.read_text(), options.file
    params = None if options.params is None else json.loads(options.params.read_text())
    with Client() as client:
        if file.suffix == ".j2":
            name = options.name or Path(file.stem).stem
            _print(client.add_kernel(name, template=text, params=params))
        else:
            _print(client.add_kernel(options.name or file.stem, text, params=params))
    return 0


def _dispatch(options: argparse.Namespace) -> int:
    with Client() as client:
        inputs = {name: _value(client, text, outputs=True) for name, text in options.input}
        outputs = client.dispatch(
            options.name,
            inputs,
            options.workgroups,
            options.entry_point,
            threads=options.threads,
            over=options.over,
            overrides={name: json.loads(text) for name, text in options.override},
            params={name: _plain(text) for name, text in options.param},
            fuel=options.fuel,
        )
    _print(
        {
            name: {"shape": t.shape, "dtype": t.dtype, "data": t.data, "id": t.id}
            for name, t in outputs.items()
        }
    )
    return 0


def _value(client: Client, text: str, *, outputs: bool = False) -> object:
    if text.startswith("@"):
        return client.upload(Path(text[1:]))
    dtype, _, rest = text.partition(":")
    if dtype in DTYPES and rest.startswith("["):
        return _tensor(dtype, json.loads(rest))
    if dtype in DTYPES and outputs:
        return output(_sizes(rest.replace("x", ",")), dtype)
    return decode(_plain(text))


def _plain(text: str) -> Any:
    """JSON, or `text` itself where it is none."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _tensor(dtype: str, values: list[Any]) -> Tensor:
    """The tensor of nested lists."""
    shape = [len(values)]
    while values and isinstance(values[0], list):
        shape.append(len(values[0]))
        if any(not isinstance(row, list) or len(row) != shape[-1] for row in values):
            raise ValueError("the rows of a tensor differ in length")
        values = [item for row in values for item in row]
    return Tensor(tuple(shape), dtype, values)


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value


def _sizes(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of sizes") from None


def _print(value: Any) -> None:
    print(json.dumps(value, indent=None, ensure_ascii=False))
