"""A tensor's elements as an answer: JSON, `.npy`, safetensors or raw.

Owns the choice of format and the sending of large tensors in pieces, straight from where they are mapped. Must not
know storage.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

from fastapi import Response
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from api.errors import NotAcceptable
from api.http.answers import JSON, json_response
from api.tensors import elements, formats
from api.tensors.documents import tensor_json
from api.tensors.records import TensorRecord
from api.tensors.store import TensorStore
from ops.dtypes import dtype

PIECE = 1 << 19
JSON_ELEMENTS = 1 << 20
_NAMES = {"json": JSON, "npy": formats.NPY, "safetensors": formats.SAFETENSORS, "raw": formats.RAW}
_ALIASES = {
    "application/npy": formats.NPY,
    "application/x-numpy": formats.NPY,
    "application/safetensors": formats.SAFETENSORS,
}


def choose(asked: str | None, accept: str | None, record: TensorRecord, inline: int) -> str:
    """The media type to answer with. Raises `NotAcceptable`."""
    default = JSON if elements.count(record.shape) <= inline else formats.NPY
    if asked is not None:
        kind = _NAMES.get(asked) or _known(asked)
        if kind is None:
            raise NotAcceptable(f"there is no format {asked[:40]!r}", hint=f"Formats: {', '.join(_NAMES)}.")
        return kind
    for kind in _preferred(accept or "*/*"):
        if kind in ("*/*", "application/*"):
            return default
        known = _known(kind)
        if known is not None:
            return known
    raise NotAcceptable(
        f"none of {accept!r:.100} is a format of tensors", hint=f"Formats: {', '.join(_NAMES.values())}."
    )


async def respond(tensors: TensorStore, record: TensorRecord, kind: str) -> Response:
    """The answer with all elements of a tensor as `kind`."""
    if kind == JSON:
        if elements.count(record.shape) > JSON_ELEMENTS:
            raise NotAcceptable(
                f"a tensor of {elements.count(record.shape):,} elements is over the {JSON_ELEMENTS:,} sent as JSON",
                hint=f"Ask for {formats.NPY}.",
            )
        return json_response(await tensor_json(tensors, record, inline=True))
    row = dtype(record.dtype)
    header = b""
    if kind == formats.NPY:
        header = formats.npy_header(record.shape, row)
    elif kind == formats.SAFETENSORS:
        header = formats.safetensors_header("tensor", record.shape, row, record.nbytes)
    stack = AsyncExitStack()
    view = await stack.enter_async_context(tensors.elements(record))
    headers = {
        "Content-Length": str(len(header) + record.nbytes),
        "X-Tensor-Shape": ",".join(map(str, record.shape)),
        "X-Tensor-Dtype": record.dtype,
    }
    return _Download(stack, _pieces(header, view), media_type=kind, headers=headers)


class _Download(StreamingResponse):
    """An answer that holds what `stack` holds until it is sent, or its client has left."""

    def __init__(self, stack: AsyncExitStack, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._stack = stack

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._stack:
            await super().__call__(scope, receive, send)


async def _pieces(header: bytes, view: memoryview) -> AsyncIterator[bytes | memoryview]:
    if header:
        yield header
    for start in range(0, len(view), PIECE):
        yield view[start : start + PIECE]


def _preferred(accept: str) -> list[str]:
    """The media types of an Accept header, the most wanted first."""
    ranked = []
    for position, part in enumerate(accept.split(",")[:64]):
        kind, *parameters = (piece.strip().lower() for piece in part.split(";"))
        weight = next((p[2:] for p in parameters if p.startswith("q=")), "1")
        try:
            quality = float(weight)
        except ValueError:
            quality = 1.0
        if quality > 0:
            ranked.append((-quality, position, kind))
    return [kind for _, _, kind in sorted(ranked)]


def _known(kind: str) -> str | None:
    kind = _ALIASES.get(kind, kind)
    return kind if kind in _NAMES.values() else None
