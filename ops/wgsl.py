"""Terms as WGSL.

Owns the text of expressions and how values of each dtype are stored (a bool is a `u32`, 0 or 1). Must not know ops,
layouts or kernels: `ops/lowering/` puts the text into a `KernelSpec`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from ops.dtypes import BY_NAME, register
from ops.expression import ABSENT, Call, Term, Value, parse, postorder
from ops.functions import CASTS, FUNCTIONS
from ops.numerics import helpers
from shaders.spec import Hole, Param, Scalar

_F32_MAX = 3.4028234663852886e38
_I32_MIN = -(1 << 31)
_WORD_MASK, _LONG_MASK = (1 << 32) - 1, (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Function:
    """A WGSL function in storage types: `name(x0, x1, …)`, and `index` last when `indexed`.

    `text` holds the function alone; `with_helpers` adds what it calls. `params` and `values` are the numbers that it
    reads from the uniform struct.
    """

    name: str
    text: str
    indexed: bool
    params: tuple[Param, ...]
    values: dict[str, Scalar | Hole]


def storage(dtype: str) -> str:
    """The WGSL type of an element of `dtype` in registers, and in buffers where it does not lie there packed."""
    return BY_NAME[register(dtype)].wgsl


def function(name: str, term: Term, inputs: Sequence[tuple[str, str]], prefix: str = "p") -> Function:
    """The WGSL function `name` that computes `term` from named arguments of dtypes.

    `inputs` are the arguments' names and dtypes; the n-th is what an `input` term of number n means. Scalars become
    parameters called `prefix` and a number.
    """
    return _function(name, term, tuple(inputs), prefix)


@lru_cache(maxsize=1024)
def _function(name: str, term: Term, inputs: tuple[tuple[str, str], ...], prefix: str) -> Function:
    order = list(postorder(term))
    scalars = [node for node in order if node.function == "scalar"]
    names = {id(node): f"{prefix}{number}" for number, node in enumerate(scalars)}
    indexed = any(node.function == "index" for node in order)
    lines = _statements(order, inputs, names)
    arguments = [f"{argument}: {storage(dtype)}" for argument, dtype in inputs] + ["index: u32"] * indexed
    result = "select(0u, 1u, {})" if term.dtype == "bool" else "{}"
    body = "".join(f"  {line}\n" for line in lines[:-1])
    text = (
        f"fn {name}({', '.join(arguments)}) -> {storage(term.dtype)} {{\n{body}"
        f"  return {result.format(lines[-1])};\n}}"
    )
    params = tuple(_param(names[id(node)], node.dtype) for node in scalars)
    values = {names[id(node)]: node.hole or scalar(node.value, node.dtype) for node in scalars}
    return Function(name, text, indexed, params, values)


def with_helpers(*texts: str, body: str = "") -> str:
    """The functions `texts`, each once, after the helpers that they and the body of the kernel call."""
    distinct = list(dict.fromkeys(texts))
    return "\n".join(text for text in [helpers("\n".join([*distinct, body])), *distinct] if text)


@cache
def length(expression: str) -> int:
    """About how many characters of WGSL a driver sees of an expression on floats, helpers put in wherever called."""
    total, waiting = 0, [parse(expression)] if expression else []
    while waiting:
        tree = waiting.pop()
        if isinstance(tree, Call) and tree.function != ABSENT:
            text = FUNCTIONS[tree.function].text("f32")
            total += len(text) + len(helpers(text))
            waiting.extend(tree.args)
    return total


def _statements(order: list[Term], inputs: Sequence[tuple[str, str]], names: dict[int, str]) -> list[str]:
    """`let` statements for the terms that are used more than once, and last the whole term's own text."""
    uses: dict[int, int] = {}
    for node in order:
        for arg in node.args:
            uses[id(arg)] = uses.get(id(arg), 0) + 1
    texts: dict[int, str] = {}
    lines: list[str] = []
    for node in order:
        text = _text(node, [texts[id(arg)] for arg in node.args], inputs, names)
        if node.args and uses.get(id(node), 0) > 1:
            lines.append(f"let t{len(lines)} = {text};")
            text = f"t{len(lines) - 1}"
        texts[id(node)] = text
    return [*lines, texts[id(order[-1])]]


def _text(node: Term, args: list[str], inputs: Sequence[tuple[str, str]], names: dict[int, str]) -> str:
    match node.function:
        case "input":
            name = inputs[int(node.value)][0]
            return f"({name} != 0u)" if node.dtype == "bool" else name
        case "scalar":
            name = f"params.{names[id(node)]}"
            return f"({name} != 0u)" if node.dtype == "bool" else name
        case "number":
            return literal(node.value, node.dtype)
        case "index":
            return "index"
        case "cast":
            return CASTS[node.args[0].dtype, node.dtype].format(*args)
    return FUNCTIONS[node.function].text(node.args[0].dtype).format(*args)


def literal(value: Value, dtype: str) -> str:
    """`value` as WGSL text of `dtype`; infinities and NaN are read from a variable, as WGSL has no such constant."""
    if dtype == "bool":
        return "true" if value else "false"
    if dtype == "f32":
        return _float(float(value))
    if dtype == "i64":
        bits = int(value) & _LONG_MASK
        return f"vec2<u32>({bits & _WORD_MASK}u, {bits >> 32}u)"
    suffix = "i" if dtype == "i32" else "u"
    if value == _I32_MIN and dtype == "i32":
        return f"i32({value})"  # with a suffix it were the negation of a number that is too large
    return f"({value}{suffix})" if value < 0 else f"{value}{suffix}"


def stored(value: Value, dtype: str) -> str:
    """`value` as WGSL text of the type in which an element of `dtype` is stored."""
    if dtype == "bool":
        return "1u" if value else "0u"
    return literal(float(value) if dtype == "f32" else int(value), dtype)


def _float(value: float) -> str:
    if value != value:
        return "not_a_number()"
    if abs(value) > _F32_MAX:
        return "infinity()" if value > 0 else "(-infinity())"
    return f"({value!r}f)" if value < 0 else f"{value!r}f"


def _param(name: str, dtype: str) -> Param:
    return Param(name, "f32" if dtype == "f32" else "i32" if dtype == "i32" else "u32")


def scalar(value: Value, dtype: str) -> Scalar:
    """`value` as a uniform struct can hold it: floats beyond f32 become infinite."""
    if dtype != "f32":
        return int(value)
    if abs(value) > _F32_MAX:
        return float("inf") if value > 0 else float("-inf")
    return float(value)
