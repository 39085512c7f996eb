"""`einsum`: sums of products by letters.

Owns the reading of the letters; the sums are products of matrices. Must not know linear algebra.
"""

from __future__ import annotations

from sandbox.library.numpy import reductions, shapes
from sandbox.library.numpy.arguments import ArrayLike, Result
from sandbox.library.numpy.array import box, ndarray, reshaped, view
from sandbox.library.numpy.convert import asarray
from sandbox.library.numpy.products import tensordot
from sandbox.library.numpy.shaping import transpose
from sandbox.library.numpy.ufuncs import multiply


def einsum(subscripts: str, *operands: ArrayLike, optimize: object = False) -> Result:
    """The sum of products that letters describe, as `ij,jk->ik`; `...` stands for axes in front."""
    arrays = [asarray(operand) for operand in operands]
    inputs, output = _letters(subscripts, arrays)
    sizes: dict[str, int] = {}
    for letters, a in zip(inputs, arrays, strict=True):
        for letter, size in zip(letters, a._shape, strict=True):
            if sizes.setdefault(letter, size) == 1:
                sizes[letter] = size
            elif size not in (1, sizes[letter]):
                raise ValueError("operands could not be broadcast together with the subscripts")
    if not set(output) <= set(sizes) or len(set(output)) != len(output):
        raise ValueError("einstein sum subscripts string included an output subscript which never appeared")
    found, letters = _single(arrays[0], inputs[0])
    for number in range(1, len(arrays)):
        later = {*output, *"".join(inputs[number + 1 :])}
        other, names = _single(arrays[number], inputs[number])
        found, letters = _pair(found, letters, other, names, later)
    return box(_summed(found, letters, output))


def _letters(subscripts: str, arrays: list[ndarray]) -> tuple[list[str], str]:
    text = str(subscripts).replace(" ", "")
    left, arrow, output = text.partition("->")
    inputs = left.split(",")
    if len(inputs) != len(arrays):
        raise ValueError(
            "more operands provided to einstein sum function than specified in the subscripts string"
        )
    spare = "".join(chr(number) for number in range(0x100, 0x100 + shapes.MAX_RANK))
    widest = ""
    for number, (letters, a) in enumerate(zip(inputs, arrays, strict=True)):
        extra = a.ndim - len(letters.replace("...", ""))
        if extra < 0 or (extra and "..." not in letters):
            raise ValueError(
                f"einstein sum subscripts string contains too many subscripts for operand {number}"
                if extra < 0
                else f"operand has more dimensions than subscripts given in einstein sum, operand {number}"
            )
        front = spare[len(spare) - extra :] if extra else ""
        widest = max(widest, front, key=len)
        inputs[number] = letters.replace("...", front)
    every = "".join(inputs)
    if not arrow:
        output = widest + "".join(sorted(x for x in set(every) if every.count(x) == 1 and x not in widest))
    return inputs, output.replace("...", widest)


def _single(a: ndarray, letters: str) -> tuple[ndarray, str]:
    """`a` with each letter once: a letter that occurs twice means the diagonal."""
    for letter in dict.fromkeys(letters):
        while letters.count(letter) > 1:
            first = letters.index(letter)
            second = letters.index(letter, first + 1)
            shape, strides = list(a._shape), list(a._strides)
            if shape[first] != shape[second]:
                raise ValueError("dimensions in operand for collapsing index don't match")
            strides[first] += strides[second]
            del shape[second], strides[second]
            a = view(a, tuple(shape), tuple(strides))
            letters = letters[:second] + letters[second + 1 :]
    return a, letters


def _pair(a: ndarray, letters: str, b: ndarray, names: str, later: set[str]) -> tuple[ndarray, str]:
    a, letters = _reduced(a, letters, later | set(names))
    b, names = _reduced(b, names, later | set(letters))
    joint = [x for x in letters if x in names and x not in later]
    plain = all(a._shape[letters.index(x)] == b._shape[names.index(x)] for x in joint)
    if joint and plain and not (set(letters) & set(names)) - set(joint):
        axes = [letters.index(x) for x in joint], [names.index(x) for x in joint]
        kept = [x for x in letters if x not in joint] + [x for x in names if x not in joint]
        return asarray(tensordot(a, b, axes)), "".join(kept)
    union = letters + "".join(x for x in names if x not in letters)
    product = asarray(multiply(_aligned(a, letters, union), _aligned(b, names, union)))
    return _reduced(product, union, later)


def _aligned(a: ndarray, letters: str, union: str) -> ndarray:
    """`a` with an axis for each letter of `union`."""
    present = [x for x in union if x in letters]
    turned = transpose(a, [letters.index(x) for x in present]) if a.ndim else a
    sizes = dict(zip(present, turned._shape, strict=True))
    return reshaped(turned, tuple(sizes.get(x, 1) for x in union))


def _reduced(a: ndarray, letters: str, kept: set[str]) -> tuple[ndarray, str]:
    gone = tuple(number for number, x in enumerate(letters) if x not in kept)
    if not gone:
        return a, letters
    total = reductions.sum(a, gone, a._dtype if a._dtype._kind != "b" else None)
    return asarray(total), "".join(x for x in letters if x in kept)


def _summed(a: ndarray, letters: str, output: str) -> ndarray:
    a, letters = _reduced(a, letters, set(output))
    return transpose(a, [letters.index(x) for x in output]) if output else a
