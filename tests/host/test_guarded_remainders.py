"""Signed `%` as an adapter computes it once the kernel is guarded, against whole numbers in Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from host.engine import finish
from host.engines.wgpu import WgpuEngine
from host.frames import Bound, DispatchKernel, Fresh, Step
from host.shared import Source
from ops.graph import TensorType
from shaders.reflect import reflect
from tests.host.engines import go, take

LEAST, MOST = -(1 << 31), (1 << 31) - 1
NUMBERS = [0, 1, -1, 2, -2, 3, 5, -5, 7, -7, 1000, -1000, MOST, LEAST, LEAST + 1]
LANES = [
    (a, b, NUMBERS[(3 * i + 5 * k) % len(NUMBERS)])
    for (i, a), (k, b) in product(enumerate(NUMBERS), repeat=2)
]
Value = Callable[[int, int, int], int]


def wrapped(number: int) -> int:
    return (number - LEAST) % (1 << 32) + LEAST


def divided(a: int, b: int) -> int:
    """As in WGSL: towards 0, and a itself by 0; the smallest number by -1 wraps around."""
    return wrapped(abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)) if b else a


def remainder(a: int, b: int) -> int:
    """As in WGSL: of the sign of a, and 0 by 0."""
    return (abs(a) % abs(b)) * (-1 if a < 0 else 1) if b else 0


@dataclass(frozen=True)
class Expression:
    """A text of WGSL over a, b and c, how tightly its outermost operator binds, and what it is for each of them."""

    text: str
    binds: int
    value: Value


OPERATORS: dict[str, tuple[int, Callable[[int, int], int]]] = {
    "+": (1, lambda a, b: wrapped(a + b)),
    "-": (1, lambda a, b: wrapped(a - b)),
    "*": (2, lambda a, b: wrapped(a * b)),
    "/": (2, divided),
    "%": (2, remainder),
}
LEAVES = [
    Expression("a", 3, lambda a, b, c: a),
    Expression("b", 3, lambda a, b, c: b),
    Expression("pair.n", 3, lambda a, b, c: c),
    Expression("all[1]", 3, lambda a, b, c: b),
    Expression("vec3<i32>(a, b, c).z", 3, lambda a, b, c: c),
    Expression("-c", 3, lambda a, b, c: wrapped(-c)),
    Expression("abs(a)", 3, lambda a, b, c: wrapped(abs(a))),
    Expression("max(b, -7)", 3, lambda a, b, c: max(b, -7)),
    Expression("a % 7", 2, lambda a, b, c: remainder(a, 7)),
    Expression("-100 % b", 2, lambda a, b, c: remainder(-100, b)),
]


def operation(operator: str, left: Expression, right: Expression) -> Expression:
    binds, compute = OPERATORS[operator]
    first = left.text if left.binds >= binds else f"({left.text})"
    second = right.text if right.binds > binds else f"({right.text})"
    return Expression(
        f"{first} {operator} {second}",
        binds,
        lambda a, b, c: compute(left.value(a, b, c), right.value(a, b, c)),
    )


EXPRESSIONS = st.recursive(
    st.sampled_from(LEAVES),
    lambda inner: st.builds(operation, st.sampled_from(["%", "%", *OPERATORS]), inner, inner),
    max_leaves=8,
)


def computed(engine: WgpuEngine, statements: list[str]) -> list[list[int]]:
    """What `statements`, each of which gives `r` a value, come to for each of `LANES`."""
    body = "\n".join(
        f"  {{ var r = 0; {text} o[id.x * {len(statements)}u + {number}u] = r; }}"
        for number, text in enumerate(statements)
    )
    kernel = reflect(
        "struct Pair { n: i32, v: vec3<i32> }\n"
        "@group(0) @binding(0) var<storage, read> x: array<i32>;\n"
        "@group(0) @binding(1) var<storage, read_write> o: array<i32>;\n"
        "@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
        "  let at = id.x * 3u; let a = x[at]; var b = x[at + 1u]; let c: i32 = x[at + 2u];\n"
        f"  let pair = Pair(c, vec3<i32>(a, b, c)); var all = array<i32, 3>(a, b, c);\n{body}\n}}\n"
    )
    assert kernel.guard is not None
    assert "%" not in kernel.guard.source
    data = np.array(LANES, np.int32)
    engine.add_kernel("k", kernel, warm=False)
    engine.upload(1, "me", TensorType((data.size,), "i32"), Source(data.nbytes, data.tobytes()))
    try:
        step = Step("main", (len(LANES), 1, 1), [Bound("x", 1), Bound("o", 2)])
        fresh = [Fresh(2, "i32", (len(LANES) * len(statements),))]
        finish(engine.dispatch(DispatchKernel(1, 1, "me", "k", [step], fresh), go))
        written = np.frombuffer(take(engine, 2), np.int32)
        return written.reshape(len(LANES), -1).T.tolist()  # type: ignore[no-any-return]
    finally:
        engine.free([1, 2])


@pytest.mark.parametrize(
    "statement",
    [
        "r = a % b;",
        "r = a; r %= b;",
        "r = (pair.v % vec3<i32>(b, c, a)).x;",
        "r = (pair.v % b).x;",
        "r = (a % vec2<i32>(c, b)).y;",
        "var v = vec4<i32>(c, a, c, a); v %= vec4(b); r = v.w;",
    ],
)
def test_a_remainder_has_the_sign_of_what_is_divided_and_by_zero_is_zero(
    gpu: WgpuEngine, statement: str
) -> None:
    assert computed(gpu, [statement]) == [[remainder(a, b) for a, b, _ in LANES]]


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(EXPRESSIONS, min_size=4, max_size=10))
def test_expressions_give_what_python_makes_of_them(gpu: WgpuEngine, expressions: list[Expression]) -> None:
    expected = [[each.value(*lane) for lane in LANES] for each in expressions]
    assert computed(gpu, [f"r = {each.text};" for each in expressions]) == expected
