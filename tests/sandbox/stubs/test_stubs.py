"""The stubs are valid, a type checker takes them, and they say what scripts have."""

from __future__ import annotations

import ast
import inspect
import json
import subprocess
import sys
from pathlib import Path

import pytest

from ops import torchlike
from ops.nn import LAYERS
from sandbox.library.numpy import namespace
from sandbox.policy.modules import ALLOWED
from sandbox.stubs.modules import WITHOUT_IMPORT, standard

SCRIPT = """
import hashing
import kernels
import math
import numpy as np
import routines
import torch
from torch import nn
from torch.nn import functional as F


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(4, 3, bias=False)
        self.act = nn.GELU(approximate="tanh")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.softmax(self.act(self.first(x)), dim=1)


def main(x: torch.Tensor, rows: int = 3) -> dict[str, object]:
    y: torch.Tensor = torch.add(x, 1) @ torch.ones(4, 4)
    y.relu_().clamp(min=0)
    y[0] = 2 * y[1] - y.sum(dim=0, keepdim=True)
    array: np.ndarray = np.zeros((2, 3)).reshape(3, 2)
    made = kernels.run("double", x=x, workgroups=[1, 1, 1], out=kernels.output((2, 3), "f32"))
    lines: list[bytes] = hashing.lines("a")
    progressed: float = math.sqrt(rows)
    values, counts = routines.unique(x)
    shape: torch.Size = values.shape
    return {"y": y.tolist(), "n": array.sum(), "d": x.dtype == torch.float32, "m": made, "g": np.add(1, 2)}
"""
WRONG = {
    "import torch\ntorch.sofmax(torch.ones(1))": "sofmax",
    "import torch\ntorch.zeros(1).relu(3)": "relu",
    "import torch\ntorch.gelu(torch.ones(1), approximate='exact')": "Literal",
    "import torch\nx: str = torch.ones(1).sum()": "assignment",
    "from torch import nn\nnn.Linear(1, 2, 3, 4)": "Linear",
    "from torch import nn\nnn.CrossEntropyLoss(smoothing=1)": "smoothing",
    "import hashing\nhashing.murmur3('a', seed='b')": "seed",
    "import kernels\nkernels.output()": "shape",
    "import numpy\nnumpy.fft": "fft",
}


@pytest.fixture(scope="module")
def stubs() -> dict[str, str]:
    """What a process of their own prints."""
    done = subprocess.run(
        [sys.executable, "-I", "-m", "sandbox.stubs"], capture_output=True, check=True, timeout=60
    )
    made: dict[str, str] = json.loads(done.stdout)
    return made


@pytest.fixture(scope="module")
def folder(stubs: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The stubs that are no library's, where a type checker looks."""
    folder = tmp_path_factory.mktemp("typings")
    for name, text in stubs.items():
        if not standard(name):
            file = folder.joinpath(*name.split("."), "__init__.pyi")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
    return folder


def complaints(folder: Path, *targets: str) -> str:
    command = [sys.executable, "-m", "mypy", "--config-file=", "--no-incremental", "--follow-imports=normal"]
    done = subprocess.run([*command, *targets], cwd=folder, capture_output=True, text=True, timeout=120)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def defined(text: str) -> set[str]:
    """The public names of a stub, without those of its imports."""
    names = set()
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            names.add(ast.unparse(node.target))
        elif isinstance(node, ast.Assign):
            names.update(map(ast.unparse, node.targets))
        elif isinstance(node, ast.ImportFrom) and node.module not in ("typing",):
            names.update(alias.asname or alias.name for alias in node.names)
    return names


def test_a_type_checker_takes_the_stubs_and_a_script_that_uses_them(folder: Path) -> None:
    (folder / "script.py").write_text(SCRIPT)
    assert complaints(folder, ".") == ""


def test_a_type_checker_finds_what_a_script_does_wrong(folder: Path) -> None:
    for number, source in enumerate(WRONG):
        (folder / f"wrong_{number}.py").write_text(source)
    names = [f"wrong_{number}.py" for number in range(len(WRONG))]
    found = complaints(folder, *names)
    for name, word in zip(names, WRONG.values(), strict=True):
        assert any(line.startswith(name) and word in line for line in found.splitlines()), (name, found)


def test_every_module_of_scripts_has_a_stub_that_is_python(stubs: dict[str, str]) -> None:
    for name, text in stubs.items():
        assert ast.parse(text).body, name
    assert set(stubs) >= {*ALLOWED, WITHOUT_IMPORT, "os", "sys", "asyncio", "requests", "httpx", "pathlib"}


def test_the_stubs_have_the_names_that_scripts_have(stubs: dict[str, str]) -> None:
    names = torchlike.namespace()
    layers = names["nn"]
    assert isinstance(layers, dict)
    assert defined(stubs["torch"]) == set(names)
    assert defined(stubs["torch.nn"]) == set(layers)
    assert defined(stubs["torch.nn.functional"]) == set(layers["functional"])
    inner = {name for name in namespace.submodules() if "." not in name}
    assert defined(stubs["numpy"]) == {*namespace.namespace(), *inner}
    assert {"call", "fetch", "open", "progress", "PermissionDenied"} <= defined(stubs[WITHOUT_IMPORT])


def test_a_tensor_has_its_public_methods(stubs: dict[str, str]) -> None:
    tree = ast.parse(stubs["torch"])
    (tensor,) = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Tensor")
    shown = {node.name for node in tensor.body if isinstance(node, ast.FunctionDef)}
    own = {name for name in vars(torchlike.Tensor) if not name.startswith("_")}
    assert own - shown <= {"numpy"}, "what the façade adds"
    assert {"__add__", "__getitem__", "__setitem__", "__matmul__", "numpy"} <= shown


def test_most_functions_say_what_they_take(stubs: dict[str, str]) -> None:
    functions = [node for node in ast.parse(stubs["torch"]).body if isinstance(node, ast.FunctionDef)]
    vague = [node.name for node in functions if node.args.kwarg is not None]
    assert len(vague) <= 12, vague


def test_a_layer_takes_in_the_stub_what_it_takes(stubs: dict[str, str]) -> None:
    """By the class's own signature, where it has one."""
    classes = {
        node.name: node for node in ast.parse(stubs["torch.nn"]).body if isinstance(node, ast.ClassDef)
    }
    for layer in LAYERS:
        taken = inspect.signature(layer).parameters
        if any(each.kind is each.VAR_KEYWORD for each in taken.values()) or "__init__" not in vars(layer):
            continue
        (start,) = (
            n for n in classes[layer.__name__].body if isinstance(n, ast.FunctionDef) and n.name == "__init__"
        )
        shown = [each.arg for each in (*start.args.posonlyargs, *start.args.args, *start.args.kwonlyargs)]
        assert shown[1:] == [name for name, each in taken.items() if each.kind is not each.VAR_POSITIONAL]


def test_no_stub_shows_what_scripts_may_not_read(stubs: dict[str, str]) -> None:
    private = [
        f"{name}.{node.name}"
        for name, text in stubs.items()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        and node.name.startswith("_")
        and not node.name.endswith("__")
    ]
    assert not private
