"""What somebody may have meant by a name that does not exist.

Owns how close names are, for the hints of all errors about names, and that looking takes no time, whatever the names:
servers look while others wait. Must not know what the names name.
"""

from __future__ import annotations

import difflib
import heapq
from collections.abc import Iterable, Set
from itertools import pairwise

_COMPARED = 64  # characters of a name that are looked at, since looking costs the square of them
_LIKELY = 24  # names that are looked at so, of those that share the most pairs of characters
_NAMED = 3
_CLOSE = 0.7  # of `difflib`'s ratio: subprocess is not progress


def meant(name: str, names: Iterable[str], otherwise: str = "") -> str:
    """`Did you mean softmax or fmax?`, of the `names` that are close to `name`, the closest first; else `otherwise`."""
    spelled = {each.lower(): each for each in names}
    asked = name[:_COMPARED].lower()
    pairs = _pairs(asked)
    likely = heapq.nlargest(_LIKELY, spelled, key=lambda each: _share(pairs, _pairs(each[:_COMPARED])))
    close = difflib.get_close_matches(asked, likely, _NAMED, _CLOSE)
    return f"Did you mean {' or '.join(spelled[each] for each in close)}?" if close else otherwise


def _pairs(name: str) -> Set[tuple[str, str]]:
    """Its neighbouring characters, the ends among them."""
    return set(pairwise(f" {name} "))


def _share(left: Set[tuple[str, str]], right: Set[tuple[str, str]]) -> float:
    return len(left & right) / (len(left) + len(right))
