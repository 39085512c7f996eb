"""What the pages of the library show: inputs, attributes and a line of a script for each row.

Owns examples only, found by the names of inputs, attributes and rows, so that a new row mostly needs none. Must not
know how a page looks.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ops.spec import REQUIRED, Normal, OpSpec
from shaders.keyed import KEYED

Value = bytes | list[bytes] | list[int] | list[bool] | list[list[int]]
"""A sample input: bytes are words, a list of them is two inputs, a list of numbers a tensor."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Inputs and attributes of one call."""

    inputs: list[Value]
    attributes: dict[str, Normal]


_MESSAGES: dict[str, list[bytes]] = {
    "data": [b"abc", b""],
    "keys": [b"key"],
    "salts": [b"salt"],
    "info": [b"info"],
    "needles": [b"cab", b"a"],
    "left": [b"kitten", b"flaw"],
    "right": [b"sitting", b"lawn"],
}
_NUMBERS = [3, 1, 3, 2, 3, 1]
_TENSORS: dict[str, Value] = {
    "x": _NUMBERS,
    "y": [1, 2, 3, 4, 5, 6],
    "z": [0, 0, 1, 1, 2, 2],
    "keep": [True, False, True, True, False, False],
    "positions": [5, 0, 9],
    "key": bytes(range(32)),
    "nonce": bytes(range(12)),
    "counter": bytes(range(16)),
    "leaves": [[number] * 8 for number in range(1, 4)],
    "goal": [1 << 26, *[0] * 7],
    "header": bytes(range(76)),
    "filter": [8792065, 206586640],
}
_ATTRIBUTES: dict[str, Normal] = {"length": 16, "iterations": 1000, "bins": 4, "bits": 64, "count": 6}
_BY_ROW: dict[str, Sample] = {
    "nonzero": Sample([[True, False, True, True]], {}),
    "pack_bits": Sample([[True, False, True, True]], {}),
    "unpack_bits": Sample([[13]], {"count": 4}),
    "find_bytes": Sample([b"a bad cab", [b"cab", b"a"]], {"size": 9}),
    "hex_encode": Sample([b"\x01\xab"], {"size": 2}),
    "hex_decode": Sample([b"01ab"], {"size": 4}),
    "base64_encode": Sample([b"abc"], {"size": 3}),
    "base64_decode": Sample([b"YWJj"], {"size": 4}),
    "digest_rows": Sample([[[0x64636261, 0x68676665]]], {"algorithm": "sha256"}),
    "find_nonce": Sample([bytes(range(76)), [1 << 24, *[0] * 7]], {"count": 1000}),
    "chacha20": Sample([b"text", bytes(range(32)), bytes(12)], {}),
    "aes_ctr": Sample([b"text", bytes(range(16)), bytes(16)], {}),
}
_PASSWORDS = '"password", "salt", 1000'
_CALLS: dict[str, str] = {
    **{f"hmac_{name}": f'hashing.hmac_{name}(["abc", ""], "key")' for name in KEYED},
    **{f"pbkdf2_{name}": f"hashing.pbkdf2_{name}({_PASSWORDS})" for name in KEYED},
    **{f"hkdf_{name}": f'hashing.hkdf_{name}("key material", "salt", "info", 16)' for name in KEYED},
    "merkle": 'hashing.merkle_root(hashing.sha256(["a", "b", "c"]), form="rfc6962")',
    "find_nonce": "hashing.find_nonce(bytes(76), 1 << 248, 0, 1000)",
    "find_bytes": 'routines.find("a bad cab", ["cab", "a"])',
    "levenshtein": 'routines.levenshtein(["kitten", "flaw"], ["sitting", "lawn"])',
    "chacha20": 'routines.chacha20(b"text", bytes(32), bytes(12)).hex()',
    "aes_ctr": 'routines.aes_ctr(b"text", bytes(16), bytes(16)).hex()',
}
MORE: dict[str, dict[str, str]] = {
    "hashes": {
        "lines": r'hashing.crc32(hashing.lines("one\ntwo\n"))',
        "blocks": 'hashing.crc32(hashing.blocks("abcdefgh", 3))',
    },
    "arrays": {
        "unique": f"[part.tolist() for part in routines.unique(torch.tensor({_NUMBERS}))]",
        "runs": "[part.tolist() for part in routines.runs(torch.tensor([7, 7, 5, 7]))]",
        "sort_by": "[part.tolist() for part in routines.sort_by(torch.tensor([3, 1, 2]), torch.tensor([0, 1, 2]))]",
        "find": 'routines.find("a bad cab", ["cab", "a"])',
    },
}
"""Of each page, the functions of scripts that are composed of rows, with an example."""


def sample(spec: OpSpec) -> Sample:
    """The sample of a row. Raises `KeyError` for an input or a required attribute that has none."""
    if spec.name in _BY_ROW:
        return _BY_ROW[spec.name]
    inputs: list[Value] = []
    for name, after in pairwise((*spec.inputs, "")):
        if after.endswith("offsets"):
            inputs.append(_MESSAGES[name])
        elif not name.endswith("offsets"):
            inputs.append(_TENSORS[name])
    needed = [each.name for each in spec.attributes if each.default == REQUIRED]
    return Sample(inputs, {name: _ATTRIBUTES[name] for name in needed})


def call(spec: OpSpec) -> str:
    """An expression of a script that computes the row."""
    if spec.name in _CALLS:
        return _CALLS[spec.name]
    given = sample(spec)
    attributes = "".join(f", {name}={value!r}" for name, value in given.attributes.items())
    if spec.kind == "digest":
        return f'hashing.{spec.name}(["abc", ""]{attributes})'
    tensors = ", ".join(text for value in given.inputs for text in _tensors(value))
    arguments = f"{tensors}{attributes}".removeprefix(", ")
    if spec.kind == "elementwise" or spec.namespace == "hash":
        return f'call("{spec.namespace}.{spec.name}", {arguments}).tolist()'
    return f"routines.{spec.name}({arguments}).tolist()"


def words(data: bytes) -> list[int]:
    """Bytes as u32 words, the first byte lowest, filled up with zeros."""
    return [int.from_bytes(data[place : place + 4], "little") for place in range(0, len(data), 4)]


def offsets(messages: list[bytes]) -> list[int]:
    """Where each message begins, and where the last one ends."""
    return [sum(map(len, messages[:number])) for number in range(len(messages) + 1)]


def is_messages(value: Value) -> bool:
    """Whether a sample stands for two inputs."""
    return isinstance(value, list) and bool(value) and isinstance(value[0], bytes)


def flat(value: Any) -> tuple[list[int], list[Any]]:
    """The shape of a list of numbers or of lists of them, and all of its numbers."""
    if value and isinstance(value[0], list):
        return [len(value), len(value[0])], [each for row in value for each in row]
    return [len(value)], list(value)


def dtype_of(data: list[Any]) -> str:
    """The dtype that a tensor of `data` has: bool or u32."""
    return "bool" if data and isinstance(data[0], bool) else "u32"


def _tensors(value: Value) -> list[str]:
    if isinstance(value, bytes):
        return [_tensor(words(value))]
    messages = [each for each in value if isinstance(each, bytes)]
    return [_tensor(words(b"".join(messages))), _tensor(offsets(messages))] if messages else [_tensor(value)]


def _tensor(data: list[Any]) -> str:
    return f"torch.tensor({data}{'' if dtype_of(data) == 'bool' else ', dtype=torch.uint32'})"
