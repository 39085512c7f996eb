"""Terms computed in NumPy.

Owns what a typed expression means, step by step: each integer wraps at its width, floats are f64 until they are cast.
Must not know ops.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ops.dtypes import BY_NAME
from ops.expression import Term
from ops.reference.elements import Array, narrow, widened
from ops.reference.functions import FUNCTIONS


def run(term: Term, args: Sequence[Array], index: Array) -> Array:
    """The value of a typed term of `args`; `index` is what `index` means."""
    values: dict[int, Array] = {}
    stack = [term]
    while stack:
        node = stack[-1]
        waiting = [arg for arg in node.args if id(arg) not in values]
        if waiting:
            stack.extend(waiting)
            continue
        stack.pop()
        values[id(node)] = _term(node, [values[id(arg)] for arg in node.args], args, index)
    return values[id(term)]


def _term(node: Term, operands: list[Array], args: Sequence[Array], index: Array) -> Array:
    match node.function:
        case "input":
            return widened(args[int(node.value)], node.dtype)
        case "index":
            return index
        case "scalar" | "number":
            return widened(narrow(np.asarray(node.value), node.dtype), node.dtype)
        case "cast":
            return widened(narrow(operands[0], node.dtype), node.dtype)
        case "pow" if node.dtype != "f32":
            return _integer_power(operands[0], operands[1], node.dtype)
    value = FUNCTIONS[node.function](*operands)
    return narrow(value, node.dtype).astype(np.int64) if BY_NAME[node.dtype].kind == "int" else value


def _integer_power(base: Array, exponent: Array, dtype: str) -> Array:
    """`base ** exponent`, which wraps; 0 for a negative exponent, but for the bases 1 and -1."""
    bits, is_signed = 8 * BY_NAME[dtype].wire_bytes, BY_NAME[dtype].is_signed

    def power(x: int, y: int) -> int:
        if y < 0:
            return {1: 1, -1: -1 if y % 2 else 1}.get(x, 0)
        value = pow(x, y, 1 << bits)
        return value - (1 << bits) if is_signed and value >> (bits - 1) else value

    return np.asarray(np.frompyfunc(power, 2, 1)(base, exponent), dtype=np.int64)
