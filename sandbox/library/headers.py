"""Headers and query parameters as the clients of HTTP take them.

Owns the mapping whose names have no case, and the merging of what a session and a call give. Must not know requests.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from typing import Any
from urllib.parse import urlencode

from sandbox.policy.whole import Whole

HeadersLike = Mapping[str, str | bytes | None] | Iterable[tuple[str | bytes, str | bytes | None]]
"""Names and values, a mapping or pairs; None takes one of a session away."""
Simple = str | bytes | int | float | None
Query = (
    str | bytes | Mapping[str, Simple | Sequence[Simple]] | Iterable[tuple[str, Simple | Sequence[Simple]]]
)
"""A query or a form: text, a mapping (also of lists), or pairs."""


class Headers(Whole, MutableMapping[str, str]):
    """Names, in whatever case, and values; several of one name are joined by commas."""

    __slots__ = ("_entries",)

    def __init__(self, given: HeadersLike = ()) -> None:
        self._entries: dict[str, tuple[str, str]] = {}
        for name, value in pairs(given):
            known = self._entries.get(name.lower())
            self[name] = f"{known[1]}, {value}" if known else value

    def __getitem__(self, name: str) -> str:
        try:
            return self._entries[name.lower()][1]
        except (KeyError, AttributeError):
            raise KeyError(name) from None

    def __setitem__(self, name: str, value: str | bytes) -> None:
        plain = text(name)
        self._entries[plain.lower()] = (plain, text(value))

    def __delitem__(self, name: str) -> None:
        del self._entries[name.lower()]

    def __iter__(self) -> Iterator[str]:
        return iter([name for name, _ in self._entries.values()])

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.lower() in self._entries

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mapping):
            return NotImplemented
        return lowered(self) == lowered(other)

    __hash__ = None  # type: ignore[assignment]

    def copy(self) -> Headers:
        """Another mapping with the same headers."""
        return Headers(list(self._entries.values()))

    def __copy__(self) -> Headers:
        return self.copy()

    def __deepcopy__(self, _memo: Any) -> Headers:
        return self.copy()

    def __repr__(self) -> str:
        return repr(dict(self))


def lowered(given: Any) -> dict[str, str]:
    """Headers by names in lower case."""
    return {name.lower(): value for name, value in pairs(given)}


def text(value: Any) -> str:
    """A name or value as text."""
    if isinstance(value, bytes | bytearray):
        return bytes(value).decode("latin-1")
    return str.__str__(value if isinstance(value, str) else str(value))


def pairs(given: Any) -> list[tuple[str, str]]:
    """The pairs of a mapping or of a sequence of pairs, without those whose value is None."""
    items: Iterable[Any] = given.items() if hasattr(given, "items") else given or ()
    return [(text(name), text(value)) for name, value in items if value is not None]


def merged(*given: Any) -> list[tuple[str, str]]:
    """All headers, a later one in the place of an earlier; one of None takes the earlier away."""
    found: dict[str, tuple[str, str]] = {}
    for some in given:
        items: Iterable[Any] = some.items() if hasattr(some, "items") else some or ()
        for name, value in items:
            plain = text(name)
            found.pop(plain.lower(), None)
            if value is not None:
                found[plain.lower()] = (plain, text(value))
    return list(found.values())


def with_query(url: str, *given: Any) -> str:
    """`url` with parameters at the end of its query: text, a mapping (also of lists), or pairs."""
    parts = [query for some in given if some and (query := _query(some))]
    if not parts:
        return url
    start, mark, fragment = url.partition("#")
    return start + ("&" if "?" in start else "?") + "&".join(parts) + mark + fragment


def _query(given: Any) -> str:
    if isinstance(given, str | bytes):
        return text(given)
    return form(given)


def form(given: Any) -> str:
    """Pairs as a query or a form has them; a list stands for several of one name, None for nothing."""
    items: Iterable[Any] = given.items() if hasattr(given, "items") else given
    flat: list[tuple[str, str]] = []
    for name, value in items:
        several = value if isinstance(value, list | tuple) else [value]
        flat += [(text(name), text(each)) for each in several if each is not None]
    return urlencode(flat)
