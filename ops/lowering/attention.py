"""Attention: scores of some queries at a time, their softmax, and the product with the values.

Owns how queries are cut into blocks, so that the scores that exist at a time are few however long the sequences are;
keys that no query of a block sees are left out. Each block is two products and a softmax that scales and masks what it
reads; where the host can work in the device's memory, all of it is one step of the host's, and on GPUs, of vectors that
are not long, one kernel (`attention_tiles.py`). Must not know op names.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, prod

from msgspec import structs

from ops.expression import Term, bind, constant, input_term, parse, scalar_term
from ops.lowering import attention_tiles, elementwise, matmul, softmax, windows
from ops.lowering.builder import Builder
from ops.lowering.host_tasks import HostAttention
from ops.lowering.operands import Source, Target

_MOST_SCORES = {"cpu": 1 << 23, "gpu": 1 << 26}
"""Of a block of queries, which takes 8 bytes for each: 64 MB, or 512 MB. llvmpipe is as quick with any number from 2^22
to 2^25, and up to a tenth slower with 2^17."""
_EVEN = 16
"""Rows of the tallest tile of `register_tile.py`: blocks of queries are whole tiles."""
_LEAST_STEPS = 3
"""Of a block of queries."""
_MOST_OF_HOST, _WIDEST_OF_HOST = 1 << 27, 1 << 17
"""What a query of the host's may cost at most, and the elements of its vectors: nothing stops the host while it does a
few. Others are made of products and a softmax, which are cut along keys and vectors too."""


def emit(
    builder: Builder, sources: Sequence[Source], is_causal: bool, scale: float | None, target: Target
) -> None:
    """Write the attention of query, key, value and perhaps a mask, all f32, to `target`, contiguous from offset 0."""
    query, key, value, *mask = sources
    *batch, rows, _ = target.layout.shape
    columns, size = key.layout.shape[-2:]
    if target.layout.count == 0:
        return
    if columns == 0:
        elementwise.emit(builder, constant(0, "f32"), (), target)
        return
    factor = float(size**-0.5 if scale is None and size else scale or 0.0)
    shown = [_shown(each, (*batch, rows, columns)) for each in mask]
    q, k, v = (_shown(each, (*batch, *each.layout.shape[-2:])) for each in (query, key, value))
    each = row_work(key.layout.shape, value.layout.shape)
    work = prod(batch) * rows * each
    is_short = each <= _MOST_OF_HOST and size + value.layout.shape[-1] <= _WIDEST_OF_HOST
    if 0 < builder.device.host_work <= work and is_short:
        bias = shown[0] if shown else None
        builder.dispatches.append(HostAttention(q, k, v, bias, target, factor, is_causal, work))
        return
    if attention_tiles.suits(builder.device, [q, k, v, *shown], target):
        attention_tiles.emit(builder, [q, k, v, *shown], is_causal, factor, target)
        return
    _by_blocks(builder, (query, key, value), shown, is_causal, factor, target)


def _by_blocks(
    builder: Builder,
    operands: tuple[Source, Source, Source],
    masks: Sequence[Source],
    is_causal: bool,
    factor: float,
    target: Target,
) -> None:
    """The same by products and softmaxes of some queries at a time."""
    query, key, value = operands
    *batch, rows, _ = target.layout.shape
    columns, size = key.layout.shape[-2:]
    most = _MOST_SCORES[builder.device.kind] // (prod(batch) * columns)
    step = rows if most >= rows else max(most - most % _EVEN, 1)
    builder.check_room(_LEAST_STEPS * -(-rows // step))
    turned = structs.replace(key, layout=key.layout.transposed())
    if step < rows:
        turned = matmul.arranged(builder, turned, (*batch, step, columns, size))  # once: every block reads it
    for begin in range(0, rows, step):
        part = range(begin, min(begin + step, rows))
        seen = range(min(part.stop, columns) if is_causal else columns)
        biases = [_cut(builder, _cut(builder, each, -2, part), -1, seen) for each in masks]
        if is_causal:
            biases.append(_unseen(builder, part, seen))
        scores = builder.temp((*batch, len(part), len(seen)), "f32")
        matmul.emit(builder, _cut(builder, query, -2, part), _cut(builder, turned, -1, seen), scores)
        load = _load(factor, len(biases))
        shares = builder.temp(scores.layout.shape, "f32")
        softmax.emit(builder, load, [scores.source(), *biases], scores.layout.shape, len(batch) + 1, shares)
        values = _cut(builder, value, -2, seen)
        if len(part) == rows:
            matmul.emit(builder, shares.source(), values, target)
        else:
            _write(builder, shares.source(), values, part, target)


def row_work(key: Sequence[int], value: Sequence[int]) -> int:
    """What a query costs in multiply-adds, with keys and values of these shapes."""
    return key[-2] * (key[-1] + value[-1] + attention_tiles.SCORE_WORK)


def _write(builder: Builder, shares: Source, values: Source, part: range, target: Target) -> None:
    """The results of some queries, at their place."""
    made = builder.temp((*target.layout.shape[:-2], len(part), target.layout.shape[-1]), "f32")
    matmul.emit(builder, shares, values, made)
    ranges = [range(size) for size in target.layout.shape]
    ranges[-2] = part
    elementwise.copy(
        builder, made.source(), windows.seen(builder.device, target, target.layout.slice(ranges))
    )


def _load(factor: float, biases: int) -> Term:
    """What softmax reads: the scores times `factor`, plus the biases."""
    term = bind(parse("x * f"), {"x": input_term(0, "f32"), "f": scalar_term(float(factor))})
    for number in range(1, biases + 1):
        term = bind(parse("x + y"), {"x": term, "y": input_term(number, "f32")})
    return term


def _unseen(builder: Builder, rows: range, columns: range) -> Source:
    """-inf where a key comes after a query, else 0."""
    numbers = []
    for positions, shape in ((rows, (len(rows), 1)), (columns, (1, len(columns)))):
        made = builder.temp(shape, "i32")
        term = bind(parse("start + index"), {"start": scalar_term(positions.start)})
        elementwise.emit(builder, term, (), made)
        numbers.append(made.source())
    target = builder.temp((len(rows), len(columns)), "f32")
    names = {"x": input_term(0, "i32"), "y": input_term(1, "i32"), "out": constant(-inf, "f32")}
    elementwise.emit(builder, bind(parse("out if y > x else 0.0"), names), numbers, target)
    return target.source()


def _cut(builder: Builder, source: Source, axis: int, part: range) -> Source:
    """A source at some positions along an axis."""
    ranges = [range(size) for size in source.layout.shape]
    ranges[axis] = part
    return windows.seen(builder.device, source, source.layout.slice(ranges))


def _shown(source: Source, shape: tuple[int, ...]) -> Source:
    return structs.replace(source, layout=source.layout.expand(shape))
