"""PyTorch's OpInfo samples through our tensors on the device: `python -m tests.judges.opinfo [DTYPE [NAME…]]`.

Owns which ops share a name with ours, how a sample is carried over, and when two results agree. Needs PyTorch, which
is no dependency of ours: `pip install torch==2.13.0 expecttest` into an environment that has the server's packages.
"""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import torch

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from torch.testing._internal.common_methods_invocations import op_db

from ops import reference
from ops.graph import TensorType
from ops.reference.bfloat import opened
from ops.table import TABLE
from ops.torch import engine, lazy, methods, typenames
from ops.torch.handles import refs
from ops.torch.namespace import namespace
from ops.torch.tensor import Tensor
from shaders.errors import KernelgateError
from tests.judges.in_process import InProcess

DTYPES = {torch.float32: "f32", torch.int32: "i32", torch.int64: "i64", torch.bool: "bool"}
"""What each dtype of PyTorch is here."""
NAMES = {"f32": typenames.float32, "i32": typenames.int32, "i64": typenames.int64, "bool": typenames.bool_}
RTOL, ATOL = 1.3e-6, 1e-5
"""What `torch.testing` allows results of f32; a row's own tolerance counts where it is larger."""
LOOSER = {
    "nn.functional.conv3d": 1e-4,
    "nn.functional.conv_transpose3d": 1e-4,
    "nn.functional.scaled_dot_product_attention": 5e-5,
}
"""The absolute errors of sums of hundreds of products, as PyTorch's own tests allow them."""
RANDOM = {
    "empty", "empty_like", "randn", "randint", "rand_like", "randn_like", "randint_like", "uniform", "normal",
    "bernoulli", "multinomial",
}  # fmt: skip
"""Only shapes and dtypes can be compared."""
TURNED = {"where", "nn.functional.embedding", "nn.functional.embedding_bag"}
"""Whose samples have the second argument first."""
DROPPED = {"device", "layout", "requires_grad", "pin_memory", "memory_format"}
"""Arguments that say where and how elements lie, which is no concern of a script here."""
SETTLED: Mapping[str, tuple[tuple[str, ...], Mapping[str, object]]] = {
    "unique": ((), {"sorted": True}),
    "sort": (("dim", "descending"), {"stable": True}),
    "argsort": (("dim", "descending"), {"stable": True}),
}
"""What PyTorch is asked for where a sample leaves the order open, and the names of the arguments before."""
VALUES_ONLY = {"topk", "kthvalue"}
"""Positions among equal elements are open, and whole numbers are often equal."""
EXCLUDED = {
    ("norm_nuc", ""): "needs singular values",
    ("addmv", "int32"): "a fraction of integers is f32 here, and cut off by PyTorch",
    ("baddbmm", "int32"): "a fraction of integers is f32 here, and cut off by PyTorch",
    ("nn_functional_hardtanh", "int32"): "a fraction of integers is f32 here, and cut off by PyTorch",
    ("nn_functional_hardtanh", "int64"): "a fraction of integers is f32 here, and cut off by PyTorch",
}
ERRORS = (KernelgateError, TypeError, AttributeError, ValueError, IndexError, RuntimeError)
Function = Callable[..., Any]


class Excluded(Exception):
    """A sample that asks for what is not here; the message says what."""


@dataclass
class Tally:
    """What came of the samples of one op: how many passed, and the others in words."""

    name: str
    passed: int = 0
    wrong: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    excluded: Counter[str] = field(default_factory=Counter)

    @property
    def total(self) -> int:
        """The samples that are not excluded."""
        return self.passed + len(self.wrong) + len(self.refused)


class Form(NamedTuple):
    """A way to call an op: ours and PyTorch's function."""

    name: str
    ours: Function
    theirs: Function


def our_function(name: str) -> Function | None:
    """What our `torch` has by a dotted name."""
    at: Any = namespace()
    for part in name.split("."):
        at = at.get(part) if isinstance(at, dict) else None
    return at if callable(at) else None


def forms(info: Any) -> list[Form]:
    """The ways to call an op that both have: as a function, as a method, in place."""
    if info.variant_test_name == "in_place":
        return [Form("in place", getattr(Tensor, f"{info.name}_"), info.op)]
    function, method = our_function(info.name), getattr(Tensor, info.name, None)
    pairs = [
        ("function", function, info.op),
        ("method", method, info.method_variant if function else info.op),
        ("in place", getattr(Tensor, f"{info.name}_", None), info.inplace_variant),
    ]
    return [Form(name, ours, theirs) for name, ours, theirs in pairs if callable(ours) and callable(theirs)]


