"""Views: ops that only change how a buffer is read.

Owns the layout that each view op gives. Must not know buffers or kernels.
"""

from __future__ import annotations

from collections.abc import Mapping

from ops import shapes, space
from ops.attributes import integer, integers
from ops.graph import TensorType
from ops.infer import result_type, swapped, taken
from ops.layout import Layout
from ops.spec import check_attributes
from ops.table import find


def view(op: str, attributes: Mapping[str, object], layout: Layout) -> Layout | None:
    """The layout of the view `op` of a value that lies as `layout`; None where its elements must be copied first.

    Raises `ShapeError` where the shape does not allow the view.
    """
    spec = find(op)
    normal = check_attributes(spec, attributes)
    shape = result_type(spec, normal, [TensorType(layout.shape, "f32")]).shape
    match spec.shape:
        case "reshape":
            return layout.reshape(shape)
        case "permute":
            return layout.permute(shapes.permutation(integers(normal, "axes"), len(shape)))
        case "transpose":
            return layout.permute(swapped(normal, len(shape)))
        case "expand":
            return layout.expand(shape)
        case "diagonal":
            names = ("axis0", "axis1")
            first, second = (shapes.axis(integer(normal, name), len(layout.shape)) for name in names)
            return layout.diagonal(shape, integer(normal, "offset"), first, second)
        case "windows":
            where, size, step, dilation = space.window(normal, layout.shape)
            return layout.windows(where, shape[where], size, step, dilation)
        case "slice":
            return layout.slice(taken(normal, layout.shape))
    raise AssertionError(f"{op} is no view")
