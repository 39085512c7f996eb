"""Composites of linear algebra: products by their names, and Einstein's sums."""

from __future__ import annotations

from ops.composite import Meaning, Parts, Value
from ops.composites.einsum import einsum
from ops.errors import ShapeError
from ops.shapes import text


def _ranks(op: str, *wanted: tuple[Value, int]) -> None:
    """Refuse tensors of other ranks."""
    if any(value.rank != rank for value, rank in wanted):
        ranks = " and ".join(str(rank) for _, rank in wanted)
        given = " and ".join(text(value.shape) for value, _ in wanted)
        raise ShapeError(f"{op} takes tensors of {ranks} axes, not of shapes {given}")


def mm(do: Parts, x: Value, y: Value) -> Value:
    """The product of two matrices."""
    _ranks("mm", (x, 2), (y, 2))
    return do("matmul", x, y)


def bmm(do: Parts, x: Value, y: Value) -> Value:
    """The products of two batches of matrices of equal size."""
    _ranks("bmm", (x, 3), (y, 3))
    if x.shape[0] != y.shape[0]:
        raise ShapeError(f"bmm takes batches of one size, not {x.shape[0]} and {y.shape[0]}")
    return do("matmul", x, y)


def mv(do: Parts, x: Value, y: Value) -> Value:
    """The product of a matrix and a vector."""
    _ranks("mv", (x, 2), (y, 1))
    return do("matmul", x, y)


def dot(do: Parts, x: Value, y: Value) -> Value:
    """The inner product of two vectors."""
    _ranks("dot", (x, 1), (y, 1))
    return do("matmul", x, y)


def outer(do: Parts, x: Value, y: Value) -> Value:
    """The outer product of two vectors."""
    _ranks("outer", (x, 1), (y, 1))
    return do.reshape(x, *x.shape, 1) * y


def _added(do: Parts, bias: Value, product: Value, beta: float, alpha: float) -> Value:
    """`beta * bias + alpha * product`; where `beta` is 0, `bias` has no say, not even as NaN."""
    scaled = product if alpha == 1 else product * alpha
    if beta == 0:
        return scaled
    return do("add", scaled, bias if beta == 1 else bias * beta)


def addmm(do: Parts, x: Value, y: Value, z: Value, beta: float, alpha: float) -> Value:
    """`beta * x + alpha * (y @ z)` of matrices."""
    return _added(do, x, mm(do, y, z), beta, alpha)


def addmv(do: Parts, x: Value, y: Value, z: Value, beta: float, alpha: float) -> Value:
    """`beta * x + alpha * (y @ z)` of a matrix and a vector."""
    return _added(do, x, mv(do, y, z), beta, alpha)


def baddbmm(do: Parts, x: Value, y: Value, z: Value, beta: float, alpha: float) -> Value:
    """`beta * x + alpha * (y @ z)` of batches of matrices."""
    return _added(do, x, bmm(do, y, z), beta, alpha)


def gemm(
    do: Parts,
    x: Value,
    y: Value,
    z: Value | None = None,
    *,
    alpha: float,
    beta: float,
    trans_a: bool,
    trans_b: bool,
) -> Value:
    """`alpha * (x @ y) + beta * z` of matrices, or of their transposes."""
    _ranks("gemm", (x, 2), (y, 2))
    left, right = (
        do("transpose", each) if is_turned else each for each, is_turned in ((x, trans_a), (y, trans_b))
    )
    product = mm(do, left, right)
    if z is None:
        return product if alpha == 1 else product * alpha
    return _added(do, z, product, beta, alpha)


def linear(do: Parts, x: Value, weight: Value, bias: Value) -> Value:
    """`x @ weight.T + bias`."""
    turned = do("transpose", weight) if weight.rank > 1 else weight
    return do("matmul", x, turned) + bias


def bilinear(do: Parts, x: Value, y: Value, weight: Value, bias: Value | None = None) -> Value:
    """`x` and `y` through a matrix for each output."""
    if weight.rank != 3 or (x.shape[-1:], y.shape[-1:]) != (weight.shape[1:2], weight.shape[2:]):
        raise ShapeError(
            f"bilinear takes a weight [outputs, {x.shape[-1:]}, {y.shape[-1:]}], not {text(weight.shape)}"
        )
    made = do("einsum", do("einsum", x, weight, equation="...i,oij->...oj"), y, equation="...oj,...j->...o")
    return made if bias is None else made + bias


MEANINGS: dict[str, Meaning] = {
    "mm": mm,
    "bmm": bmm,
    "mv": mv,
    "dot": dot,
    "outer": outer,
    "addmm": addmm,
    "addmv": addmv,
    "baddbmm": baddbmm,
    "gemm": gemm,
    "linear": linear,
    "bilinear": bilinear,
    "einsum": einsum,
}
