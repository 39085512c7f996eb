"""`Tensor`: what a script computes with.

Owns the lazy tensor's own members (its type, values, indices, shape views, conversions and text), and how one is made
of others. Members that the op table implies (arithmetic, comparisons, functions, reductions), and those that write, are
added by `ops/torch/methods.py`. Every attribute that a script may reach is harmless; whatever leads inside begins with
an underscore. Must not know sockets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import overload

from ops.errors import GraphError, ShapeError
from ops.loose import Nested
from ops.shapes import axis, text
from ops.torch import formatting, lazy
from ops.torch.aliasing import Link, link, refresh
from ops.torch.elements import nested
from ops.torch.indexing import select
from ops.torch.lazy import LazyNode
from ops.torch.typenames import Dims, DTypeLike, Number, Size, Sizes, TypeName, dtype_of, sizes, type_name

MAKE_ONE = "Make a tensor of it: torch.tensor(data)."


class ValueCountError(GraphError, ValueError):
    """One value was asked of a tensor that has none or several."""


class Tensor:
    """A multi-dimensional array on the device, computed when a value of it is asked for."""

    __slots__ = ("__weakref__", "_link", "_own", "_writes")
    __array_priority__ = 1000

    def __init__(self, node: LazyNode, link: Link | None = None) -> None:
        if not isinstance(node, LazyNode):
            raise GraphError("a Tensor is not made from its class", hint="Call torch.tensor(data).")
        self._own = node
        self._link = link
        self._writes = 0
        node.own(self)

    @property
    def _node(self) -> LazyNode:
        """The value that the tensor means."""
        if self._link is not None and self._link.seen != self._link.root._writes:
            refresh(self)
        return self._own

    @property
    def shape(self) -> Size:
        """The sizes, from the outermost axis."""
        return Size(self._node.type.shape)

    @property
    def dtype(self) -> TypeName:
        """The element type, as `torch.float32`."""
        return type_name(self._node.type.dtype)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._node.type.shape)

    @property
    def device(self) -> str:
        """Where the tensor lives: always `device`."""
        return "device"

    @property
    def requires_grad(self) -> bool:
        """Whether gradients are recorded: not yet."""
        return False

    @property
    def T(self) -> Tensor:  # noqa: N802
        """All axes in reverse order."""
        return self.permute(*range(self.ndim - 1, -1, -1))

    @property
    def mT(self) -> Tensor:  # noqa: N802
        """The last two axes exchanged."""
        return self.transpose(-2, -1)

    @overload
    def size(self) -> Size: ...

    @overload
    def size(self, dim: int) -> int: ...

    def size(self, dim: int | None = None) -> Size | int:
        """The sizes, or that of one axis."""
        return self.shape if dim is None else self.shape[axis(dim, self.ndim)]

    def dim(self) -> int:
        """The number of axes."""
        return self.ndim

    def numel(self) -> int:
        """The number of elements."""
        return prod(self._node.type.shape)

    def is_floating_point(self) -> bool:
        """Whether the elements are floats."""
        return self.dtype.is_floating_point

    # values

    def tolist(self) -> Nested:
        """The elements as nested lists, or a number for rank 0."""
        data = lazy.read(self._node) if self.numel() else b""
        return nested(data, self._node.type.dtype, self.shape)

    def item(self) -> Number:
        """The only element, as a Python number."""
        if self.numel() != 1:
            raise ValueCountError(
                f"a tensor of shape {text(self.shape)} has {self.numel()} elements, not one",
                hint="Reduce it first, as with .sum(), or use .tolist().",
            )
        value: Number = nested(lazy.read(self._node), self._node.type.dtype, ())
        return value

    def __bool__(self) -> bool:
        if self.numel() != 1:
            raise ValueCountError(
                f"the truth of a tensor of {self.numel()} elements is ambiguous",
                hint="Ask for one value, as with (x == y).min() or .max().",
            )
        return bool(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __index__(self) -> int:
        if self.is_floating_point():
            raise TypeError("only an integer tensor can be an index")
        return int(self.item())

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of a tensor of rank 0")
        return self.shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        if not self.ndim:
            raise TypeError("iteration over a tensor of rank 0")
        return (basic(self, (number,)) for number in range(len(self)))

    __hash__ = object.__hash__

    def __copy__(self) -> Tensor:
        return self.clone()

    def __deepcopy__(self, _memo: object) -> Tensor:
        return self.clone()  # a memo would bring nodes to light

    # views

    def __getitem__(self, index: object) -> Tensor:
        """What integers, slices, `None` and `...` take; `ops/torch/methods.py` adds positions that tensors give."""
        return basic(self, index if isinstance(index, tuple) else (index,))

    def reshape(self, *shape: Sizes) -> Tensor:
        """The same elements in another shape; one size may be -1."""
        return view(self, "reshape", shape=sizes(shape))

    def view(self, *shape: Sizes) -> Tensor:
        """As `reshape`; a dtype converts bits and is not supported."""
        return self.reshape(*shape)

    def flatten(self, start_dim: int = 0, end_dim: int = -1) -> Tensor:
        """The axes from `start_dim` to `end_dim` as one."""
        first, last = axis(start_dim, self.ndim), axis(end_dim, self.ndim)
        if last < first:
            raise ShapeError(f"flatten from axis {start_dim} to {end_dim} goes backwards")
        return self.reshape(*self.shape[:first], prod(self.shape[first : last + 1]), *self.shape[last + 1 :])

    def squeeze(self, dim: Dims = None) -> Tensor:
        """Without axes of size 1: all, or those named."""
        named = range(self.ndim) if dim is None else [dim] if isinstance(dim, int) else dim
        gone = {axis(number, self.ndim) for number in named}
        kept = [size for number, size in enumerate(self.shape) if size != 1 or number not in gone]
        return self.reshape(kept)

    def unsqueeze(self, dim: int) -> Tensor:
        """With a new axis of size 1 at `dim`."""
        where = axis(dim, self.ndim + 1)
        return self.reshape(*self.shape[:where], 1, *self.shape[where:])

    def permute(self, *dims: Sizes) -> Tensor:
        """Axes in another order."""
        return view(self, "permute", axes=sizes(dims))

    def transpose(self, dim0: int, dim1: int) -> Tensor:
        """Two axes exchanged."""
        return view(self, "transpose", axis0=dim0, axis1=dim1)

    def t(self) -> Tensor:
        """A matrix transposed; vectors and scalars as they are."""
        if self.ndim > 2:
            raise ShapeError(f"t() takes at most 2 axes, not {self.ndim}", hint="Use .mT or .permute.")
        return self.T

    def expand(self, *shape: Sizes) -> Tensor:
        """Axes of size 1, and new ones in front, repeated; -1 keeps a size."""
        return view(self, "expand", shape=sizes(shape))

    def broadcast_to(self, shape: Sequence[int]) -> Tensor:
        """As `expand`."""
        return self.expand(*shape)

    def expand_as(self, other: Tensor) -> Tensor:
        """Expanded to the shape of `other`."""
        return self.expand(*other.shape)

    # conversions

    def to(self, *args: object, dtype: DTypeLike | None = None, **others: object) -> Tensor:
        """With elements of another dtype; a device is accepted and means nothing."""
        for arg in args:
            if isinstance(arg, TypeName | Tensor):
                dtype = arg.dtype if isinstance(arg, Tensor) else arg
        return self if dtype is None else self.type(dtype)

    def type(self, dtype: DTypeLike) -> Tensor:
        """With elements of `dtype`."""
        name = dtype_of(dtype)
        return self if name == self._node.type.dtype else apply("cast", [self], dtype=name)

    def float(self) -> Tensor:
        """As float32."""
        return self.type("f32")

    def half(self) -> Tensor:
        """As float16."""
        return self.type("f16")

    def bfloat16(self) -> Tensor:
        """As bfloat16."""
        return self.type("bf16")

    def int(self) -> Tensor:
        """As int32."""
        return self.type("i32")

    def long(self) -> Tensor:
        """As int64."""
        return self.type("i64")

    def short(self) -> Tensor:
        """As int16."""
        return self.type("i16")

    def char(self) -> Tensor:
        """As int8."""
        return self.type("i8")

    def byte(self) -> Tensor:
        """As uint8."""
        return self.type("u8")

    def bool(self) -> Tensor:
        """As bool: whether not 0."""
        return self.type("bool")

    def contiguous(self) -> Tensor:
        """The same: layouts are not a script's concern."""
        return self

    def clone(self) -> Tensor:
        """A tensor with these elements that is written to apart."""
        return Tensor(self._node)

    def detach(self) -> Tensor:
        """A view of all elements: no gradients are recorded yet."""
        return self.reshape(self.shape)

    @property
    def data(self) -> Tensor:
        """As `detach`."""
        return self.detach()

    def cpu(self) -> Tensor:
        """The same: values are read by `tolist` and `item`."""
        return self

    # text

    def explain(self, *, wgsl: object = False) -> str:
        """How the tensor would be computed: steps, bytes and buffers, and with `wgsl` the kernels."""
        return lazy.explain([self._node], bool(wgsl))

    def __repr__(self) -> str:
        shape, dtype = self._node.type.shape, self._node.type.dtype
        suffixes = [f"size={shape}"] if 0 in shape and len(shape) != 1 else []
        suffixes += (
            [f"dtype={self.dtype!r}"]
            if dtype not in ("f32", "bool") or (0 in shape and dtype != "f32")
            else []
        )
        edges = self.numel() > formatting.THRESHOLD
        values = (_edges(self) if edges else self).tolist()
        return formatting.tensor_text(values, shape, edges, suffixes)

    def __format__(self, spec: str) -> str:
        return format(self.item() if not self.ndim else repr(self), spec)


