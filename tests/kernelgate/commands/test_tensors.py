"""`kernelgate tensor`, against the real server."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from kernelgate import cli

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def test_an_npy_file_goes_up_is_listed_comes_down_and_is_forgotten(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.save(here / "x.npy", X)
    assert cli.main(["tensor", "put", "x.npy"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert (made["shape"], made["dtype"]) == ([2, 3], "f32")
    assert cli.main(["tensor", "list"]) == 0
    assert f"{made['id']}  f32" in " ".join(capsys.readouterr().out.split(" ")).replace(" " * 3, "  ")
    for file in ("y.npy", "y.safetensors"):
        assert cli.main(["tensor", "get", made["id"], file, "--json"]) == 0
        assert json.loads(capsys.readouterr().out) == {"file": file, "bytes": (here / file).stat().st_size}
    assert (np.load(here / "y.npy") == X).all()
    assert [(array == X).all() for array in load_file(here / "y.safetensors").values()] == [True]
    assert cli.main(["tensor", "delete", made["id"]]) == 0
    assert cli.main(["tensor", "get", made["id"], "z.npy"]) == 1
    assert "[tensor_not_found]" in capsys.readouterr().err
    assert not (here / "z.npy").exists()


def test_a_safetensors_file_becomes_a_tensor_a_name(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save_file({"weight": X, "bias": X[0]}, here / "layer.safetensors")
    assert cli.main(["tensor", "put", "layer.safetensors", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert {name: record["shape"] for name, record in made.items()} == {"weight": [2, 3], "bias": [3]}


def test_a_file_of_another_kind_is_a_matter_of_usage(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["tensor", "put", "x.pt"]) == 2
    assert "neither .npy nor .safetensors" in " ".join(capsys.readouterr().err.split())
