"""Elementwise kernels: one term over any number of operands, and copies.

Owns the contiguous form (by `vec4`, one or more an invocation) and the strided form (any layouts, the target's too);
`blocks.py` has the one for broadcast and transposed operands.
Must not know op names: a chain of ops that is fused is just a larger term.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from msgspec import structs

from ops import wgsl
from ops.dtypes import is_packed, register
from ops.expression import Term, bind, cast, input_term, parse
from ops.layout import Layout, collapse
from ops.lowering import blocks, packing, windows
from ops.lowering.addressing import QUAD, address, bucket, coordinates, padded, stride_params
from ops.lowering.after import After
from ops.lowering.builder import BOUNDS_CHECK, Builder, Params
from ops.lowering.operands import Source, Target
from ops.wgsl import Function
from shaders.spec import Binding, KernelSpec, Param


def emit(builder: Builder, term: Term, sources: Sequence[Source], target: Target) -> None:
    """Write `term`, in which input n means `sources[n]` broadcast to the target's shape, to `target`."""
    count = target.layout.count
    if count == 0:
        return
    sources = [
        Source(source.operand, source.layout.expand(target.layout.shape), source.dtype) for source in sources
    ]
    inputs = [(f"x{number}", source.dtype) for number, source in enumerate(sources)]
    function = wgsl.function("element", term, inputs)
    if function.indexed:
        sources = [_in_order(builder, source) for source in sources]
    if is_packed(target.dtype) and not _is_by_quads(builder, sources, target):
        made = builder.temp(target.layout.shape, register(target.dtype))
        emit(builder, term, sources, made)
        packing.pack(builder, made.source(), target)
        return
    for seen, written, first in windows.boxes(builder.device, sources, target):
        _emit(builder, function, seen, written, first)


def _is_by_quads(builder: Builder, sources: Sequence[Source], target: Target) -> bool:
    """Whether one kernel can write packed elements: by fours in order, so that no two invocations write one word."""
    layouts = [*(source.layout for source in sources), target.layout]
    if _mode(target) != "vector" or windows.must_cut(builder.device, [*sources, target]):
        return False
    shape, _ = collapse(target.layout.shape, *(layout.strides for layout in layouts))
    return "strided" not in map(_mode, sources) or shape[-1] % QUAD == 0


def _in_order(builder: Builder, source: Source) -> Source:
    """A source whose parts are runs of positions: itself, but where it reaches too far in another order."""
    is_wide = windows.must_cut(builder.device, [source])
    return gather(builder, source) if is_wide and not source.layout.is_contiguous else source


def _emit(
    builder: Builder, function: Function, sources: Sequence[Source], target: Target, first: int
) -> None:
    """Write `function` of sources of the target's shape; `first` is the `index` of the first element."""
    values: list[Source | Target] = [*sources, target]
    if "strided" not in map(_mode, values):
        _emit_contiguous(builder, function, sources, target, first)
        return
    is_fit = not function.indexed and all(value.dtype != "i64" for value in values)
    fitting = blocks.fit([value.layout for value in values]) if is_fit else None
    if fitting is None:
        _emit_strided(builder, function, sources, target, first)
    else:
        operands = [value.operand for value in values]
        blocks.emit(builder, function, fitting, operands, _types(sources, target))


def _emit_contiguous(
    builder: Builder, function: Function, sources: Sequence[Source], target: Target, first: int
) -> None:
    """Write it where all lie in the order of the elements: by fours, several of them an invocation."""
    values: list[Source | Target] = [*sources, target]
    modes = [_mode(source) for source in sources]
    layouts = [value.layout for value in values]
    quads = blocks.quads_of(builder.device, function, target.layout.count)
    shifted = any(layout.offset for layout in layouts)
    spec = _contiguous_spec(
        function.text,
        function.params,
        _types(sources, target),
        tuple(modes),
        function.indexed,
        quads,
        shifted,
        builder.device.group,
    )
    count = target.layout.count // QUAD // quads
    params: Params = {**function.values, "count": count}
    params |= {"first_index": first} if function.indexed else {}
    params |= _offsets(layouts, [*modes, "vector"]) if shifted else {}
    builder.spread(spec, count, [value.operand for value in values], params, quads * blocks.QUAD_WORK)


