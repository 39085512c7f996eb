"""The table as a whole: its documentation, its names, and that one row is enough."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from ops import reference, table
from ops.attribute_words import WORDS
from ops.document import document
from ops.errors import AttributeValueError, UnknownOpError
from ops.functions import ROWS as FUNCTION_ROWS
from ops.graph import TensorType
from ops.infer import infer
from ops.numerics import HELPERS
from ops.spec import REQUIRED, OpSpec, also_called, check_attributes
from ops.table import TABLE, find, full_name
from ops.torch import creation, methods
from ops.torch.tensor import Tensor
from tests.ops import test_elementwise, test_gradient

ROOT = Path(__file__).parents[2]


def test_the_documentation_is_that_of_the_table() -> None:
    assert (ROOT / "docs" / "ops.md").read_text() == document(), "run: python -m ops.document > docs/ops.md"


def test_each_other_name_of_an_attribute_means_it() -> None:
    for row in TABLE.values():
        own = {each.name: each.default for each in row.attributes if each.default != REQUIRED}
        if len(own) == len(row.attributes):
            for name, default in own.items():
                for other in also_called(name):
                    assert check_attributes(row, {other: default}) == check_attributes(row, own), row.name


def test_a_name_that_an_op_does_not_have_comes_with_one_that_may_be_meant() -> None:
    with pytest.raises(AttributeValueError) as caught:
        check_attributes(TABLE["sum"], {"keepdin": True})
    assert caught.value.hint == "Did you mean keepdim?"


def test_what_numerics_calls_exact_has_no_tolerance() -> None:
    page = (ROOT / "docs" / "numerics.md").read_text()
    exact = page[page.index("* Of f32:") : page.index("## What may err")]
    named = [TABLE[name] for name in re.findall(r"`(\w+)`", exact) if name != "remainder"]
    assert len(named) > 5
    assert all(row.tolerance == 0 for row in named)


def test_every_name_and_alias_means_one_row() -> None:
    names = [name for row in TABLE.values() for name in (row.name, *row.aliases)]
    assert len(names) == len(set(names))
    for row in TABLE.values():
        for name in (row.name, *row.aliases):
            assert find(name) is find(f"tensor.{name}") is row
    assert find("hash.sha256").name == "sha256"
    assert [find(name).name for name in ("LeakyRelu", "Not", "GreaterOrEqual", "Atan2", "tensor.Clip")] == [
        "leaky_relu",
        "logical_not",
        "ge",
        "atan2",
        "clamp",
    ]
    with pytest.raises(UnknownOpError):
        find("add.dz")
    assert [full_name(find(name)) for name in ("add", "philox", "popcount")] == [
        "tensor.add",
        "random.philox",
        "bits.popcount",
    ]


def test_an_unknown_name_gets_the_closest_ones() -> None:
    with pytest.raises(UnknownOpError) as caught:
        find("tensor.sofmax")
    assert caught.value.hint == "Did you mean softmax or fmax or soft_argmax?"


def test_rows_are_complete() -> None:
    for row in TABLE.values():
        assert row.doc.endswith(".")
        assert bool(row.expression) == (row.kind in ("elementwise", "leaf"))
        assert bool(row.reduction) == (row.kind == "reduction")
        assert hash(row)


def test_one_row_is_an_op(monkeypatch: pytest.MonkeyPatch, check: Any, numpy_engine: Any) -> None:
    """Nothing else is edited: kernel, reference, gradient, function, methods, documentation and tests follow."""
    row = OpSpec(
        "hinge",
        "elementwise",
        ("x", "y"),
        "`maximum(0, 1 - x * y)`.",
        "maximum(0, 1 - x * y)",
        ("svm",),
        tolerance=3e-7,
        relative="1 + abs(x * y)",
    )
    for name in ("hinge_", "svm_"):
        monkeypatch.setattr(Tensor, name, None, raising=False)
    monkeypatch.setitem(TABLE, "hinge", row)
    monkeypatch.setattr(Tensor, "hinge", None, raising=False)
    monkeypatch.setattr(Tensor, "svm", None, raising=False)
    monkeypatch.setattr(methods, "FUNCTIONS", {})
    methods.fill()
    x, y = np.float32([0.5, 2, -1]), np.float32([1, 1, 1])
    assert check("hinge", {}, [x, y]).tolist() == [0.5, 0, 2]
    assert reference.apply("hinge", {}, [x.astype(np.int32), y.astype(np.int32)]).tolist() == [1, 0, 2]
    assert methods.FUNCTIONS["svm"](creation.tensor([0.5]), 1.0).tolist() == [0.5]
    assert creation.tensor([3.0]).hinge(1).tolist() == [0]  # type: ignore[attr-defined]
    y_again = creation.tensor([3.0])
    assert y_again.svm_(1) is y_again  # type: ignore[attr-defined]
    assert "### hinge(x, y)\n\n`maximum(0, 1 - x * y)`." in document()
    assert find("hinge.dx").inputs == ("x", "y", "grad")
    assert check("hinge.dx", {}, [x, y, np.float32([1, 1, 1])]).tolist() == [-1, 0, -1]
    test_gradient.test_a_gradient_is_the_limit_of_differences(row, 1)
    (dtypes,) = test_elementwise.dtype_choices(replace(row, dtypes=("f32",)), 0)
    test_elementwise.test_a_row_is_right_at_every_pair_of_edge_values(row, dtypes, {}, check)


def test_no_kernel_text_has_an_array_or_a_loop_without_bound() -> None:
    for text in [*HELPERS.values(), *(template for row in FUNCTION_ROWS for template in row.wgsl.values())]:
        assert "while" not in text
        assert "loop" not in text
        assert "array<" not in text


IMPORTS = """
import importlib, pkgutil, sys
import ops
for top in pkgutil.iter_modules(ops.__path__, "ops."):
    if top.name not in ("ops.reference", "ops.handbook"):
        module = importlib.import_module(top.name)
        for part in pkgutil.walk_packages(getattr(module, "__path__", []), top.name + "."):
            importlib.import_module(part.name)
print(",".join(sorted(name for name in ("numpy", "jinja2", "wgpu") if name in sys.modules)))
"""


def test_every_attribute_of_every_op_has_words() -> None:
    silent = [f"{row.name}.{each.name}" for row in TABLE.values() for each in row.attributes if not each.doc]
    assert not silent, "ops/attribute_words.py has none for these"


def test_words_for_attributes_are_those_of_ops_that_need_them() -> None:
    rows = [row for module in vars(table).values() if isinstance(module, ModuleType) for row in module.ROWS]
    bare = {(row.name, each.name) for row in rows for each in row.attributes if not each.doc}
    own = {f"{op}.{name}" for op, name in bare} & WORDS.keys()
    common = {name for op, name in bare if f"{op}.{name}" not in own}
    assert WORDS.keys() == own | common
    assert all(WORDS[each] != WORDS.get(each.partition(".")[2]) for each in own)


def test_what_a_worker_imports_loads_neither_numpy_nor_jinja2() -> None:
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == ""


@pytest.mark.parametrize(
    "row",
    [row for row in TABLE.values() if row.kind == "elementwise" and row.result == "promote"],
    ids=full_name,
)
def test_defaults_of_attributes_do_not_make_integers_floats(row: OpSpec) -> None:
    for dtype in set(row.dtypes) & {"i32", "u32"}:
        (type,) = infer(full_name(row), {}, [TensorType((2,), dtype)] * len(row.inputs))
        assert type.dtype == dtype
