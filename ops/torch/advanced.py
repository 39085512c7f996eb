"""`tensor[index]` where tensors or lists of positions, or of bools, are among the indices: read and written.

Owns which axes they mean and where the result's axes stand, as PyTorch has it: integers and slices are taken first, and
positions side by side stay where they are, apart they come to the front. Must not know kernels.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

from ops.errors import GraphError, ShapeError
from ops.shapes import broadcast, text
from ops.torch.creation import tensor as make
from ops.torch.indexing import IndexRangeError
from ops.torch.operands import Operand, operands
from ops.torch.tensor import Tensor, apply, basic
from ops.torch.writing import become, copy_

OUTSIDE = -(1 << 31)
"""A position that no axis has, from whichever end it is counted."""


@dataclass(frozen=True, slots=True)
class _Chosen:
    """A view, its axes that positions mean, the first of them where they stand together, and the positions as one."""

    view: Tensor
    axes: list[int]
    places: Tensor
    first: int


def read(source: Tensor, index: object) -> Tensor:
    """What `index` takes of `source`: a view where no positions are in it, else a tensor of its own."""
    items = _items(index)
    if not any(isinstance(item, Tensor) for item in items):
        return basic(source, tuple(items))
    if _is_mask(items, source):
        return _masked(source, items[0])
    chosen = _choose(source, items)
    merged = _merged(chosen)
    return apply("index_select", [merged, chosen.places], axis=chosen.first)


def write(target: Tensor, index: object, value: Operand) -> None:
    """Put `value`, which broadcasts, where `index` says."""
    put(target, index, value, "none")


def put(target: Tensor, index: object, value: Operand, reduce: str) -> None:
    """Put or fold in `value`, likewise; `reduce` as of the op `scatter`."""
    items = _items(index)
    if not any(isinstance(item, Tensor) for item in items):
        view = basic(target, tuple(items))
        copy_(view, value) if reduce == "none" else become(view, apply(reduce, operands([view, value])))
        return
    given = value if isinstance(value, Tensor) else operands([target, value])[1]
    if _is_mask(items, target) and reduce == "none":
        become(target, _with_mask(target, items[0], given))
        return
    chosen = _choose(target, items)
    merged = _merged(chosen)
    head, tail = merged.shape[: chosen.first], merged.shape[chosen.first + 1 :]
    places = chosen.places
    shown = apply("expand", [given], shape=[*head, *places.shape, *tail])
    shown = shown.reshape([*head, places.numel(), *tail])
    wide = places.reshape([places.numel(), *[1] * len(tail)]).expand([*head, places.numel(), *tail])
    written = apply("scatter", [merged, wide, shown], axis=chosen.first, reduce=reduce)
    become(chosen.view, _unmerged(written, chosen))


def _items(index: object) -> list[Any]:
    """The parts of an index, with lists as tensors and tensors of one integer as integers."""
    parts = index if isinstance(index, tuple) else (index,)
    return [_item(part) for part in parts]


def _item(part: Any) -> Any:
    if isinstance(part, list | range) or (hasattr(type(part), "tolist") and not isinstance(part, Tensor)):
        part = make(part, dtype=None if len(part) else "i32")
    if isinstance(part, bool):
        raise GraphError("a tensor cannot be indexed with bool", hint="Index with a tensor of bools.")
    if not isinstance(part, Tensor):
        return part
    if part.is_floating_point():
        raise GraphError("a tensor cannot be indexed with floats", hint="Convert them, as with .int().")
    is_bool = part._node.type.dtype == "bool"
    return part.__index__() if not part.ndim and not is_bool else part


def _is_mask(items: list[Any], source: Tensor) -> bool:
    """Whether the index is one tensor of bools over the first axes."""
    return len(items) == 1 and items[0]._node.type.dtype == "bool" and bool(items[0].ndim)


def _mask_shape(mask: Tensor, shape: tuple[int, ...]) -> None:
    if mask.shape != shape[: mask.ndim]:
        raise IndexRangeError(f"a mask of shape {text(mask.shape)} does not fit {text(shape)}")


def _masked(source: Tensor, mask: Tensor) -> Tensor:
    _mask_shape(mask, source.shape)
    rest = source.shape[mask.ndim :]
    if not rest:
        kept = apply("compact", [source.reshape(-1), mask.reshape(-1)])
        return kept[: int(apply("sum", [mask]))]
    return apply("index_select", [source.reshape([mask.numel(), *rest]), positions(mask)], axis=0)


def positions(mask: Tensor) -> Tensor:
    """Where a tensor is true, in the flattened one (u32)."""
    flat = mask.reshape(-1).bool()
    return apply("nonzero", [flat])[: int(apply("sum", [flat]))]


def _with_mask(target: Tensor, mask: Tensor, value: Tensor) -> Tensor:
    _mask_shape(mask, target.shape)
    rest = target.ndim - mask.ndim
    wide = mask.reshape([*mask.shape, *[1] * rest])
    if value.ndim <= rest:
        return apply("where", [wide, value.type(target.dtype), target])
    count = int(apply("sum", [mask]))
    given = apply("expand", [value], shape=[count, *target.shape[mask.ndim :]])
    return apply("masked_scatter", [target, wide.expand(target.shape), given])


def _choose(source: Tensor, items: list[Any]) -> _Chosen:
    """The view that integers, slices and None give, and what the positions mean of it."""
    plain: list[Any] = []
    for item in _spread(items, source.ndim):
        plain += (
            [slice(None)] * item.ndim
            if _is_bools(item)
            else [slice(None) if isinstance(item, Tensor) else item]
        )
    view = basic(source, tuple(plain))
    axes: list[int] = []
    places: list[Tensor] = []
    axis = 0
    for item in _spread(items, source.ndim):
        if isinstance(item, Tensor):
            parts = coordinates(item, view.shape[axis : axis + item.ndim]) if _is_bools(item) else [item]
            axes += range(axis, axis + len(parts))
            places += parts
            axis += len(parts)
        else:
            axis += not isinstance(item, int)
    together = axes == list(range(axes[0], axes[0] + len(axes)))
    sizes = [view.shape[number] for number in axes]
    return _Chosen(view, axes, _one(places, sizes), axes[0] if together else 0)


def _is_bools(item: Any) -> bool:
    return isinstance(item, Tensor) and item._node.type.dtype == "bool"


def _spread(items: list[Any], rank: int) -> list[Any]:
    """`items` with `...`, or the end, replaced by whole slices."""
    named = sum(item.ndim if _is_bools(item) else item is not None for item in items if item is not Ellipsis)
    if named > rank:
        raise IndexRangeError(f"{named} indices are too many for a tensor of {rank} axes")
    dots = [number for number, item in enumerate(items) if item is Ellipsis]
    if len(dots) > 1:
        raise ShapeError("an index may have only one `...`")
    at = dots[0] if dots else len(items)
    return [*items[:at], *[slice(None)] * (rank - named), *items[at + 1 :]]


def coordinates(mask: Tensor, shape: tuple[int, ...]) -> list[Tensor]:
    """Where a mask is true, one tensor an axis (i32)."""
    if mask.shape != shape:
        raise IndexRangeError(f"a mask of shape {text(mask.shape)} does not fit {text(shape)}")
    flat = positions(mask).int()
    found = []
    for size in reversed(shape):
        found.append(apply("remainder", operands([flat, size])))
        flat = apply("floor_divide", operands([flat, size]))
    return found[::-1]


def _one(places: list[Tensor], sizes: list[int]) -> Tensor:
    """Positions along several axes as positions along these axes as one."""
    if len(places) == 1:
        return places[0]
    shape = broadcast(*(each.shape for each in places))
    total: Any = None
    valid: Any = None
    for place, size in zip(places, sizes, strict=True):
        signed = place.int()
        wrapped = apply(
            "where", [apply("lt", operands([signed, 0])), *operands([_plus(signed, size), signed])]
        )
        inside = apply(
            "logical_and", [apply("ge", operands([wrapped, 0])), apply("lt", operands([wrapped, size]))]
        )
        total = wrapped if total is None else apply("add", [apply("mul", operands([total, size])), wrapped])
        valid = inside if valid is None else apply("logical_and", [valid, inside])
    joined = apply("where", [valid, *operands([total, OUTSIDE])])
    return apply("expand", [joined], shape=list(shape))


def _plus(tensor: Tensor, number: int) -> Tensor:
    return apply("add", operands([tensor, number]))


def _order(chosen: _Chosen) -> list[int]:
    """The axes of the view, with those that positions mean side by side."""
    others = [axis for axis in range(chosen.view.ndim) if axis not in chosen.axes]
    return [*others[: chosen.first], *chosen.axes, *others[chosen.first :]]


def _merged(chosen: _Chosen) -> Tensor:
    """The view with the axes that positions mean as one."""
    order = _order(chosen)
    turned = chosen.view if order == sorted(order) else chosen.view.permute(order)
    first, count = chosen.first, len(chosen.axes)
    shape = turned.shape
    return turned.reshape([*shape[:first], prod(shape[first : first + count]), *shape[first + count :]])


def _unmerged(written: Tensor, chosen: _Chosen) -> Tensor:
    order = _order(chosen)
    turned = written.reshape([chosen.view.shape[axis] for axis in order])
    back = [order.index(axis) for axis in range(len(order))]
    return turned if order == sorted(order) else turned.permute(back)