def _emit_strided(
    builder: Builder, function: Function, sources: Sequence[Source], target: Target, first: int
) -> None:
    """Write it wherever elements lie: each is found from its place in the shape."""
    values: list[Source | Target] = [*sources, target]
    layouts = [value.layout for value in values]
    shape, strides = collapse(target.layout.shape, *(layout.strides for layout in layouts))
    lanes = QUAD if shape and shape[-1] % QUAD == 0 else 1
    rank = bucket(len(shape))
    spec = _strided_spec(
        function.text,
        function.params,
        _types(sources, target),
        rank,
        lanes,
        function.indexed,
        builder.device.group,
    )
    count = target.layout.count // lanes
    params: Params = {**function.values, "count": count, "shape": padded(shape, rank, 1)}
    params |= {"first_index": first} if function.indexed else {}
    for name, layout, steps in zip(blocks.operand_names(len(sources) + 1), layouts, strides, strict=True):
        params |= {f"offset_{name}": layout.offset, f"strides_{name}": padded(steps, rank, 0)}
    builder.spread(spec, count, [value.operand for value in values], params)


def copy(builder: Builder, source: Source, target: Target) -> None:
    """Copy the elements of `source`, bit by bit, to `target`, which has the same shape.

    What is not plain goes by value, and may be to and from the register's dtype: a NaN stays one.
    """
    if not (_is_plain(source.dtype) and _is_plain(target.dtype)):
        emit(builder, cast(input_term(0, source.dtype), target.dtype), [source], target)
        return
    raw = Source(source.operand, source.layout, "u32")
    emit(builder, input_term(0, "u32"), [raw], Target(target.operand, target.layout, "u32"))


def emit_after(builder: Builder, after: After, made: Source, target: Target) -> None:
    """Write what is done with the result `made` to `target`, by a kernel of its own."""
    emit(builder, after.term, [made, *after.sources], target)


def gather(builder: Builder, source: Source) -> Source:
    """`source` copied into a contiguous temporary of its register's dtype."""
    target = builder.temp(source.layout.shape, register(source.dtype))
    copy(builder, source, target)
    return target.source()


def widened(builder: Builder, source: Source) -> Source:
    """`source`, or a copy in its register's dtype where it is packed."""
    return converted(builder, source, register(source.dtype))


def converted(builder: Builder, source: Source, dtype: str) -> Source:
    """`source`, or a copy in `dtype` where it is of another: what is spread out is copied once."""
    if source.dtype == dtype:
        return source
    layout = source.layout
    shape = tuple(
        1 if not stride else size for size, stride in zip(layout.shape, layout.strides, strict=True)
    )
    made = builder.temp(shape, dtype)
    copied = structs.replace(source, layout=structs.replace(layout, shape=shape))
    emit(builder, cast(input_term(0, source.dtype), dtype), [copied], made)
    return structs.replace(made.source(), layout=made.layout.expand(layout.shape))


def by_halves(builder: Builder, target: Target, axis: int, write: Callable[[range, Target], None]) -> None:
    """Have `write` fill a target in two parts along `axis`, each contiguous from offset 0."""
    for part in windows.halves(target.layout.shape[axis]):
        place = windows.narrowed(target, axis, part)
        if place.layout.is_contiguous and place.layout.offset == 0:
            write(part, place)
            continue
        made = builder.temp(place.layout.shape, target.dtype)
        write(part, made)
        copy(builder, made.source(), place)


def summed(builder: Builder, target: Target, size: int, write: Callable[[range, Target], None]) -> None:
    """Have `write` make a sum over `size` terms in two parts, each contiguous from offset 0, and add these."""
    made = [builder.temp(target.layout.shape, target.dtype) for _ in range(2)]
    for part, there in zip(windows.halves(size), made, strict=True):
        write(part, there)
    total = bind(parse("x + y"), {"x": input_term(0, target.dtype), "y": input_term(1, target.dtype)})
    emit(builder, total, [each.source() for each in made], target)


def _is_plain(dtype: str) -> bool:
    """Whether an element is a word."""
    return not is_packed(dtype) and dtype != "i64"


def _mode(operand: Source | Target) -> str:
    layout = operand.layout
    if not any(stride for size, stride in zip(layout.shape, layout.strides, strict=True) if size != 1):
        return "scalar" if layout.count % QUAD == 0 else "strided"
    aligned = layout.offset % QUAD == 0 and layout.count % QUAD == 0
    is_vector = aligned and layout.is_contiguous and operand.dtype != "i64"
    return "vector" if is_vector else "strided"


def _types(sources: Sequence[Source], target: Target) -> tuple[str, ...]:
    """How the elements of each lie in its buffer."""
    return tuple(map(packing.kind, [*(source.dtype for source in sources), target.dtype]))