def apply(op: str, tensors: Sequence[Tensor], **attributes: object) -> Tensor:
    """The tensor that `op` of `tensors` is. Raises what `infer` raises."""
    return Tensor(lazy.node(op, [node_of(tensor) for tensor in tensors], attributes))


def node_of(value: Tensor) -> LazyNode:
    """The value that a tensor means. Raises `GraphError` for what is no tensor, which a script may give instead."""
    if not isinstance(value, Tensor):
        raise foreign(value)
    return value._node


def foreign(value: object) -> GraphError:
    """What is said of `value`, which stands where tensors do."""
    return GraphError(f"torch computes with tensors, not {type(value).__name__}", hint=MAKE_ONE)


def view(base: Tensor, op: str, **attributes: object) -> Tensor:
    """The view `op` of `base`; each sees what is written to the other."""
    return Tensor(lazy.node(op, [node_of(base)], attributes), link(base, op, attributes))


def basic(base: Tensor, index: tuple[object, ...]) -> Tensor:
    """The view that integers, slices, `None` and `...` take of `base`."""
    taken = select(index, base._node.type.shape)
    sliced = view(base, "slice", starts=taken.starts, stops=taken.stops, steps=taken.steps)
    return sliced if sliced.shape == taken.shape else sliced.reshape(taken.shape)


def _edges(tensor: Tensor) -> Tensor:
    """The first and last three along each axis that is longer than six."""
    for number, size in enumerate(tensor.shape):
        if size > 2 * formatting.EDGE:
            whole = (slice(None),) * number
            head = basic(tensor, (*whole, slice(formatting.EDGE)))
            tail = basic(tensor, (*whole, slice(size - formatting.EDGE, size)))
            tensor = apply("concat", [head, tail], axis=number)
    return tensor
