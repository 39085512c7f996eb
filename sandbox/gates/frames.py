"""What a worker asks of the gates, and what it gets.

Owns the records, and nothing else: workers import this module. Paths are absolute in the script's own view. The
`id` is the worker's own number of the request; the answer repeats it.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

Offset = Annotated[int, msgspec.Meta(ge=0, le=1 << 60)]


class Fetch(msgspec.Struct, frozen=True, tag="fetch", tag_field="t"):
    """Make one HTTP request; the answer is a `FetchResponse`. `follow`: go where redirects lead, if granted."""

    id: int
    method: str
    url: str
    headers: list[tuple[str, str]] = []
    body: bytes = b""
    timeout_s: float | None = None
    follow: bool = True


class FetchResponse(msgspec.Struct, frozen=True):
    """A whole response, its body decompressed. `url` is the last one asked, `history` those before it."""

    status: int
    reason: str
    url: str
    headers: list[tuple[str, str]]
    body: bytes
    history: list[str] = []


class EnvironmentRead(msgspec.Struct, frozen=True, tag="environment_read", tag_field="t"):
    """Give a value of the environment that did not come along with the script: a denial, for the record."""

    id: int
    name: Annotated[str, msgspec.Meta(max_length=128)]


class FileRead(msgspec.Struct, frozen=True, tag="file_read", tag_field="t"):
    """Give up to `size` bytes from `offset`; the answer is bytes, shorter only at the end or at the host's cap."""

    id: int
    path: str
    offset: Offset = 0
    size: Offset = 1 << 20


class FileWrite(msgspec.Struct, frozen=True, tag="file_write", tag_field="t"):
    """Replace a file's content at once, or `append` to it; `new`: only if there is nothing of that name."""

    id: int
    path: str
    data: bytes
    how: Literal["replace", "append", "new"] = "replace"


class FileStat(msgspec.Struct, frozen=True, tag="file_stat", tag_field="t"):
    """Describe a file or folder; the answer is a `FileInfo`."""

    id: int
    path: str


class FileList(msgspec.Struct, frozen=True, tag="file_list", tag_field="t"):
    """Give the names in a folder with their kinds, sorted; the answer is a list of `FileEntry`."""

    id: int
    path: str


class FolderMake(msgspec.Struct, frozen=True, tag="folder_make", tag_field="t"):
    """Make a folder in an existing one."""

    id: int
    path: str


class FileRemove(msgspec.Struct, frozen=True, tag="file_remove", tag_field="t"):
    """Remove a file, or with `folder` an empty folder."""

    id: int
    path: str
    folder: bool = False


Kind = Literal["file", "folder", "other"]


class FileInfo(msgspec.Struct, frozen=True):
    """A file or folder: bytes, and seconds since 1970 of its last change."""

    kind: Kind
    size: int
    modified: float


class FileEntry(msgspec.Struct, frozen=True):
    """A name in a folder. `other` is a link or a special file: it can be seen, not opened."""

    name: str
    kind: Kind


FileRequest = FileRead | FileWrite | FileStat | FileList | FolderMake | FileRemove
GateRequest = Fetch | EnvironmentRead | FileRequest
FileAnswer = bytes | FileInfo | list[FileEntry] | None
GateAnswer = FetchResponse | FileAnswer


def encode_answer(answer: GateAnswer) -> bytes:
    """The bytes of an answer on the wire: those of a file as they are, records in MessagePack, none for None."""
    if answer is None:
        return b""
    return answer if isinstance(answer, bytes) else msgspec.msgpack.encode(answer)
