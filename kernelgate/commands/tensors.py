"""`kernelgate tensor`: upload, download, list and forget tensors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kernelgate.client import Client
from kernelgate.commands.arguments import AsJson, Limit, TensorId
from kernelgate.commands.printing import print_table, print_value
from kernelgate.values import Tensor

tensors = typer.Typer(no_args_is_help=True, help="Upload, download, list and delete tensors.")
_FORMATS = (".npy", ".safetensors")


@tensors.command()
def put(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="an .npy or .safetensors file")],
    as_json: AsJson = False,
) -> None:
    """Upload the tensors of a file and print their ids."""
    with Client() as client:
        if _format(file) == ".npy":
            print_value(_record(client.upload(file)), as_json)
        else:
            made = client.upload_safetensors(file)
            print_value({name: _record(tensor) for name, tensor in made.items()}, as_json)


@tensors.command()
def get(
    tensor_id: TensorId,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="the .npy or .safetensors file to write")],
    as_json: AsJson = False,
) -> None:
    """Download a tensor into a file."""
    wanted = _format(file)
    with Client() as client:
        content = (
            client.download_npy(tensor_id) if wanted == ".npy" else client.download_safetensors(tensor_id)
        )
    file.write_bytes(content)
    print_value({"file": str(file), "bytes": len(content)}, as_json)


@tensors.command("list")
def list_(limit: Limit = 50, as_json: AsJson = False) -> None:
    """List stored tensors, the newest first."""
    with Client() as client:
        columns = ("id", "dtype", "shape", "nbytes", "persist", "created_at")
        print_table(client.list_tensors(limit), columns, as_json)


@tensors.command()
def delete(tensor_id: TensorId, as_json: AsJson = False) -> None:
    """Forget a tensor."""
    with Client() as client:
        client.delete_tensor(tensor_id)
    print_value({"deleted": tensor_id}, as_json)


def _format(file: Path) -> str:
    if file.suffix not in _FORMATS:
        raise typer.BadParameter(f"{file} ends in neither {' nor '.join(_FORMATS)}")
    return file.suffix


def _record(tensor: Tensor) -> dict[str, object]:
    return {"id": tensor.id, "shape": tensor.shape, "dtype": tensor.dtype}
