"""What each owner holds on the device, in bytes.

Owns the count: a tensor that is held several times counts once. Must not know what holds it, or quotas.
"""

from __future__ import annotations

from collections.abc import Hashable


class Holdings:
    """The holdings of all owners."""

    def __init__(self) -> None:
        self._held: dict[str, dict[Hashable, tuple[int, int]]] = {}
        self._bytes: dict[str, int] = {}

    def bytes(self, owner: str) -> int:
        """All that `owner` holds."""
        return self._bytes.get(owner, 0)

    def all(self) -> dict[str, int]:
        """What each owner holds who holds something."""
        return dict(self._bytes)

    def take(self, owner: str, what: Hashable, nbytes: int) -> None:
        """`owner` holds `what`, of `nbytes` bytes, once more."""
        held = self._held.setdefault(owner, {})
        times, before = held.get(what, (0, 0))
        held[what] = (times + 1, before if times else nbytes)
        if not times:
            self._bytes[owner] = self.bytes(owner) + nbytes

    def leave(self, owner: str, what: Hashable) -> None:
        """Undo one `take`."""
        held = self._held[owner]
        times, nbytes = held.pop(what)
        if times > 1:
            held[what] = (times - 1, nbytes)
            return
        self._bytes[owner] -= nbytes
        if not held:
            del self._held[owner], self._bytes[owner]

    def times(self, owner: str, what: Hashable) -> int:
        """How often `owner` holds `what`."""
        return self._held.get(owner, {}).get(what, (0, 0))[0]
