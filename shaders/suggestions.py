"""What somebody may have meant by a name that does not exist.

Owns how close names are, for the hints of all errors about names. Must not know what the names name.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_COMPARED = 64  # characters of a name that are looked at, since looking costs the square of them
_NAMED = 3
_CLOSE = 0.7  # of `difflib`'s ratio: subprocess is not progress


def meant(name: str, names: Iterable[str], otherwise: str = "") -> str:
    """`Did you mean softmax or fmax?`, of the `names` that are close to `name`, the closest first; else `otherwise`."""
    spelled = {each.lower(): each for each in names}
    close = difflib.get_close_matches(name[:_COMPARED].lower(), spelled, _NAMED, _CLOSE)
    return f"Did you mean {' or '.join(spelled[each] for each in close)}?" if close else otherwise
