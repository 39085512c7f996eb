"""Einstein's sums: an equation as products, permutations and sums.

Owns the equation's form (NumPy's and PyTorch's, `...` too) and how two operands become a product of matrices. Must not
know kernels.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from ops.composite import Parts, Value
from ops.errors import AttributeValueError, ShapeError
from ops.shapes import broadcast, text

_DOTS = "..."


@dataclass(frozen=True, slots=True)
class _Term:
    """A value whose axes have labels; no label is there twice."""

    value: Value
    labels: str


def einsum(do: Parts, *tensors: Value, equation: str) -> Value:
    """The sum of products that `equation` says."""
    inputs, output = _labels(equation, [tensor.rank for tensor in tensors])
    terms = [_single(do, value, labels) for value, labels in zip(tensors, inputs, strict=True)]
    sizes: dict[str, int] = {}
    for term in terms:
        for label, size in zip(term.labels, term.value.shape, strict=True):
            known = sizes.get(label, 1)
            if 1 not in (known, size) and known != size:
                raise ShapeError(f"einsum: the label {label!r} has sizes {known} and {size}")
            sizes[label] = max(known, size) if 0 not in (known, size) else 0
    result = terms[0]
    for number, term in enumerate(terms[1:], 1):
        kept = set(output).union(*(each.labels for each in terms[number + 1 :]))
        result = _product(do, result, term, kept)
    return _arranged(do, _summed(do, result, set(output)), output)


def _labels(equation: str, ranks: list[int]) -> tuple[list[str], str]:
    """The labels of each operand and of the result; `...` becomes capital letters beyond those that are used."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    inputs = left.split(",")
    if len(inputs) != len(ranks):
        raise AttributeValueError(f"einsum: {equation[:64]!r} names {len(inputs)} operands of {len(ranks)}")
    for part in [*inputs, right]:
        bare = part.replace(_DOTS, "", 1)
        if not all(label.isascii() and label.isalpha() for label in bare):
            raise AttributeValueError(
                f"einsum: {equation[:64]!r} is no equation", hint="For example: bij,bjk->bik"
            )
    spare = [chr(code) for code in range(0x100, 0x110)]
    widths = [rank - len(part.replace(_DOTS, "")) for part, rank in zip(inputs, ranks, strict=True)]
    for part, width in zip(inputs, widths, strict=True):
        if width < 0 or (width and _DOTS not in part):
            raise ShapeError(f"einsum: {part!r} does not name the axes of its operand")
    most = max((width for part, width in zip(inputs, widths, strict=True) if _DOTS in part), default=0)
    filled = [
        part.replace(_DOTS, "".join(spare[most - width : most]))
        for part, width in zip(inputs, widths, strict=True)
    ]
    if arrow:
        output = right.replace(_DOTS, "".join(spare[:most]))
    else:
        letters = sorted(label for label in set("".join(filled)) if label.isascii())
        once = [label for label in letters if "".join(filled).count(label) == 1]
        output = "".join([*spare[:most], *once])
    if len(set(output)) < len(output) or not set(output) <= set("".join(filled)):
        raise AttributeValueError(
            f"einsum: the result {right!r} repeats a label, or has one that no operand has"
        )
    return filled, output


def _single(do: Parts, value: Value, labels: str) -> _Term:
    """An operand with the diagonal taken where a label is there twice."""
    for label in labels:
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            if value.shape[first] != value.shape[second]:
                raise ShapeError(
                    f"einsum: the label {label!r} is twice at axes of different size of {text(value.shape)}"
                )
            value = do("diagonal", value, axis0=first, axis1=second)
            labels = labels[:first] + labels[first + 1 : second] + labels[second + 1 :] + label
    return _Term(value, labels)


def _summed(do: Parts, term: _Term, kept: set[str]) -> _Term:
    """`term` without the labels that nothing needs any more."""
    gone = [number for number, label in enumerate(term.labels) if label not in kept]
    if not gone:
        return term
    labels = "".join(label for label in term.labels if label in kept)
    return _Term(do("sum", term.value, axes=gone), labels)


def _arranged(do: Parts, term: _Term, labels: str) -> Value:
    order = [term.labels.index(label) for label in labels]
    return term.value if order == sorted(order) else do("permute", term.value, axes=order)


def _product(do: Parts, left: _Term, right: _Term, kept: set[str]) -> _Term:
    """The product of two terms, summed over what only they share and nothing needs: one product of matrices."""
    left = _summed(do, left, kept | set(right.labels))
    right = _summed(do, right, kept | set(left.labels))
    shared = [label for label in left.labels if label in right.labels]
    batch = "".join(label for label in shared if label in kept)
    inner = "".join(label for label in shared if label not in kept)
    rows = "".join(label for label in left.labels if label not in shared)
    columns = "".join(label for label in right.labels if label not in shared)
    sizes = {
        label: broadcast(
            (left.value.shape[left.labels.index(label)],), (right.value.shape[right.labels.index(label)],)
        )[0]
        for label in shared
    }
    x, y = _arranged(do, left, batch + rows + inner), _arranged(do, right, batch + inner + columns)
    x = do(
        "expand",
        x,
        shape=[*(sizes[label] for label in batch), *_shape(left, rows), *(sizes[label] for label in inner)],
    )
    y = do("expand", y, shape=[*(sizes[label] for label in batch + inner), *_shape(right, columns)])
    depth = len(batch)
    heads = x.shape[:depth]
    a = do.reshape(x, *heads, prod(x.shape[depth : depth + len(rows)]), prod(x.shape[depth + len(rows) :]))
    b = do.reshape(y, *heads, a.shape[-1], prod(y.shape[depth + len(inner) :]))
    product = do("matmul", a, b) if inner else do("mul", a, b)
    return _Term(
        do.reshape(product, *heads, *_shape(left, rows), *_shape(right, columns)), batch + rows + columns
    )


def _shape(term: _Term, labels: str) -> list[int]:
    return [term.value.shape[term.labels.index(label)] for label in labels]
