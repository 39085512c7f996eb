"""`routines` as a script sees it: sums, sorting, search, random numbers and ciphers on flat tensors and bytes.

Owns a function for each routine of the table, and what is composed of them where a result's size depends on the data.
Must not know engines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ops.errors import AttributeValueError
from ops.hashing import Message, packed, text_bytes, words
from ops.spec import OpSpec
from ops.table import TABLE
from ops.torch.operands import Operand, operands
from ops.torch.tensor import Tensor, apply

_MODULE = ("bits", "data", "random", "cipher")


def namespace() -> dict[str, object]:
    """The public names of the module `routines`."""
    rows = [spec for spec in TABLE.values() if spec.namespace in _MODULE and spec.kind == "routine"]
    return {name: _function(spec) for spec in rows for name in (spec.name, *spec.aliases)} | _COMPOSED


def _function(spec: OpSpec) -> Callable[..., Tensor]:
    """The function of a row, which takes its tensors, or numbers, and its attributes by name."""

    def function(*inputs: Operand, **attributes: object) -> Tensor:
        return apply(spec.name, operands(list(inputs)), **attributes)

    function.__name__ = function.__qualname__ = spec.name
    function.__doc__ = spec.doc
    return function


def compact(x: Tensor, keep: Tensor) -> Tensor:
    """The elements of a flat tensor where `keep` is true."""
    return apply("compact", [x, keep])[: int(apply("sum", [keep]))]


def nonzero(x: Tensor) -> Tensor:
    """The positions in a flat tensor where `x` is true."""
    return apply("nonzero", [x])[: int(apply("sum", [x]))]


def runs(x: Tensor) -> tuple[Tensor, Tensor]:
    """The values of a flat tensor without repeats of neighbours, and how often each stood there."""
    size = x.shape[0]
    starts: Any = apply("run_starts", [x])
    count = int((starts < size).sum().item())
    begins = starts[:count]
    return apply("take", [x, begins]), starts[1 : count + 1] - begins


def unique(x: Tensor) -> tuple[Tensor, Tensor]:
    """The distinct values of a flat tensor in ascending order, and how often each is there."""
    return runs(apply("sort", [x]))


def sort_by(keys: Tensor, *values: Tensor) -> tuple[Tensor, ...]:
    """Flat tensors in the order of the first."""
    order = apply("argsort", [keys])
    return tuple(apply("take", [each, order]) for each in (keys, *values))


def find(text: Message, needles: Message | Iterable[Message]) -> list[tuple[int, int]]:
    """Where needles stand in a text: the position in bytes and the number of the first that is there."""
    data = text_bytes(text)
    wanted = [needles] if isinstance(needles, str | bytes | bytearray) else list(needles)
    found = apply(
        "find_bytes", [words(data), *packed([text_bytes(needle) for needle in wanted])], size=len(data)
    )
    places = nonzero(apply("cast", [found], dtype="bool"))
    which = apply("take", [found, places])
    return [(place, number - 1) for place, number in zip(places.tolist(), which.tolist(), strict=True)]


def levenshtein(left: Iterable[Message], right: Iterable[Message]) -> list[int]:
    """The edit distance, in bytes, of each pair."""
    sides = [[text_bytes(message) for message in side] for side in (left, right)]
    if len(sides[0]) != len(sides[1]):
        raise AttributeValueError("levenshtein takes as many messages on the left as on the right")
    if not sides[0]:
        return []
    longest = max(len(message) for side in sides for message in side)
    pairs = [tensor for side in sides for tensor in packed(side)]
    return list(apply("levenshtein", pairs, max_bytes=longest).tolist())


def chacha20(data: bytes, key: bytes, nonce: bytes, counter: int = 0) -> bytes:
    """ChaCha20 of bytes with a key of 32 bytes and a nonce of 12; the same call encrypts and decrypts."""
    return _cipher("chacha20", data, key, nonce, counter=counter)


def aes_ctr(data: bytes, key: bytes, counter: bytes) -> bytes:
    """AES in counter mode with a key of 16, 24 or 32 bytes and a first block of 16; not constant-time."""
    return _cipher("aes_ctr", data, key, counter)


def _cipher(op: str, data: bytes, *others: bytes, **attributes: object) -> bytes:
    given = [text_bytes(part) for part in (data, *others)]
    if any(len(part) % 4 for part in given[1:]):
        raise AttributeValueError(
            f"{op}: a key or a nonce of {[len(part) for part in given[1:]]} bytes does not fit"
        )
    numbers = apply(op, [words(part) for part in given], **attributes).tolist()
    return b"".join(word.to_bytes(4, "little") for word in numbers)[: len(given[0])]


_COMPOSED: dict[str, object] = {
    function.__name__: function
    for function in (compact, nonzero, runs, unique, sort_by, find, levenshtein, chacha20, aes_ctr)
}