def _index_params(indexed: bool) -> tuple[Param, ...]:
    return (Param("first_index"),) * indexed


def _offsets(layouts: Sequence[Layout], modes: Sequence[str]) -> Params:
    return {
        f"offset_{name}": layout.offset // QUAD if mode == "vector" else layout.offset
        for name, layout, mode in zip(blocks.operand_names(len(layouts)), layouts, modes, strict=True)
    }


@lru_cache(maxsize=4096)
def _contiguous_spec(
    text: str,
    params: tuple[Param, ...],
    types: tuple[str, ...],
    modes: tuple[str, ...],
    indexed: bool,
    quads: int,
    shifted: bool,
    group: int,
) -> KernelSpec:
    """`shifted`: some operand begins at an offset; most do not, which saves llvmpipe 5 % of its time.

    Each quad is written before the next is read, which saves as much.
    """
    names = blocks.operand_names(len(modes) + 1)
    modes = (*modes, "vector")
    widths = [QUAD if mode == "vector" else 1 for mode in modes]
    bindings = [packing.binding(kind, width) for kind, width in zip(types, widths, strict=True)]
    body = [BOUNDS_CHECK, f"let first = thread * {quads}u;"]
    begins = {name: f"params.offset_{name} + " * shifted for name in names}
    for quad in range(quads):
        for name, kind, width in zip(names, types, widths[:-1], strict=False):
            place = begins[name] + (f"first + {quad}u" if width == QUAD else "0u")
            body.append(f"let v{name[2:]}_{quad} = {packing.read(kind, name, place, width)};")
        elements = []
        for lane, part in enumerate("xyzw"):
            values = [f"v{n}_{quad}{f'.{part}' * (mode == 'vector')}" for n, mode in enumerate(modes[:-1])]
            values += [f"params.first_index + (first + {quad}u) * {QUAD}u + {lane}u"] * indexed
            elements.append(f"element({', '.join(values)})")
        row = ", ".join(elements)
        value = packing.words(types[-1], row) if packing.is_words(types[-1]) else f"vec4<{types[-1]}>({row})"
        body.append(f"out[{begins['out']}first + {quad}u] = {value};")
    return KernelSpec(
        "elementwise",
        tuple(map(Binding, names[:-1], bindings[:-1])),
        (Binding("out", bindings[-1], "read_write"),),
        "\n".join(body),
        (
            Param("count"),
            *_index_params(indexed),
            *(Param(f"offset_{name}") for name in names if shifted),
            *params,
        ),
        (group, 1, 1),
        functions=wgsl.with_helpers(text, body="\n".join(body)),
    )


@lru_cache(maxsize=4096)
def _strided_spec(
    text: str,
    params: tuple[Param, ...],
    types: tuple[str, ...],
    rank: int,
    lanes: int,
    indexed: bool,
    group: int,
) -> KernelSpec:
    names = blocks.operand_names(len(types))
    body = [
        BOUNDS_CHECK,
        coordinates(f"thread * {lanes}u", rank),
        *(f"let at_{name} = {address(name, rank)};" for name in names),
        *(f"let step_{name} = strides_{name}_at({rank - 1}u);" for name in names if lanes > 1),
    ]
    elements: list[str] = []
    for lane in range(lanes):
        shift = {name: f"at_{name} + {lane}u * step_{name}" if lane else f"at_{name}" for name in names}
        arguments = [
            packing.read(kind, name, shift[name], 1) for name, kind in zip(names, types[:-1], strict=False)
        ]
        arguments += [f"params.first_index + thread * {lanes}u + {lane}u"] * indexed
        elements.append(f"element({', '.join(arguments)})")
        body.append(f"out[{shift['out']}] = {elements[-1]};")
    by_quads = packing.is_words(types[-1])
    if by_quads:
        body[-lanes:] = [f"out[at_out / {QUAD}u] = {packing.words(types[-1], ', '.join(elements))};"]
    return KernelSpec(
        "elementwise_strided",
        tuple(Binding(name, packing.binding(kind, 1)) for name, kind in zip(names, types[:-1], strict=False)),
        (Binding("out", packing.binding(types[-1], QUAD if by_quads else 1), "read_write"),),
        "\n".join(body),
        (
            Param("count"),
            *_index_params(indexed),
            *(Param(f"offset_{name}") for name in names),
            *stride_params(["shape", *(f"strides_{name}" for name in names)], rank),
            *params,
        ),
        (group, 1, 1),
        functions=wgsl.with_helpers(text, body="\n".join(body)),
    )