def judge(info: Any, dtype: torch.dtype) -> Tally:
    """Run all samples of one op in every form: a sample passes if all agree with PyTorch."""
    tally = Tally(info.formatted_name)

    def differs(given: tuple[Any, ...], named: dict[str, Any]) -> str:
        return next(filter(None, (_differs(info, form, given, named) for form in forms(info))), "")

    for sample in info.sample_inputs("cpu", dtype):
        count(tally, sample, differs)
    return tally


def count(tally: Tally, sample: Any, differs: Callable[[tuple[Any, ...], dict[str, Any]], str]) -> None:
    """Note what came of a sample; `differs` says how we differ from PyTorch, given its arguments."""
    given = (sample.input, *sample.args)
    named = {name: value for name, value in sample.kwargs.items() if name not in DROPPED}
    told = f"{shown(given)} {shown(named)}"
    try:
        reason = differs(given, named)
    except Excluded as error:
        tally.excluded[str(error)] += 1
    except ERRORS as error:
        tally.refused.append(f"{type(error).__name__}: {str(error)[:160]}: {told}")
    else:
        tally.passed += not reason
        tally.wrong += [f"{reason}: {told}"] * bool(reason)


def _differs(info: Any, form: Form, given: tuple[Any, ...], named: dict[str, Any]) -> str:
    """How our result differs; empty where it does not, or PyTorch has none in this form. Raises `Excluded`."""
    dtype = check_excluded(info, given, named)
    args, keywords = carried(given), carried(named)
    call = theirs(form)
    asked = settled(info.name, given, named)
    try:
        expected = list(arrays(call(*copied(asked[0]), **asked[1])))
    except ERRORS:
        if form.name == "in place":
            return ""  # the result does not fit in the tensor
        raise
    found = list(arrays(ours(info.name, form, args, keywords)))
    if info.name in VALUES_ONLY and dtype != "float32":
        found, expected = found[:1], expected[:1]
    reason = compared(info.name, found, expected)
    if reason and dtype == "float32":  # is it PyTorch that errs?
        expected = list(arrays(call(*wide(copied(asked[0])), **wide(asked[1]))))
        reason = compared(info.name, found, expected) and reason
    return f"{form.name}: {reason}" if reason else ""


def check_excluded(info: Any, given: tuple[Any, ...], named: dict[str, Any]) -> str:
    """The dtype of a sample. Raises `Excluded` for one that is left out."""
    dtype = str(getattr(given[0], "dtype", ""))[6:]
    reason = EXCLUDED.get((info.formatted_name, "")) or EXCLUDED.get((info.formatted_name, dtype))
    by_chance = "dropout" in info.name or info.name == "nn.functional.rrelu"
    if named.get("dropout_p") or (by_chance and named.get("training", "dropout" in info.name)):
        reason = "drawn by another generator than PyTorch's"
    if named.get("sparse"):
        reason = "there are no sparse gradients"
    if reason:
        raise Excluded(reason)
    return dtype


