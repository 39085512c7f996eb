"""Tint, which shares no line with naga, finds all WGSL valid that we make: our kernels, and guarded ones of strangers.

Part of `scripts/test --full` where node and npm's `webgpu` are there: `npm install webgpu`, in this repository's folder
or in the one that `KERNELGATE_TINT` names.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from ops.spec import REQUIRED
from ops.table import TABLE
from shaders.errors import KernelgateError
from shaders.generator import WgslGenerator
from shaders.guard.budget import priced
from shaders.reflect import reflect
from tests.ops.test_golden import CLASSES, kernels, of, sampled

ROOT = Path(__file__).parents[2]
FOLDER = Path(os.environ.get("KERNELGATE_TINT", ROOT))
OF_STRANGERS = [ROOT / "examples", ROOT / "tests" / "attacks" / "kernels"]
WAIT_S = 300

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed"),
    pytest.mark.skipif(
        not (FOLDER / "node_modules" / "webgpu").is_dir(), reason="npm's package webgpu is not installed"
    ),
]


def refused(sources: dict[str, str]) -> dict[str, list[str]]:
    """What Tint says of the sources that are not valid, by name."""
    done = subprocess.run(
        ["node", str(Path(__file__).with_name("tint.mjs")), str(FOLDER)],
        input=json.dumps(sources),
        capture_output=True,
        text=True,
        timeout=WAIT_S,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, list[str]] = json.loads(done.stdout.rpartition("\n")[2])
    return found


def of_rows() -> Iterator[tuple[str, str]]:
    """The kernels of all rows on each class of devices, elementwise ones for each dtype."""
    render = WgslGenerator().render
    for row in TABLE.values():
        for kind, device in CLASSES.items():
            if row.kind in ("digest", "routine") and row.inputs != ("x",):
                for spec in kernels(sampled(row), device):
                    yield f"{row.name} {spec.name} {kind}", render(spec)
            elif row.kind == "elementwise" and not any(each.default == REQUIRED for each in row.attributes):
                for dtype in row.dtypes:
                    case = (row.name, {}, [of(dtype, 1000) for _ in row.inputs])
                    for spec in kernels(case, device):
                        yield f"{row.name} {dtype} {kind}", render(spec)


def test_the_judge_tells_valid_from_invalid() -> None:
    good = "@compute @workgroup_size(1) fn main() { }"
    assert list(refused({"good": good, "bad": good.replace("{ }", "{ let x = ; }")})) == ["bad"]


def test_our_kernels_are_valid_to_tint() -> None:
    sources = dict(of_rows())
    for path in (ROOT / "tests").rglob("golden/*.wgsl"):
        for number, text in enumerate(path.read_text().split("// kernel ")):
            sources[f"{path.name} {number}"] = text.partition("\n")[2] if number else text
    assert len(sources) > 500
    assert refused({name: text for name, text in sources.items() if text.strip()}) == {}


def test_what_the_guard_makes_of_kernels_is_valid_to_tint_where_they_are() -> None:
    originals, guarded = {}, {}
    for path in (path for folder in OF_STRANGERS for path in sorted(folder.glob("*.wgsl"))):
        try:
            guard = reflect(source := path.read_text()).guard
        except KernelgateError:
            continue
        assert guard is not None
        originals[path.name], guarded[path.name] = source, priced(guard, "fuel")
    invalid = refused(originals).keys()
    assert len(originals) - len(invalid) > 60
    assert {name: errors for name, errors in refused(guarded).items() if name not in invalid} == {}
