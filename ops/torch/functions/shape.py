"""Functions of `torch` that move, cut and repeat elements, with PyTorch's arguments.

Owns their forms: what gives several tensors, or takes sizes one by one. Must not know how rows become functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ops.errors import AttributeValueError, ShapeError
from ops.shapes import axis as counted
from ops.shapes import broadcast, text
from ops.torch.operands import operands
from ops.torch.tensor import Tensor, apply, view
from ops.torch.typenames import Device, DTypeLike, Number, Sizes, sizes


def written_by_hand() -> dict[str, Callable[..., Any]]:
    """These functions by their names."""
    return {
        "flip": flip,
        "fliplr": fliplr,
        "flipud": flipud,
        "roll": roll,
        "tile": tile,
        "repeat_interleave": repeat_interleave,
        "diagonal": diagonal,
        "diag_embed": diag_embed,
        "split": split,
        "chunk": chunk,
        "unbind": unbind,
        "narrow": narrow,
        "select": select,
        "movedim": movedim,
        "moveaxis": movedim,
        "ravel": ravel,
        "meshgrid": meshgrid,
        "hstack": hstack,
        "vstack": vstack,
        "broadcast_tensors": broadcast_tensors,
        "einsum": einsum,
    }


def flip(input: Tensor, *axes: Sizes, dims: Sizes | None = None) -> Tensor:
    """Axes backwards."""
    return apply("flip", [input], axes=sizes(axes if dims is None else [dims]))


def fliplr(input: Tensor) -> Tensor:
    """The second axis backwards."""
    return flip(input, 1)


def flipud(input: Tensor) -> Tensor:
    """The first axis backwards."""
    return flip(input, 0)


def roll(input: Tensor, shifts: Sizes, dims: Sizes | None = None) -> Tensor:
    """Elements moved along axes; what leaves at one end comes back at the other."""
    return apply("roll", [input], shifts=_list(shifts), axes=None if dims is None else _list(dims))


def _list(value: Sizes) -> list[int]:
    return [value] if isinstance(value, int) else list(value)


def tile(input: Tensor, *repeats: Sizes, dims: Sizes | None = None) -> Tensor:
    """The whole tensor side by side, so many times along each axis."""
    return apply("tile", [input], repeats=sizes(repeats if dims is None else [dims]))


def repeat(input: Tensor, *repeats: Sizes) -> Tensor:
    """As `tile`, with a number for every axis."""
    counts = sizes(repeats)
    if len(counts) < input.ndim:
        raise ShapeError(f"repeat takes a number for each of the {input.ndim} axes")
    return apply("tile", [input], repeats=counts)


def repeat_interleave(
    input: Tensor,
    repeats: int | Tensor | None = None,
    dim: int | None = None,
    *,
    output_size: int | None = None,
) -> Tensor:
    """Each element so many times in a row: a number for all, or a flat tensor of one for each.

    Of a tensor of numbers alone: each position so many times.
    """
    if repeats is None:
        return _repeated_places(input)
    if not isinstance(repeats, Tensor):
        return apply("repeat_interleave", [input], repeats=repeats, axis=dim)
    flat, where = (input.reshape(-1), 0) if dim is None else (input, counted(dim, input.ndim))
    if repeats.numel() not in (1, flat.shape[where]) or repeats.ndim > 1:
        raise ShapeError(
            f"repeats of shape {text(repeats.shape)} are not one for each of {flat.shape[where]}"
        )
    return apply("index_select", [flat, _repeated_places(repeats.expand(flat.shape[where]))], axis=where)


def _repeated_places(repeats: Tensor) -> Tensor:
    """Each position of a flat tensor of numbers as often as its number says (i32)."""
    ends = apply("cumsum", [repeats.int()], axis=0)
    count = int(ends[-1]) if repeats.numel() else 0
    if repeats.numel() and int(apply("min", [repeats])) < 0:
        raise AttributeValueError("repeats must not be negative")
    begun = apply("histogram", [ends.type("u32")], bins=count + 1)
    return apply("cumsum", [begun.int()], axis=0)[:count]


def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The diagonals between two axes, as the last axis."""
    return apply("diagonal", [input], offset=offset, axis0=dim1, axis1=dim2)


