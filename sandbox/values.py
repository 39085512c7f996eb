"""Values that cross the wall of the sandbox: JSON-like data, bytes, any int and float, and tensors by handle.

Owns the packed form (MessagePack with two extensions) and its bounds. Must not know `Tensor`: who packs says which
objects are tensors, who unpacks gets `TensorRef`s.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from ops.graph import TensorRef
from ops.wire import FrameError
from sandbox import budget
from sandbox.errors import ValueFormError
from sandbox.frames import MAX_MESSAGE

MAX_ITEMS = 250_000
MAX_DEPTH = 64
MAX_BYTES = MAX_MESSAGE - (1 << 10)  # with the record around it

_BIG_INT = 1
_TENSOR = 2
_LOW, _HIGH = -(1 << 63), (1 << 64) - 1
_CALLABLE = (types.FunctionType, types.BuiltinFunctionType, types.MethodType)
_MAX_BIG_INT_BYTES = 1 << 16

Refer = Callable[[object], Any]
_encoder = msgspec.msgpack.Encoder()
_ref_decoder = msgspec.msgpack.Decoder(TensorRef)


def _no_tensors(_value: object) -> None:
    return None


class _Packer:
    """Turns a value into what MessagePack can hold, within the bounds."""

    def __init__(self, refer: Refer) -> None:
        self._refer = refer
        self._items = 0

    def plain(self, value: Any, path: str, depth: int) -> Any:
        self._items += 1
        if value is None or value is True or value is False:
            return value
        if isinstance(value, TensorRef):
            return msgspec.msgpack.Ext(_TENSOR, _encoder.encode(value))
        kind = type(value)
        if kind is float or kind is str:
            return value
        if isinstance(value, int):
            return self._int(int(value), path)
        if isinstance(value, float):
            return float(value)
        if isinstance(value, str):
            return str.__str__(value)
        if isinstance(value, bytes | bytearray | memoryview):
            return bytes(value)
        if isinstance(value, list | tuple | dict):
            return self._container(value, path, depth)
        stand_in = self._refer(value)
        if stand_in is not None:
            return self.plain(stand_in, path, depth)
        raise ValueFormError(
            f"{path} is of type {kind.__qualname__}, which cannot leave or enter the sandbox",
            hint=_instead(value),
        )

    def _int(self, value: int, path: str) -> Any:
        if _LOW <= value <= _HIGH:
            return value
        size = value.bit_length() // 8 + 1
        if size > _MAX_BIG_INT_BYTES:
            raise ValueFormError(f"{path} is an int of {size} bytes; the most is {_MAX_BIG_INT_BYTES}")
        return msgspec.msgpack.Ext(_BIG_INT, value.to_bytes(size, "big", signed=True))

    def _container(self, value: Any, path: str, depth: int) -> Any:
        if depth >= MAX_DEPTH:
            raise ValueFormError(f"{path} nests deeper than {MAX_DEPTH} levels")
        if self._items + len(value) > MAX_ITEMS:
            raise ValueFormError(
                f"{path} brings the value over {MAX_ITEMS} items",
                hint="Use a tensor, or bytes, for many numbers.",
            )
        if isinstance(value, dict):
            return {
                self._key(key, path): self.plain(item, f"{path}[{key!r}]"[:200], depth + 1)
                for key, item in value.items()
            }
        return [self.plain(item, f"{path}[{index}]"[:200], depth + 1) for index, item in enumerate(value)]

    def _key(self, key: object, path: str) -> str:
        """A dict's key, as JSON writes it."""
        if isinstance(key, str):
            return str.__str__(key)
        if key is None or key is True or key is False:
            return {None: "null", True: "true", False: "false"}[key]
        if isinstance(key, int | float):
            return repr(float(key) if isinstance(key, float) else int(key))
        stand_in = self._refer(key)
        if isinstance(stand_in, int | float):
            return self._key(stand_in, path)
        raise ValueFormError(
            f"{path} has a key of type {type(key).__qualname__}; keys must be strings, numbers, bools or None"
        )


def _instead(value: object) -> str | None:
    """What to give in place of `value`, if that can be said of its kind."""
    if isinstance(value, _CALLABLE):
        return "Call it."
    if isinstance(value, Iterable):
        return "Make a list of it: list(…)."
    return None


def pack(value: object, refer: Refer = _no_tensors, name: str = "value") -> bytes:
    """`value` in packed form. `refer(object)` gives what stands for an object of another type: a tensor's reference,
    or a plain value; None where nothing does.

    Tuples become lists and keys strings, as in JSON. Raises `ValueFormError` for anything else, for values of more
    than `MAX_ITEMS` items or `MAX_DEPTH` levels, and for packed forms over `MAX_BYTES`; `name` begins its path.
    """
    try:
        data = _encoder.encode(_Packer(refer).plain(value, name, 0))
    except UnicodeEncodeError:
        raise ValueFormError(
            f"{name} holds text with half a surrogate pair, which is no Unicode",
            hint="Encode it, as with text.encode('utf-8', 'backslashreplace').",
        ) from None
    if len(data) > MAX_BYTES:
        raise ValueFormError(
            f"{name} takes {len(data)} bytes; the most is {MAX_BYTES}", hint="Return a tensor."
        )
    return data


def _extension(code: int, data: memoryview) -> Any:
    if code == _BIG_INT:
        return int.from_bytes(data, "big", signed=True)
    if code == _TENSOR:
        return _ref_decoder.decode(data)
    raise ValueError(f"extension {code} is not known")


_decoder = msgspec.msgpack.Decoder(ext_hook=_extension)


def unpack(data: bytes) -> Any:
    """The value that `data` holds, tensors as `TensorRef`. Raises `FrameError`; safe for a stranger's bytes."""
    if len(data) > MAX_BYTES:
        raise FrameError(f"a value takes {len(data)} bytes; the most is {MAX_BYTES}")
    budget.check(data, MAX_ITEMS + 1, MAX_DEPTH + 1)
    try:
        return _decoder.decode(data)
    except (msgspec.DecodeError, ValueError, TypeError) as error:
        raise FrameError(f"a packed value is malformed: {error}") from None


def tensors_in(value: object, is_tensor: Callable[[object], bool], opened: Refer = _no_tensors) -> list[Any]:
    """Every tensor inside lists, tuples and dict values of `value`, each once, in order; also inside the dict that
    `opened` gives for an object of another type."""
    found: dict[int, Any] = {}
    waiting = [(value, 0)]
    while waiting:
        item, depth = waiting.pop()
        if is_tensor(item):
            found.setdefault(id(item), item)
        elif depth <= MAX_DEPTH:
            item = item if isinstance(item, list | tuple | dict) else opened(item) or ()
            children = item.values() if isinstance(item, dict) else item
            waiting.extend((child, depth + 1) for child in reversed(list(children)))
    return list(found.values())
