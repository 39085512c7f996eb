"""What two texts share that are the same kernel under other names, or with other literals.

Owns which names are a kernel's own. Must not know what a fingerprint is used for, or which tokens matter.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from shaders.tokens import Token

FAMILY = 32
"""The characters of a fingerprint that are the same for all literals: half of it, 128 bits."""

_DECLARING = frozenset(("fn", "struct", "alias", "let", "const", "override", "var"))


def fingerprint(tokens: Sequence[Token]) -> str:
    """64 hexadecimal digits of a kernel's tokens, in which each name that it declares is counted as they appear.

    So comments, blanks and the choice of names make no difference; types, built-in functions and literals do. Literals
    make none to its `family`. `tokens` are those that matter (`shaders/liveness.py`).
    """
    whole, family = hashlib.sha256(), hashlib.sha256()
    for token, text in _renamed(tokens):
        whole.update(text.encode() + b"\n")
        family.update((b"#" if token.kind == "number" else text.encode()) + b"\n")
    return family.hexdigest()[:FAMILY] + whole.hexdigest()[FAMILY:]


def family(fingerprint: str) -> str:
    """What a fingerprint shares with those of kernels that differ from its own in literals only."""
    return fingerprint[:FAMILY]


def _renamed(tokens: Sequence[Token]) -> Iterator[tuple[Token, str]]:
    """The tokens, each with its text, which is `$` and a number for a name that the kernel declares."""
    own: dict[str, str] = dict.fromkeys(_declared(tokens), "")
    count = 0
    for token in tokens:
        text = token.text
        if text in own:
            if not own[text]:
                count += 1
                own[text] = f"${count}"
            text = own[text]
        yield token, text


def _declared(items: Sequence[Token]) -> list[str]:
    """The names after a declaring keyword (`var` may have its space in between), and those before a colon."""
    names = []
    for before, token, after in zip([None, *items], items, [*items[1:], None], strict=False):
        declares = before is not None and before.text in _DECLARING
        if token.kind == "name" and (declares or (after is not None and after.text == ":")):
            names.append(token.text)
    return [*names, *_spaced(items)]


def _spaced(items: Sequence[Token]) -> list[str]:
    """The names in `var<...> name`; what stands between the brackets of a `var` are names and a comma."""
    names = []
    for index, token in enumerate(items):
        if token.text == "var" and index + 1 < len(items) and items[index + 1].text == "<":
            behind = next((i for i in range(index + 2, len(items)) if items[i].text == ">"), index)
            names += [each.text for each in items[behind + 1 : behind + 2] if each.kind == "name"]
    return names
