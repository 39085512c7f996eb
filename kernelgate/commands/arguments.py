"""What is typed after a command: values of inputs, pairs, sizes, and names that the shell completes.

Owns the text forms of arguments. Must not know what a command does with them.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from kernelgate.calls import output
from kernelgate.client import Client
from kernelgate.errors import ApiError
from kernelgate.values import DTYPES, Tensor, decode

VALUES = "JSON, plain text, @FILE.npy for a tensor, f32:[[1,2],[3,4]] for one given here"
_LIKE_A_DTYPE = re.compile(r"(?:b?f|[iu]|float|bfloat|u?int)\d+")
_COMPLETION_S = 2.0  # seconds that completing a name may take


@dataclass(frozen=True, slots=True)
class Pair:
    """NAME=VALUE."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Sizes:
    """X,Y,Z."""

    numbers: tuple[int, ...]


def pair(text: str) -> Pair:
    """The pair in `text`."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise typer.BadParameter(f"{text!r} is not NAME=VALUE")
    return Pair(name, value)


def sizes(text: str) -> Sizes:
    """The sizes in `text`."""
    try:
        return Sizes(tuple(int(part) for part in text.split(",")))
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a list of sizes, as 8,8,1") from None


def completed(names: Callable[[Client], Iterable[str]]) -> Callable[[str], list[str]]:
    """What completes a name for a shell: those of `names` that begin so, or none where no server answers soon."""

    def complete(incomplete: str) -> list[str]:
        try:
            with Client(timeout=_COMPLETION_S, retries=0) as client:
                return [name for name in names(client) if name.startswith(incomplete)]
        except ApiError:
            return []

    return complete


AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
Limit: TypeAlias = Annotated[int, typer.Option("--limit", metavar="N", min=1, help="How many at most.")]
Limits: TypeAlias = Annotated[
    list[Pair] | None,
    typer.Option(
        "--limit",
        parser=pair,
        metavar="NAME=VALUE",
        help="A limit of the run, as wall_s=10; there are wall_s, cpu_s, memory_mb, output_bytes, device_ms, "
        "dispatches, handles and fuel. May be given again.",
    ),
]
Grants: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--grants",
        metavar="FILE",
        help='JSON of what the run may reach beyond arithmetic, as {"fetch": [{"host": "example.org"}]}.',
    ),
]
Watch: TypeAlias = Annotated[
    bool, typer.Option("--watch", "-w", help="Show output and progress as they come, not at the end.")
]
Inputs: TypeAlias = Annotated[
    list[Pair] | None,
    typer.Argument(parser=pair, metavar="NAME=VALUE", help=f"arguments of main: {VALUES}"),
]
MoreInputs: TypeAlias = Annotated[
    list[Pair] | None,
    typer.Option(
        "--input", "-i", parser=pair, metavar="NAME=VALUE", help="The same, as an option. May be given again."
    ),
]
ScriptName: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="NAME, NAME@HASH or OWNER/NAME",
        autocompletion=completed(lambda client: (each["name"] for each in client.list_scripts(500))),
    ),
]
KernelName: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="NAME, NAME@HASH or OWNER/NAME",
        autocompletion=completed(lambda client: (each["name"] for each in client.list_kernels(500))),
    ),
]
RunId: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="ID",
        help="as `runs list` shows it",
        autocompletion=completed(lambda client: (each["id"] for each in client.list_runs(50))),
    ),
]
TensorId: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="ID",
        help="as `tensor list` shows it",
        autocompletion=completed(lambda client: (each["id"] for each in client.list_tensors(50))),
    ),
]


def values(client: Client, *groups: Iterable[Pair] | None, outputs: bool = False) -> dict[str, object]:
    """The inputs that the pairs name; files are uploaded. With `outputs`, `u32:4` is an array to be made.

    Raises OSError, and `ValueError` that names the input.
    """
    given: dict[str, object] = {}
    for each in (pair for pairs in groups for pair in pairs or ()):
        if each.name in given:
            raise ValueError(f"{each.name} is given twice")
        try:
            given[each.name] = _value(client, each.text, outputs)
        except ValueError as error:
            raise ValueError(f"{each.name}: {error}") from None
    return given


def numbers(pairs: Iterable[Pair] | None) -> dict[str, float]:
    """The limits that the pairs name. Raises `ValueError` that names the limit."""
    given = {}
    for each in pairs or ():
        try:
            given[each.name] = float(each.text)
        except ValueError:
            raise ValueError(f"the limit {each.name} is a number, not {each.text!r}") from None
    return given


def text_of(file: Path) -> str:
    """The text in a file; `-` is what comes on stdin. Raises OSError, and `ValueError` that names the file."""
    try:
        return (sys.stdin.buffer.read() if file == Path("-") else file.read_bytes()).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{file} is no text in UTF-8: byte {error.start} is not") from None


def from_json(file: Path | None) -> dict[str, Any] | None:
    """The object in a file of JSON. Raises OSError, and `ValueError` that names the file."""
    if file is None:
        return None
    text = text_of(file)
    try:
        found = json.loads(text)
    except ValueError as error:
        raise ValueError(f"{file} is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise ValueError(f"{file} holds no JSON object, which begins with {{")
    return found


def plain(text: str) -> Any:
    """JSON, or `text` itself where it is none."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _value(client: Client, text: str, outputs: bool) -> object:
    if text.startswith("@"):
        return client.upload(Path(text[1:]))
    dtype, _, rest = text.partition(":")
    if dtype in DTYPES and rest.startswith("["):
        return _tensor(dtype, _elements(rest))
    if dtype in DTYPES and outputs:
        return output(sizes(rest.replace("x", ",")).numbers, dtype)
    if rest.startswith("[") and _LIKE_A_DTYPE.fullmatch(dtype):
        raise ValueError(f"{dtype} is no dtype: there are {', '.join(DTYPES)}")
    return decode(plain(text))


def _elements(text: str) -> list[Any]:
    try:
        elements: list[Any] = json.loads(text)
    except ValueError as error:
        raise ValueError(f"the elements {text!r} are not JSON: {error}") from None
    return elements


def _tensor(dtype: str, values: list[Any]) -> Tensor:
    """The tensor of nested lists."""
    shape = [len(values)]
    while values and isinstance(values[0], list):
        shape.append(len(values[0]))
        if any(not isinstance(row, list) or len(row) != shape[-1] for row in values):
            raise ValueError("the rows of a tensor differ in length")
        values = [item for row in values for item in row]
    return Tensor(tuple(shape), dtype, values)