def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Matrices, in the axes `dim1` and `dim2`, with the last axis on a diagonal."""
    return movedim(apply("diag_embed", [input], offset=offset), (-2, -1), (dim1, dim2))


def narrow(input: Tensor, dim: int, start: int | Tensor, length: int) -> Tensor:
    """A view of `length` positions of an axis from `start`, a number or a tensor of one, on."""
    start = int(start)
    size = input.shape[counted(dim, input.ndim)] if input.ndim else 0
    first = start + size if start < 0 else start
    if not 0 <= first <= size or not 0 <= length <= size - first:
        raise ShapeError(f"narrow from {start} by {length} is beyond axis {dim} of {size}")
    return view(input, "slice", starts=[first], stops=[first + length], steps=[1], axes=[dim])


def select(input: Tensor, dim: int, index: int) -> Tensor:
    """A view of one position of an axis."""
    where = counted(dim, input.ndim)
    return input[(*[slice(None)] * where, index)]


def split(tensor: Tensor, split_size_or_sections: Sizes, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of parts of an axis: of one size, the last maybe smaller, or of the sizes listed."""
    size = tensor.shape[counted(dim, tensor.ndim)] if tensor.ndim else 0
    parts = split_size_or_sections
    if isinstance(parts, int):
        if parts < 1 and (parts or size):
            raise AttributeValueError(f"split takes a size from 1, not {parts}")
        parts = [min(parts, size - start) for start in range(0, size, max(parts, 1))] or [0]
    if sum(parts) != size:
        raise ShapeError(f"split into {list(parts)} is not all of an axis of {size}")
    starts = [sum(parts[:number]) for number in range(len(parts))]
    return tuple(narrow(tensor, dim, start, length) for start, length in zip(starts, parts, strict=True))


def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of at most `chunks` parts of equal size, the last maybe smaller; of nothing, as many of nothing."""
    if chunks < 1:
        raise AttributeValueError(f"chunk takes a number from 1, not {chunks}")
    size = input.shape[counted(dim, input.ndim)]
    return split(input, -(-size // chunks) if size else [0] * chunks, dim)


def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """A view of each position of an axis."""
    return tuple(select(input, dim, number) for number in range(input.shape[counted(dim, input.ndim)]))


def movedim(input: Tensor, source: Sizes, destination: Sizes) -> Tensor:
    """A view with axes in other places; the others keep their order."""
    here = [counted(number, input.ndim) for number in _list(source)]
    there = [counted(number, input.ndim) for number in _list(destination)]
    rest = iter(number for number in range(input.ndim) if number not in here)
    order = [here[there.index(number)] if number in there else next(rest) for number in range(input.ndim)]
    return input.permute(order)


def ravel(input: Tensor) -> Tensor:
    """All elements along one axis."""
    return input.reshape(-1)


def meshgrid(*tensors: Tensor | Sequence[Tensor], indexing: str = "ij") -> tuple[Tensor, ...]:
    """Each flat tensor along its own axis of a grid; "xy" exchanges the first two axes."""
    given = _flat(tensors)
    if indexing == "xy" and len(given) > 1:
        grids = meshgrid(given[1], given[0], *given[2:])
        return (grids[1], grids[0], *grids[2:])
    shape = [each.numel() for each in given]
    return tuple(
        each.reshape([-1 if number == own else 1 for number in range(len(given))]).expand(shape)
        for own, each in enumerate(given)
    )


def _flat(tensors: Sequence[Tensor | Sequence[Tensor]]) -> list[Tensor]:
    """Tensors that a call got one by one or as one sequence."""
    return [part for each in tensors for part in ([each] if isinstance(each, Tensor) else each)]


def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors joined along the second axis, flat ones along their only one."""
    wide = [each.reshape(1) if not each.ndim else each for each in tensors]
    return apply("concat", wide, axis=0 if wide[0].ndim == 1 else 1)


