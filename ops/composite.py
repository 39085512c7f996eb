"""Composites: ops that are made of other ops, so that they need no kernel and no gradient of their own.

Owns how a composite's parts are put together and typed. `ops/composites/` has what each is made of. Must not know
tensors or devices.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ops import dtypes
from ops.attributes import Attributes
from ops.graph import Attribute, Node, TensorType
from ops.infer import result_type
from ops.shapes import Shape
from ops.spec import Normal, OpSpec, check_attributes, check_count, check_dtypes
from ops.table import find

Number = int | float
Meaning = Callable[..., "Value"]
"""What a composite is made of: a function of `Parts`, its inputs, and its attributes by name."""
_FOLDING = ("reduction", "matmul", "norm", "loss")


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """A part's result. Operators make more, and calls of its `Parts`; a number takes the dtype that it meets."""

    parts: Parts
    number: int
    shape: Shape
    dtype: str

    def __add__(self, other: Value | Number) -> Value:
        return self.parts("add", self, other)

    def __sub__(self, other: Value | Number) -> Value:
        return self.parts("sub", self, other)

    def __mul__(self, other: Value | Number) -> Value:
        return self.parts("mul", self, other)

    def __truediv__(self, other: Value | Number) -> Value:
        return self.parts("div", self, other)

    def __neg__(self) -> Value:
        return self.parts("neg", self)

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.shape)


class Parts:
    """The nodes of a composite as they are put together; calling it adds one."""

    def __init__(self, types: Sequence[TensorType], meanings: Mapping[str, Meaning]) -> None:
        self._meanings = meanings
        self.nodes: list[Node] = []
        self._count = len(types)
        self.inputs = [Value(self, number, type.shape, type.dtype) for number, type in enumerate(types)]

    def __call__(self, op: str, *inputs: Value | Number, **attributes: object) -> Value:
        """The result of `op`; a number among the inputs is a tensor of rank 0 of the first tensor's dtype."""
        like = next(
            (each.dtype for each in inputs if isinstance(each, Value) and each.dtype != "bool"), "f32"
        )
        values = [each if isinstance(each, Value) else self.full((), each, like) for each in inputs]
        spec = find(op)
        types = [TensorType(value.shape, value.dtype) for value in values]
        normal = check_attributes(spec, attributes)
        if spec.kind == "composite":
            check(op, types)
            return self._composite(spec, values, normal)
        type = result_type(spec, normal, types)
        self.nodes.append(Node(spec.name, tuple(value.number for value in values), wire(normal)))
        return Value(self, self._count + len(self.nodes) - 1, type.shape, type.dtype)

    def _composite(self, spec: OpSpec, values: Sequence[Value], attributes: Attributes) -> Value:
        """The result of a composite. What folds packed floats does so in f32, and rounds what comes of it."""
        meaning = self._meanings[spec.name]
        dtype = common(values) if spec.section in _FOLDING else ""
        if dtype not in ("f16", "bf16"):
            return meaning(self, *values, **attributes)
        wide = [self.cast(value, "f32") if value.dtype == dtype else value for value in values]
        result = meaning(self, *wide, **attributes)
        return self.cast(result, dtype) if result.dtype == "f32" else result

    def full(self, shape: Shape, value: Number, dtype: str) -> Value:
        """A tensor of one value; a float makes whole numbers f32."""
        if isinstance(value, float):
            dtype = dtypes.floating(dtypes.dtype(dtype)).name
        is_float = dtypes.dtype(dtype).kind == "float"
        return self("full", shape=list(shape), value=float(value) if is_float else value, dtype=dtype)

    def reshape(self, value: Value, *shape: int) -> Value:
        """`value` in another shape."""
        return value if value.shape == shape else self("reshape", value, shape=list(shape))

    def cast(self, value: Value, dtype: str) -> Value:
        """`value` in another dtype."""
        return value if value.dtype == dtype else self("cast", value, dtype=dtype)

    def slice(self, value: Value, axis: int, start: int, stop: int, step: int = 1) -> Value:
        """A part of one axis; positions count from 0."""
        return self("slice", value, starts=[start], stops=[stop], steps=[step], axes=[axis])

    def along(self, line: Value, axis: int, rank: int) -> Value:
        """A flat tensor along one axis of `rank`, so that it broadcasts."""
        return self.reshape(line, *(line.shape[0] if number == axis else 1 for number in range(rank)))

    def numbers(self, count: int, dtype: str = "i32") -> Value:
        """0, 1, 2 …"""
        return self("arange", count=count, dtype=dtype)


def wire(attributes: Mapping[str, Normal]) -> dict[str, Attribute]:
    """Attributes in normal form as a graph has them."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in attributes.items()}


def check(op: str, types: Sequence[TensorType]) -> None:
    """Refuse inputs of a number or of dtypes that a composite does not take."""
    spec = find(op)
    check_count(spec, len(types))
    check_dtypes(spec, tuple(type.dtype for type in types))


def common(values: Sequence[Value]) -> str:
    """The dtype in which values meet."""
    return dtypes.promote(*(dtypes.dtype(value.dtype) for value in values)).name
