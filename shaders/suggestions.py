"""What somebody may have meant by a name that does not exist.

Owns how close names are, for the hints of all errors about names. Must not know what the names name.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches
from heapq import nlargest

_COMPARED = 64  # characters of a name that are looked at, since looking costs the square of them
_LOOKED_AT = 16  # names that share the most letters, since looking at one of 64 may take a millisecond
_NAMED = 3
_SHORT = 4  # characters of a name, of which one may be wrong
_CLOSE, _CLOSE_IF_SHORT = 0.7, 0.6  # of `difflib`'s ratio: exp is meant by exq, progress not by subprocess


def meant(name: str, names: Iterable[str], otherwise: str = "") -> str:
    """`Did you mean softmax or fmax?`, of the `names` that are close to `name`, the closest first; else `otherwise`."""
    wanted = name[:_COMPARED].lower()
    spelled = {each[:_COMPARED].lower(): each for each in names}
    matcher = SequenceMatcher(None, "", wanted)

    def letters_shared(each: str) -> float:
        matcher.set_seq1(each)
        return matcher.quick_ratio()

    likely = nlargest(_LOOKED_AT, spelled, letters_shared)
    cutoff = _CLOSE if len(name) > _SHORT else _CLOSE_IF_SHORT
    close = get_close_matches(wanted, likely, _NAMED, cutoff)
    return f"Did you mean {' or '.join(spelled[each] for each in close)}?" if close else otherwise