def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """Tensors joined along the first axis, flat ones as rows."""
    return apply("concat", [each.reshape([1, -1]) if each.ndim < 2 else each for each in tensors], axis=0)


def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    """All in the shape to which they broadcast."""
    shape = broadcast(*(each.shape for each in tensors))
    return tuple(each.expand(shape) for each in tensors)


def einsum(equation: str, *tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """The sum of products that an equation says."""
    return apply("einsum", _flat(tensors), equation=equation)


def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """More around a tensor: pairs of numbers, the first for the last axis."""
    pairs = list(pad)
    if len(pairs) % 2 or len(pairs) > 2 * input.ndim:
        raise ShapeError(f"pad takes at most {input.ndim} pairs of numbers, not {len(pairs)} numbers")
    spare = [0] * (input.ndim - len(pairs) // 2)
    before, after = ([*spare, *pairs[start::2][::-1]] for start in (0, 1))
    if mode == "circular":  # what is cut off is no part of the circle
        cuts = zip(before, after, input.shape, strict=True)
        input = input[tuple(slice(max(-low, 0), size - max(-high, 0)) for low, high, size in cuts)]
        before, after = ([max(number, 0) for number in ends] for ends in (before, after))
    return apply("pad", [input], before=before, after=after, mode=mode, value=value or 0)


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """1 at each number's own place along a new last axis; as many places as the largest number needs for -1."""
    if num_classes == -1:
        if not tensor.numel():
            raise AttributeValueError("one_hot of nothing takes the number of classes")
        num_classes = int(apply("max", [tensor])) + 1
    return apply("one_hot", [tensor], num_classes=num_classes)


def unfold(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """The windows of `size` elements that begin every `step` along an axis; their elements are a new last axis."""
    line = input if input.ndim else input.reshape(1)
    made = apply("windows", [line], axis=dimension, size=size, step=step)
    return made if input.ndim else made.reshape(-1)


def reshape_as(self: Tensor, other: Tensor) -> Tensor:
    """The same elements in the shape of `other`."""
    return self.reshape(other.shape)


def unflatten(self: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    """One axis as several."""
    where = counted(dim, self.ndim)
    return self.reshape([*self.shape[:where], *sizes, *self.shape[where + 1 :]])


def nelement(self: Tensor) -> int:
    """The number of elements."""
    return self.numel()


def new_full(
    self: Tensor, size: Sizes, fill_value: Number, dtype: DTypeLike | None = None, device: Device = None
) -> Tensor:
    """A tensor of one value, of the dtype of this one."""
    made = operands([self, fill_value])[1]
    return apply("expand", [made.type(self.dtype if dtype is None else dtype)], shape=sizes([size]))


def new_zeros(self: Tensor, *size: Sizes, dtype: DTypeLike | None = None, device: Device = None) -> Tensor:
    """A tensor of zeros, of the dtype of this one."""
    return new_full(self, sizes(size), 0, dtype)


def new_ones(self: Tensor, *size: Sizes, dtype: DTypeLike | None = None, device: Device = None) -> Tensor:
    """A tensor of ones, likewise."""
    return new_full(self, sizes(size), 1, dtype)


METHODS: dict[str, Callable[..., Any]] = {
    "repeat": repeat,
    "unfold": unfold,
    "view_as": reshape_as,
    "reshape_as": reshape_as,
    "unflatten": unflatten,
    "nelement": nelement,
    "new_zeros": new_zeros,
    "new_ones": new_ones,
    "new_full": new_full,
}
"""Methods of tensors that are no functions of `torch`."""