def settled(
    name: str, given: tuple[Any, ...], named: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """A sample's arguments, such that PyTorch has but one answer."""
    if name not in SETTLED:
        return given, named
    places, more = SETTLED[name]
    return given[:1], {**dict(zip(places, given[1:], strict=False)), **named, **more}


def theirs(form: Form) -> Function:
    def call(*args: Any, **named: Any) -> Any:
        torch.manual_seed(0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return form.theirs(*args, **named)

    return call


def ours(name: str, form: Form, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Call our function; some of PyTorch's samples have their arguments in another order than its functions."""
    if name in TURNED and form.name == "function":
        args = (args[1], args[0], *args[2:])
    if name == "einsum":
        args = (args[1], *args[0])
    return form.ours(*args, **named)


def carried(value: Any) -> Any:
    """A sample's argument as ours. Raises `Excluded`."""
    match value:
        case torch.Tensor():
            if value.dtype not in DTYPES or value.layout is not torch.strided:
                raise Excluded(f"{value.dtype}, {value.layout}")
            name = DTYPES[value.dtype]
            data = value.detach().numpy().astype(reference.DTYPES[name]).tobytes()
            return Tensor(lazy.constant(data, TensorType(tuple(value.shape), name)))
        case torch.dtype():
            if value not in DTYPES:
                raise Excluded(str(value))
            return NAMES[DTYPES[value]]
        case torch.nn.Module():
            made = our_function(f"nn.{type(value).__name__}")
            return made() if made else value
        case tuple() | list() | dict():
            return mapped(carried, value)
    return value


def wide(value: Any) -> Any:
    """A sample's argument in f64."""
    match value:
        case torch.Tensor():
            return value.double() if value.dtype is torch.float32 else value
        case tuple() | list() | dict():
            return mapped(wide, value)
    return torch.float64 if value is torch.float32 else value


def copied(value: Any) -> Any:
    """A sample's argument, which may be written to."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    return mapped(copied, value) if isinstance(value, tuple | list | dict) else value


def mapped(function: Function, value: Any) -> Any:
    """`function` of each part of a collection."""
    if isinstance(value, dict):
        return {name: function(part) for name, part in value.items()}
    return (list if isinstance(value, list) else tuple)(map(function, value))


def arrays(value: Any) -> Iterator[np.ndarray]:
    """The tensors and numbers of a result, in order."""
    match value:
        case torch.Tensor():
            yield (value.float() if value.dtype is torch.bfloat16 else value).numpy()
        case Tensor():
            (ref,) = refs([value])
            found = np.frombuffer(engine.read(ref.handle), reference.DTYPES[ref.dtype]).reshape(ref.shape)
            yield opened(found) if ref.dtype == "bf16" else found
        case tuple() | list():
            for part in value:
                yield from arrays(part)
        case _:
            yield np.asarray(value)


def compared(name: str, found: list[np.ndarray], expected: list[np.ndarray]) -> str:
    """How results differ; empty where they do not."""
    if len(found) != len(expected):
        return f"{len(found)} results, not {len(expected)}"
    tolerance = TABLE[name].tolerance if name in TABLE else 0.0
    atol = LOOSER.get(name, ATOL)
    pairs = zip(found, expected, strict=True)
    if name in RANDOM:
        pairs = ((np.zeros_like(mine), np.zeros_like(its)) for mine, its in pairs)
    return next(
        (reason for mine, its in pairs if (reason := _unlike(mine, its, max(RTOL, tolerance), atol))), ""
    )


def _unlike(found: np.ndarray, expected: np.ndarray, rtol: float, atol: float) -> str:
    if found.shape != expected.shape:
        return f"shape {found.shape}, not {expected.shape}"
    if found.dtype.kind != expected.dtype.kind:
        return f"{found.dtype}, not {expected.dtype}"
    if found.dtype.kind == "f":
        right = np.isclose(found, expected, rtol, atol, equal_nan=True)
    else:
        right = found == expected.astype(found.dtype)
    if right.all():
        return ""
    first = tuple(np.argwhere(~right)[0])
    return f"{(~right).sum()} of {right.size} elements, first {found[first]}, not {expected[first]}"


def shown(value: Any) -> str:
    """A sample's arguments in short."""
    match value:
        case torch.Tensor():
            return f"{str(value.dtype)[6:]}{list(value.shape)}"
        case tuple() | list():
            return f"({', '.join(map(shown, value))})"
        case dict():
            return ", ".join(f"{name}={shown(part)}" for name, part in value.items())
    return repr(value)[:60]


@contextlib.contextmanager
def device() -> Iterator[None]:
    """Our tensors are computed on the best adapter of this machine, within."""
    assert methods.FUNCTIONS  # it completes `Tensor`
    mine = InProcess()
    engine.use(mine)
    try:
        yield
    finally:
        engine.use(None)
        mine.close()


def shared(dtype: torch.dtype, names: set[str]) -> Iterator[Any]:
    """PyTorch's entries of the ops that share a name with ours and take `dtype`, or of those named."""
    for info in op_db:
        if dtype in info.dtypes and forms(info) and (not names or info.name in names):
            yield info


def tallies(dtype: torch.dtype, names: set[str]) -> Iterator[Tally]:
    """Judge every op that shares a name with ours, or those named."""
    with device():
        for info in shared(dtype, names):
            yield judge(info, dtype)


def report(found: list[Tally], what: str) -> None:
    """Print what did not pass, what was left out, and the sums."""
    for tally in found:
        print(f"{tally.name}: {tally.passed} of {tally.total}", *tally.excluded.items())
        for line in [*tally.wrong, *tally.refused][:8]:
            print(f"    {line}")
    excluded = sum((tally.excluded for tally in found), Counter[str]())
    print(f"\n{sum(tally.passed for tally in found)} of {sum(tally.total for tally in found)} samples of {len(found)}"
          f" ops {what} pass; {sum(len(tally.wrong) for tally in found)} are wrong,"
          f" {sum(len(tally.refused) for tally in found)} refused")  # fmt: skip
    print(f"left out: {dict(excluded)}")


def main(argv: list[str]) -> None:
    """Judge and print: what did not pass, what was left out, and the sums."""
    dtype = getattr(torch, argv[0] if argv else "float32")
    report(list(tallies(dtype, set(argv[1:]))), f"in {dtype}")
    others = [info.name for info in op_db if not forms(info)]
    neural = sum(name.startswith("nn.functional.") for name in others)
    print(f"{neural} neural ops and {len(others) - neural} others are not here")


if __name__ == "__main__":
    main(sys.argv[1:])
