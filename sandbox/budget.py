"""How many items a MessagePack value holds and how deep it nests, without building it.

Owns the check that a peer's bytes are worth decoding: a megabyte of one-byte empty lists would become sixty-four
megabytes of Python objects. Must not know what the value means.
"""

from __future__ import annotations

from ops.wire import FrameError

MAX_ITEMS = 500_000
MAX_DEPTH = 80

# bytes that follow the first one, for types of a fixed size
_FIXED = {0xC0: 0, 0xC2: 0, 0xC3: 0, 0xCA: 4, 0xCB: 8, 0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8}
_FIXED |= {0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8, 0xD4: 2, 0xD5: 3, 0xD6: 5, 0xD7: 9, 0xD8: 17}
# width of the length field, and bytes beside the length, for types of a variable size
_VARIABLE = {0xC4: (1, 0), 0xC5: (2, 0), 0xC6: (4, 0), 0xC7: (1, 1), 0xC8: (2, 1), 0xC9: (4, 1)}
_VARIABLE |= {0xD9: (1, 0), 0xDA: (2, 0), 0xDB: (4, 0)}
# width of the count field, and items a count, for containers
_CONTAINERS = {0xDC: (2, 1), 0xDD: (4, 1), 0xDE: (2, 2), 0xDF: (4, 2)}


def check(data: bytes, max_items: int = MAX_ITEMS, max_depth: int = MAX_DEPTH) -> None:
    """Raise `FrameError` unless `data` is one MessagePack value within the bounds; linear, without recursion."""
    position, size, items = 0, len(data), 0
    open_counts = [1]
    while open_counts:
        if not open_counts[-1]:
            open_counts.pop()
            continue
        if position >= size:
            raise FrameError("a message ends before its end")
        open_counts[-1] -= 1
        items += 1
        if items > max_items:
            raise FrameError(f"a message holds more than {max_items} items")
        first = data[position]
        position += 1
        if first < 0x80 or first >= 0xE0:
            continue
        count = None
        if first < 0x90:
            count = 2 * (first & 15)
        elif first < 0xA0:
            count = first & 15
        elif first < 0xC0:
            position += first & 31
        elif first in _FIXED:
            position += _FIXED[first]
        elif first in _VARIABLE:
            width, beside = _VARIABLE[first]
            position += width + beside + int.from_bytes(data[position : position + width], "big")
        elif first in _CONTAINERS:
            width, each = _CONTAINERS[first]
            count = each * int.from_bytes(data[position : position + width], "big")
            position += width
        else:
            raise FrameError(f"a message holds the byte 0x{first:02x}, which begins no value")
        if count is not None:
            if len(open_counts) > max_depth:
                raise FrameError(f"a message nests deeper than {max_depth} levels")
            open_counts.append(count)
    if position != size:
        raise FrameError("a message does not end where its value does")
