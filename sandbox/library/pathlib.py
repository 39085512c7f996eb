"""`pathlib.Path`: the arithmetic of paths by the library, what lies there by the gate of files.

Owns `Path`. The library's own classes would hand out modules and read attributes by name. Must not know requests.
"""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from typing import Any

from sandbox.gates.frames import FileEntry
from sandbox.library import filesystem
from sandbox.library.files import File, open
from sandbox.library.status import Status
from sandbox.policy import views
from sandbox.policy.classes import seal_class
from sandbox.policy.whole import Whole


class Path(Whole):
    """A path: `Path("in") / "file.txt"`. Relative ones begin at `/`."""

    __slots__ = ("_pure",)

    def __init__(self, *parts: Any) -> None:
        self._pure = pathlib.PurePosixPath(*map(filesystem.text_of, parts))

    # ------------------------------------------------------------------ arithmetic
    @property
    def name(self) -> str:
        """The last part."""
        return self._pure.name

    @property
    def stem(self) -> str:
        """The last part without its suffix."""
        return self._pure.stem

    @property
    def suffix(self) -> str:
        """The ending with its dot."""
        return self._pure.suffix

    @property
    def suffixes(self) -> list[str]:
        """All endings."""
        return self._pure.suffixes

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts, the root among them."""
        return self._pure.parts

    @property
    def root(self) -> str:
        """`/`, or nothing."""
        return self._pure.root

    @property
    def anchor(self) -> str:
        """`/`, or nothing."""
        return self._pure.anchor

    @property
    def parent(self) -> Path:
        """The path without its last part."""
        return Path(str(self._pure.parent))

    @property
    def parents(self) -> tuple[Path, ...]:
        """All paths above, the nearest first."""
        return tuple(Path(str(above)) for above in self._pure.parents)

    def joinpath(self, *others: Any) -> Path:
        """This path, then others; an absolute one begins anew."""
        return Path(str(self), *others)

    def with_name(self, name: str) -> Path:
        """With another last part."""
        return Path(str(self._pure.with_name(_text(name))))

    def with_stem(self, stem: str) -> Path:
        """With another last part, but the same suffix."""
        return Path(str(self._pure.with_stem(_text(stem))))

    def with_suffix(self, suffix: str) -> Path:
        """With another suffix."""
        return Path(str(self._pure.with_suffix(_text(suffix))))

    def relative_to(self, other: Any) -> Path:
        """The rest of the path below `other`."""
        return Path(str(self._pure.relative_to(filesystem.text_of(other))))

    def is_relative_to(self, other: Any) -> bool:
        """Whether the path is `other` or below it."""
        return self._pure.is_relative_to(filesystem.text_of(other))

    def is_absolute(self) -> bool:
        """Whether the path begins at the root."""
        return self._pure.is_absolute()

    def match(self, pattern: str) -> bool:
        """Whether the end of the path fits the pattern."""
        return self._pure.match(_text(pattern))

    def as_posix(self) -> str:
        """The text of the path."""
        return str(self)

    def absolute(self) -> Path:
        """The path from the root."""
        return Path("/", str(self))

    def resolve(self, strict: bool = False) -> Path:
        """The path from the root, without `..`; there are no links."""
        if strict:
            self.stat()
        return Path(filesystem.absolute(str(self)))

    def expanduser(self) -> Path:
        """The same path: nobody has a home here."""
        return self

    @classmethod
    def cwd(cls) -> Path:
        """`/`."""
        return Path("/")

    def __truediv__(self, other: Any) -> Path:
        return Path(str(self), other) if isinstance(other, str | Path) else NotImplemented

    def __rtruediv__(self, other: Any) -> Path:
        return Path(other, str(self)) if isinstance(other, str) else NotImplemented

    def __fspath__(self) -> str:
        return str(self._pure)

    def __str__(self) -> str:
        return str(self._pure)

    def __repr__(self) -> str:
        return f"PosixPath({str(self)!r})"

    def __hash__(self) -> int:
        return hash(self._pure)

    def __eq__(self, other: object) -> bool:
        return self._pure == other._pure if isinstance(other, Path) else NotImplemented

    def __lt__(self, other: Any) -> bool:
        return self._pure < other._pure if isinstance(other, Path) else NotImplemented

    def __le__(self, other: Any) -> bool:
        return self._pure <= other._pure if isinstance(other, Path) else NotImplemented

    def __gt__(self, other: Any) -> bool:
        return self._pure > other._pure if isinstance(other, Path) else NotImplemented

    def __ge__(self, other: Any) -> bool:
        return self._pure >= other._pure if isinstance(other, Path) else NotImplemented

    # ------------------------------------------------------------------ what lies there
    def exists(self) -> bool:
        """Whether there is something."""
        return filesystem.kind(str(self)) is not None

    def is_file(self) -> bool:
        """Whether it is a file."""
        return filesystem.kind(str(self)) == "file"

    def is_dir(self) -> bool:
        """Whether it is a folder."""
        return filesystem.kind(str(self)) == "folder"

    def stat(self) -> Status:
        """Its size, kind and last change."""
        return Status(filesystem.stat(str(self)))

    def open(
        self,
        mode: str = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
    ) -> File:
        """As the builtin `open`."""
        return open(self, mode, buffering, encoding, errors, newline)

    def read_text(self, encoding: str | None = None, errors: str | None = None) -> str:
        """All its text."""
        with open(self, "r", -1, encoding, errors) as file:
            text: str = file.read()
        return text

    def read_bytes(self) -> bytes:
        """All its bytes."""
        with open(self, "rb") as file:
            data: bytes = file.read()
        return data

    def write_text(
        self,
        data: str,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
    ) -> int:
        """Make it a file with this text."""
        if not isinstance(data, str):
            raise TypeError(f"data must be str, not {type(data).__name__}")
        with open(self, "w", -1, encoding, errors, newline) as file:
            return file.write(data)

    def write_bytes(self, data: Any) -> int:
        """Make it a file with these bytes."""
        plain = bytes(memoryview(data))
        with open(self, "wb") as file:
            return file.write(plain)

    def touch(self, exist_ok: bool = True) -> None:
        """Make an empty file if there is none."""
        filesystem.write(str(self), b"", "append" if exist_ok else "new")

    def mkdir(self, mode: int = 0o777, parents: bool = False, exist_ok: bool = False) -> None:
        """Make a folder."""
        if parents:
            filesystem.make_all(str(self), exist_ok)
        elif not (exist_ok and self.is_dir()):
            filesystem.make(str(self))

    def unlink(self, missing_ok: bool = False) -> None:
        """Remove the file."""
        try:
            filesystem.remove(str(self))
        except FileNotFoundError:
            if not missing_ok:
                raise

    def rmdir(self) -> None:
        """Remove the folder, which must be empty."""
        filesystem.remove(str(self), folder=True)

    def iterdir(self) -> Iterator[Path]:
        """What the folder holds."""
        return iter([self / entry.name for entry in filesystem.entries(str(self))])

    def glob(self, pattern: str) -> Iterator[Path]:
        """What lies below and fits the pattern: `*`, `?`, `[…]` in a name, `**` for any folders."""
        text = _text(pattern)
        if not text:
            raise ValueError("Unacceptable pattern: ''")
        if text.startswith("/"):
            raise NotImplementedError("Non-relative patterns are unsupported")
        return iter([self / path for path in _matches(str(self), text.split("/"))])

    def rglob(self, pattern: str) -> Iterator[Path]:
        """As `glob` with `**/` in front."""
        return self.glob(f"**/{_text(pattern)}")


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected str, not {type(value).__name__}")
    return str.__str__(value)


def _matches(folder: str, pattern: list[str]) -> list[str]:
    """The paths below `folder`, relative to it, whose parts fit those of `pattern`."""
    fits = _fitting([part for part in pattern if part not in ("", ".")])
    found = ["."] if fits((), folder=True) else []
    waiting: list[tuple[str, ...]] = [()]
    while waiting:
        above = waiting.pop()
        for entry in _entries("/".join((folder, *above))):
            parts = (*above, entry.name)
            is_folder = entry.kind == "folder"
            if fits(parts, folder=is_folder):
                found.append("/".join(parts))
            if is_folder and ("**" in pattern or len(parts) < len(pattern)):
                waiting.append(parts)
    return sorted(found)


def _entries(folder: str) -> list[FileEntry]:
    try:
        return filesystem.entries(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []


def _fitting(pattern: list[str]) -> Callable[..., bool]:
    """Whether the parts of a path fit `pattern`; a last `**` stands for folders only."""

    def fits(parts: tuple[str, ...], folder: bool, at: int = 0) -> bool:
        if at == len(pattern):
            return not parts
        if pattern[at] == "**":
            if at == len(pattern) - 1 and not folder:
                return False
            return fits(parts, folder, at + 1) or (bool(parts) and fits(parts[1:], folder, at))
        return bool(parts) and fnmatchcase(parts[0], pattern[at]) and fits(parts[1:], folder, at + 1)

    return fits


def install() -> None:
    """Provide `pathlib`."""
    seal_class(Path)
    titles = ("Path", "PosixPath", "PurePath", "PurePosixPath")
    views.provide("pathlib", lambda: dict.fromkeys(titles, Path))
