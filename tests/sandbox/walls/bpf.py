"""An interpreter of the kernel's classic BPF, written from its documentation: the reference for our assembler."""

from __future__ import annotations

import struct
from collections.abc import Sequence


def run(program: bytes, nr: int, architecture: int, arguments: Sequence[int] = ()) -> int:
    """The verdict of `program` on one system call. Raises where the kernel would refuse the program."""
    filled = [value & 0xFFFF_FFFF_FFFF_FFFF for value in (*arguments, 0, 0, 0, 0, 0, 0)[:6]]
    data = struct.pack("<IIQ6Q", nr, architecture, 0, *filled)
    steps = list(struct.iter_unpack("<HBBI", program))
    position, accumulator = 0, 0
    while True:
        code, if_true, if_false, k = steps[position]
        position += 1
        match code:
            case 0x20:
                assert k % 4 == 0
                (accumulator,) = struct.unpack_from("<I", data, k)
            case 0x54:
                accumulator &= k
            case 0x05:
                position += k
            case 0x15:
                position += if_true if accumulator == k else if_false
            case 0x35:
                position += if_true if accumulator >= k else if_false
            case 0x06:
                return int(k)
            case _:
                raise AssertionError(f"instruction {code:#x} is not one of a filter")
