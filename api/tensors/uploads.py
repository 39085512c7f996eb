"""A request's body as tensors: JSON, `.npy`, safetensors, raw or byte strings, straight to disk.

Owns the choice of format and the reading of exactly as many bytes as the header announces. Must not know storage.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack

import numpy as np
from fastapi import Request

from api.errors import BodyTooLarge, InvalidRequest, MalformedTensor, UnsupportedMediaType
from api.http import body
from api.tensors import formats, values
from api.tensors.elements import named_dtype, numpy_dtype, size_of
from api.tensors.formats import FileTensor
from api.tensors.splitting import Split
from api.tensors.store import Sink, TensorStore
from ops.graph import TensorType

_NPY_TYPES = (formats.NPY, "application/npy", "application/x-numpy")
_SAFETENSORS_TYPES = (formats.SAFETENSORS, "application/safetensors", "application/x-safetensors")
_NUMBER = re.compile(r"[0-9]{1,19}")
_WHOLE = "Send the whole of the file, and nothing else."
Parts = list[tuple[str, TensorType, Sink]]


class Reader:
    """The body as a stream of which exact numbers of bytes are taken."""

    def __init__(self, pieces: AsyncIterator[bytes]) -> None:
        self._pieces = pieces
        self._rest: bytes = b""

    async def peek(self, count: int) -> bytes:
        """The next bytes, at least `count` unless the body ends before."""
        parts, size = [self._rest], len(self._rest)
        while size < count:
            piece = await anext(self._pieces, b"")
            if not piece:
                break
            parts.append(piece)
            size += len(piece)
        self._rest = parts[0] if len(parts) == 1 else b"".join(parts)
        return self._rest

    async def take(self, count: int) -> bytes:
        """Exactly the next `count` bytes. Raises `MalformedTensor` when the body ends before."""
        start = await self.peek(count)
        if len(start) < count:
            raise MalformedTensor(f"the body ends {count - len(start)} bytes too early", hint=_WHOLE)
        self._rest = start[count:]
        return start[:count]

    async def header(self, size_of: Callable[[bytes], int | None]) -> bytes:
        """A header whose size `size_of` tells from its first bytes."""
        start = await self.peek(12)
        size = size_of(start)
        if size is None:
            raise MalformedTensor("the body ends within its header", hint=_WHOLE)
        return await self.take(size)

    async def into(self, sink: Sink, nbytes: int) -> None:
        """Move the next `nbytes` bytes to `sink`."""
        left = nbytes
        while left:
            piece = self._rest or await anext(self._pieces, b"")
            if not piece:
                raise MalformedTensor(f"the body ends {left} bytes before the tensor does", hint=_WHOLE)
            taken, self._rest = (piece, b"") if len(piece) <= left else (piece[:left], piece[left:])
            left -= len(taken)
            await sink.write(taken)
        await sink.finish()

    async def end(self) -> None:
        """Raise unless the body is over."""
        if await self.peek(1):
            raise MalformedTensor("the body has more bytes than its tensors", hint=_WHOLE)


async def receive(
    request: Request, store: TensorStore, stack: AsyncExitStack, limits: tuple[int, int]
) -> Parts:
    """The tensors of the body with their names ("" unless the format has names), finished but not recorded.

    `limits` are the most bytes of JSON and of a file. The sinks live as long as `stack`.
    """
    json_limit, file_limit = limits
    if is_split(request):
        return await _strings(request, store, stack, file_limit)
    kind = body.media_type(request)
    if kind == formats.RAW and "dtype" not in request.query_params:
        kind = ""
    reader = Reader(body.stream(request, file_limit))
    if kind in _NPY_TYPES:
        return await _npy(reader, store, stack, file_limit)
    if kind in _SAFETENSORS_TYPES:
        return await _safetensors(reader, store, stack, file_limit)
    if kind == formats.RAW:
        return await _raw(request, reader, store, stack, file_limit)
    if (await reader.peek(6)).startswith(formats.NPY_MAGIC):
        return await _npy(reader, store, stack, file_limit)
    if body.is_json(request):
        return await _json(reader, store, stack, json_limit)
    raise UnsupportedMediaType(
        f"tensors are not read from {kind[:80] or 'an unnamed format'}",
        hint=f"Send {formats.NPY}, {formats.SAFETENSORS}, application/json, or {formats.RAW} with ?dtype=&shape=.",
    )


async def _npy(reader: Reader, store: TensorStore, stack: AsyncExitStack, limit: int) -> Parts:
    tensor = formats.parse_npy(await reader.header(formats.npy_header_size))
    size_of(tensor.shape, tensor.dtype, limit)
    part = await _part(reader, store, stack, tensor)
    await reader.end()
    return [part]


async def _safetensors(reader: Reader, store: TensorStore, stack: AsyncExitStack, limit: int) -> Parts:
    header = await reader.header(formats.safetensors_header_size)
    tensors = await body.aside(len(header), lambda: formats.parse_safetensors(header))
    for tensor in tensors:
        size_of(tensor.shape, tensor.dtype, limit)
    parts = [await _part(reader, store, stack, tensor) for tensor in tensors]
    await reader.end()
    return parts


async def _raw(
    request: Request, reader: Reader, store: TensorStore, stack: AsyncExitStack, limit: int
) -> Parts:
    row = named_dtype(request.query_params["dtype"])
    text = request.query_params.get("shape")
    sizes = [] if text is None else [part.strip() for part in text.strip("[]()").split(",") if part.strip()]
    if text is None or not all(part.isascii() and part.isdigit() and len(part) < 20 for part in sizes):
        raise InvalidRequest(
            "raw bytes need ?shape=, sizes with commas between", hint="As ?dtype=f32&shape=2,3."
        )
    tensor = FileTensor(tuple(map(int, sizes)), row)
    size_of(tensor.shape, row, limit)
    part = await _part(reader, store, stack, tensor)
    await reader.end()
    return [part]


async def _strings(request: Request, store: TensorStore, stack: AsyncExitStack, limit: int) -> Parts:
    """The body as an array of byte strings, whatever its type: `bytes` and `offsets`."""
    data, offsets = [await stack.enter_async_context(store.sink("u32")) for _ in range(2)]
    block, lines = request.query_params.get("block"), request.query_params.get("split")
    split, pieces = Split(data, offsets, limit), body.stream(request, limit)
    if block is None and lines == "lines":
        await split.lines(pieces)
    elif lines is None and block and _NUMBER.fullmatch(block) and 0 < int(block) <= limit:
        await split.blocks(pieces, int(block))
    else:
        raise InvalidRequest(
            f"split and block ({lines!r:.40}, {block!r:.40}) say how a body becomes strings, one of them",
            hint=f"Give ?split=lines, or ?block= with 1 to {limit} bytes.",
        )
    return [
        ("bytes", TensorType((split.words,), "u32"), data),
        ("offsets", TensorType((split.count + 1,), "u32"), offsets),
    ]


async def _json(reader: Reader, store: TensorStore, stack: AsyncExitStack, limit: int) -> Parts:
    text = await reader.peek(limit + 1)
    if len(text) > limit:
        raise BodyTooLarge(f"a JSON body is at most {limit} bytes here", hint=f"Send {formats.NPY} instead.")

    def parse() -> values.TensorValue:
        value = body.parse_json(text)
        inner = value["$tensor"] if isinstance(value, dict) and value.keys() == {"$tensor"} else value
        return values.parse_tensor(inner, "the body", limit * 8)

    tensor = await body.aside(len(text), parse)
    if not isinstance(tensor, values.InlineTensor):
        raise InvalidRequest(
            "the body names a tensor instead of giving one", hint="Give shape, dtype and data."
        )
    sink = await stack.enter_async_context(store.sink(tensor.dtype))
    await sink.write(tensor.data)
    await sink.finish()
    return [("", TensorType(tensor.shape, tensor.dtype), sink)]


async def _part(
    reader: Reader, store: TensorStore, stack: AsyncExitStack, tensor: FileTensor
) -> tuple[str, TensorType, Sink]:
    sink = await stack.enter_async_context(store.sink(tensor.dtype.name))
    if (tensor.swapped or tensor.fortran) and tensor.nbytes:
        await _converted(reader, sink, tensor)
    else:
        await reader.into(sink, tensor.nbytes)
    return tensor.name, TensorType(tensor.shape, tensor.dtype.name), sink


async def _converted(reader: Reader, sink: Sink, tensor: FileTensor) -> None:
    """Big-endian and column-major files are put right in memory."""
    whole = await reader.take(tensor.nbytes)
    little = numpy_dtype(tensor.dtype)

    def convert() -> bytes:
        source = np.frombuffer(whole, little.newbyteorder(">") if tensor.swapped else little)
        shaped = source.reshape(tensor.shape, order="F" if tensor.fortran else "C")
        return shaped.astype(little).tobytes(order="C")

    await sink.write(await asyncio.to_thread(convert))
    await sink.finish()


def is_named(request: Request) -> bool:
    """Whether the body's format gives its tensors names."""
    return is_split(request) or body.media_type(request) in _SAFETENSORS_TYPES


def is_split(request: Request) -> bool:
    """Whether the body is an array of byte strings."""
    return not {"split", "block"}.isdisjoint(request.query_params)
