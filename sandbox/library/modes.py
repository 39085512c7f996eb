"""The mode of `open`: what its letters say, and which other arguments they allow.

Owns CPython's rules and the words of its errors. Must not know files.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Mode:
    """`letter` is one of r, w, a and x; `update` the plus sign."""

    letter: str
    update: bool
    binary: bool

    @property
    def reads(self) -> bool:
        """Whether the file is read."""
        return self.letter == "r" or self.update

    @property
    def writes(self) -> bool:
        """Whether the file is written."""
        return self.letter != "r" or self.update

    @classmethod
    def parse(cls, text: Any) -> Mode:
        """The mode that `text` spells. Raises TypeError or ValueError as CPython does."""
        if not isinstance(text, str):
            raise TypeError(f"open() argument 'mode' must be str, not {type(text).__name__}")
        letters = set(text)
        if letters - set("rwaxbt+") or len(letters) < len(text):
            raise ValueError(f"invalid mode: {str.__str__(text)!r}")
        if {"t", "b"} <= letters:
            raise ValueError("can't have text and binary mode at once")
        main = sorted(letters & set("rwax"))
        if len(main) > 1:
            raise ValueError("must have exactly one of create/read/write/append mode")
        if not main:
            raise ValueError("Must have exactly one of create/read/write/append mode and at most one plus")
        return cls(main[0], "+" in letters, "b" in letters)

    def check(self, buffering: int, encoding: Any, errors: Any, newline: Any) -> None:
        """Raise ValueError for arguments that do not go with the mode."""
        if not self.binary:
            if buffering == 0:
                raise ValueError("can't have unbuffered text I/O")
            return
        for name, value in (("an encoding", encoding), ("an errors", errors), ("a newline", newline)):
            if value is not None:
                raise ValueError(f"binary mode doesn't take {name} argument")
