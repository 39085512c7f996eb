"""Attention by the host's BLAS, in the device's own memory.

Owns how attention is cut into tiles of queries, which depends on its sizes alone, and how a tile is computed: by blocks
of keys, with the largest score and the sum of powers carried on from block to block (Milakov and Gimelshein, 2018), so
that the scores that exist at a time stay in caches. Must not know threads, plans or owners.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from host.boxes import Index, boxes
from host.scratch import scratch
from ops.lower import HostAttention
from ops.lowering.attention import row_work

_SCORES = 1 << 17
"""Scores of a tile and a block of keys."""
_KEYS = 1024
"""Keys of a block."""
_TILE_WORK = 1 << 30
"""What a tile may cost, as `row_work` counts, about 50 ms of a core: nothing stops one."""
_FEWEST_ROWS = 16
"""Queries of a tile at least."""
_ONES = np.ones(_KEYS, np.float32)

Array = npt.NDArray[Any]
Tile = tuple[Index, slice]
"""Which matrices of a batch, and which queries."""


def tiles(work: HostAttention) -> Iterator[Tile]:
    """What attention is cut into."""
    *batch, rows, _ = work.query.layout.shape
    keys = min(work.key.layout.shape[-2], _KEYS)
    each = row_work(work.key.layout.shape, work.value.layout.shape)
    step = max(_FEWEST_ROWS, min(_SCORES // keys, _TILE_WORK // each))
    together = min(step, rows)
    for where in boxes(batch, min(_SCORES // (keys * together), _TILE_WORK // (each * together))):
        for begin in range(0, rows, step):
            yield where, slice(begin, min(begin + step, rows))


class Attention:
    """Attention whose operands are `arrays`: query, key, value, a mask if there is one, and the target."""

    def __init__(self, work: HostAttention, arrays: Sequence[Array]) -> None:
        self._query, self._key, self._value, *mask, self._target = arrays
        self._mask = mask[0] if mask else None
        self._work = work

    def begin(self) -> None:
        """Tiles need nothing before."""

    def compute(self, tile: Tile) -> None:
        """Write a tile. Scores lie [keys, queries]: what is folded over keys is folded by whole vectors."""
        where, rows = tile
        query = self._query[where][..., rows, :].swapaxes(-1, -2)
        query = np.multiply(query, np.float32(self._work.scale), order="C")
        keys = self._key.shape[-2]
        seen = min(rows.stop, keys) if self._work.is_causal else keys
        target = self._target[where][..., rows, :]
        peak: Array = np.zeros(1, np.float32)
        total = peak
        for begin in range(0, seen, _KEYS):
            block = slice(begin, min(begin + _KEYS, seen))
            scores = self._scores(query, where, rows, block)
            highest = scores.max(axis=-2)
            if begin:
                np.maximum(highest, peak, out=highest)
            base = np.where(np.isneginf(highest), np.float32(0), highest)
            scores -= base[..., np.newaxis, :]
            np.exp(scores, out=scores)
            sums = _ONES[: block.stop - begin] @ scores
            value = self._value[where][..., block, :]
            if begin:
                shrink = np.exp(peak - base)
                total = total * shrink + sums
                target *= shrink[..., np.newaxis]
                target += np.matmul(scores.swapaxes(-1, -2), value, out=scratch("made", target.shape))
            else:
                total = sums
                np.matmul(scores.swapaxes(-1, -2), value, out=target)
            peak = highest
        target /= total[..., np.newaxis]

    def _scores(self, query: Array, where: Index, rows: slice, keys: slice) -> Array:
        """The scores of a block of keys, masked."""
        scores = scratch("scores", (*query.shape[:-2], keys.stop - keys.start, query.shape[-1]))
        np.matmul(self._key[where][..., keys, :], query, out=scores)
        if self._mask is not None:
            scores += self._mask[where][..., rows, keys].swapaxes(-1, -2)
        later = max(rows.start + 1, keys.start)
        if self._work.is_causal and later < keys.stop:
            unseen = np.arange(later, keys.stop)[:, None] > np.arange(rows.start, rows.stop)
            np.copyto(scores[..., later - keys.start :, :], -np.inf, where=unseen)
        return scores
