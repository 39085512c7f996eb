"""The weights of convolutions as kernels read them.

Owns the order in which they lie then. Must not know what is made of them.
"""

from __future__ import annotations

from math import prod

from msgspec import structs

from ops.expression import cast, input_term
from ops.layout import Layout
from ops.lowering import elementwise
from ops.lowering.addressing import QUAD
from ops.lowering.builder import Builder
from ops.lowering.operands import Source, Target
from ops.space import Convolution


def laid(builder: Builder, weight: Source, form: Convolution, taps_first: bool = False) -> Source:
    """Weights of any dtype as f32 [groups, channels, taps, outputs], outputs filled up to fours; or with taps first."""
    source = reshaped(builder, weight, (form.groups, form.outputs, form.channels, prod(form.taps)))
    layout = source.layout.permute((0, 3, 2, 1) if taps_first else (0, 2, 3, 1))
    made = builder.temp((*layout.shape[:-1], up_to_quads(form.outputs)), "f32")
    inside = Target(made.operand, Layout(layout.shape, made.layout.strides), "f32")
    source = structs.replace(source, layout=layout)
    if source.dtype == "f32":
        elementwise.copy(builder, source, inside)
    else:
        elementwise.emit(builder, cast(input_term(0, source.dtype), "f32"), [source], inside)
    return made.source()


def reshaped(builder: Builder, source: Source, shape: tuple[int, ...]) -> Source:
    """`source` in another shape: a view, or a copy where none says that."""
    layout = source.layout.reshape(shape)
    if layout is not None:
        return structs.replace(source, layout=layout)
    made = elementwise.gather(builder, source)
    return structs.replace(made, layout=Layout.contiguous(shape))


def up_to_quads(size: int) -> int:
    """The next multiple of four."""
    return -(-size // QUAD) * QUAD
