"""The stubs are valid, a type checker takes them, and they say what scripts have."""

from __future__ import annotations

import ast
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ops.torch.namespace import namespace as torch_namespace
from ops.torch.nn import LAYERS
from ops.torch.tensor import Tensor
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
    "import torch\ntorch.zeros(2, dtype=3)": "dtype",
    "import torch\ntorch.ones(2).max(dim=0).value": "value",
    "import torch\ntorch.ones(2) + 'a'": "operand",
    "from torch import nn\nnn.Linear(1, 2)(3)": "Tensor",
    "from torch import nn\nnn.MaxPool2d()": "kernel_size",
    "import numpy\nnumpy.ones(2).reshape('a')": "reshape",
    "import requests\nrequests.get('http://a', timeout='1')": "timeout",
    "import requests\nrequests.get('http://a').json().x\nrequests.get('http://a').status_code.x": "x",
    "progress(0.5, left=[1])": "progress",
    "fetch(b'http://a')": "fetch",
}


OPEN = {
    *("Nested", "OneOrMore", "Hidden", "Passed", "Value", "Json", "Option", "Piece"),
    *("Result", "Scalar", "Setting", "Kept"),
}
"""All that is `Any`; each says why beside its name."""
ROOT = Path(__file__).parents[3]
CLIENTS = {"main_job.py", "make_digits.py", "train_digits.py"}
"""Examples that run outside."""
UNTYPED = {"85_numpy_misc.py"}
"""A script with `NDArray[np.float64]`, which would need arrays whose type has their elements'."""
USES_OURS = re.compile(
    r"^\s*(import|from) (torch|numpy|kernels|hashing|routines|requests|httpx)\b", re.MULTILINE
)


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


def complaints(folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "mypy", "--config-file=", "--no-incremental", "--follow-imports=normal"]
    done = subprocess.run([*command, *arguments], cwd=folder, capture_output=True, text=True, timeout=120)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def defined(text: str) -> set[str]:
    """The public names of a stub, without those of its imports, and what only a type checker sees."""
    names = set()
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) or (isinstance(node, ast.ClassDef) and not node.decorator_list):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) != "TypeAlias":
            names.add(ast.unparse(node.target))
        elif isinstance(node, ast.Assign) and not ast.unparse(node.value).startswith("TypeVar("):
            names.update(map(ast.unparse, node.targets))
        elif isinstance(node, ast.ImportFrom) and node.module not in ("typing",):
            names.update(alias.asname or alias.name for alias in node.names)
    return names


def test_a_strict_type_checker_takes_the_stubs_and_a_script_that_uses_them(folder: Path) -> None:
    (folder / "script.py").write_text(SCRIPT)
    assert complaints(folder, "--strict", ".") == ""


def test_a_type_checker_takes_scripts_and_finds_what_is_wrong_with_others(folder: Path) -> None:
    scripts = [*(ROOT / "examples").glob("*.py"), *(ROOT / "tests" / "scripts").glob("*.py")]
    texts = {path.name: path.read_text() for path in scripts if path.name not in CLIENTS | UNTYPED}
    right = {name: text for name, text in texts.items() if USES_OURS.search(text)}
    assert len(right) > 10
    inside = folder / "scripts"
    inside.mkdir()
    for name, text in right.items():
        (inside / f"right_{name}").write_text(text)
    for number, source in enumerate(WRONG):
        (inside / f"wrong_{number}.py").write_text(source)
    found = complaints(folder, *(f"scripts/{path.name}" for path in inside.iterdir())).splitlines()
    assert not [line for line in found if "right_" in line and ": error:" in line]
    for number, word in enumerate(WRONG.values()):
        assert any(f"wrong_{number}.py" in line and word in line for line in found), (number, found)


def test_what_may_be_anything_has_a_name_that_says_why(stubs: dict[str, str]) -> None:
    head = re.compile(r"^(\w+): TypeAlias = Any  # (.+)$")
    for module, text in stubs.items():
        lines = [line for line in text.splitlines() if re.search(r"\bAny\b", line)]
        for line in lines if not standard(module) else []:
            known = head.match(line)
            assert line.startswith("from typing import") or (known and known[1] in OPEN), (module, line)


def test_every_module_of_scripts_has_a_stub_that_is_python(stubs: dict[str, str]) -> None:
    for name, text in stubs.items():
        assert ast.parse(text).body, name
    assert set(stubs) >= {*ALLOWED, WITHOUT_IMPORT, "os", "sys", "asyncio", "requests", "httpx", "pathlib"}


def test_the_stubs_have_the_names_that_scripts_have(stubs: dict[str, str]) -> None:
    names = torch_namespace()
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
    own = {name for name in vars(Tensor) if not name.startswith("_")}
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
