"""The files gate: what a script can do in a granted folder, and that nothing leads out of it."""

from __future__ import annotations

import asyncio
import os
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from sandbox.gates.errors import FileRefused, PermissionDenied
from sandbox.gates.files import FileEvent, FilesGate
from sandbox.gates.folder import FileLimits
from sandbox.gates.frames import (
    FileEntry,
    FileList,
    FileRead,
    FileRemove,
    FileRequest,
    FileStat,
    FileWrite,
    FolderMake,
)
from sandbox.gates.grants import Mode, parse
from sandbox.gates.opening import Opener, best, by_openat2, by_walk
from shaders.errors import KernelgateError

SECRET = b"SECRET"
OPENERS = [by_walk] if best() is by_walk else [by_openat2, by_walk]


class Files:
    """A gate over `inside`, mounted at /in; `outside` lies next to it and holds what must not be read."""

    def __init__(self, base: Path, opener: Opener, executor: ThreadPoolExecutor) -> None:
        self.base, self.inside, self.outside = base, base / "inside", base / "outside"
        self.opener, self.executor = opener, executor
        self.events: list[FileEvent] = []
        for folder in (self.inside, self.outside):
            folder.mkdir()
        (self.outside / "secret").write_bytes(SECRET)
        (self.inside / "a.txt").write_bytes(b"hello")
        (self.inside / "d").mkdir()
        (self.inside / "d" / "b.txt").write_bytes(b"b")

    def gate(
        self, mode: Mode = "ro", path: str = "/in", limits: FileLimits | None = None, **grant: object
    ) -> FilesGate:
        data = {"path": path, "folder": str(self.inside), "mode": mode, **grant}
        options: dict[str, Any] = {"opener": self.opener, "executor": self.executor, "limits": limits}
        return FilesGate(parse({"files": [data]}).files, on_event=self.events.append, **options)


@pytest.fixture(params=OPENERS, ids=lambda opener: opener.__name__)
def files(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Files]:
    with ThreadPoolExecutor(1) as executor:
        yield Files(tmp_path.resolve(), request.param, executor)


def ask(gate: FilesGate, *requests: FileRequest) -> Any:
    """The last answer; every earlier one is awaited too."""

    async def serve() -> Any:
        answer = None
        async with asyncio.timeout(20):
            for request in requests:
                answer = await gate.serve(request)
        return answer

    return asyncio.run(serve())


def code(gate: FilesGate, request: FileRequest) -> str:
    """`ok`, or the code of the error, which never tells what lies outside."""
    error = None
    try:
        ask(gate, request)
    except KernelgateError as caught:
        error = caught
    assert error is None or SECRET.decode() not in error.message
    return "ok" if error is None else error.code


def read(path: str, offset: int = 0, size: int = 1 << 20) -> FileRead:
    return FileRead(1, path, offset, size)


def write(path: str, data: bytes = b"new", how: Any = "replace") -> FileWrite:
    return FileWrite(1, path, data, how)


@pytest.mark.parametrize(
    ("path", "offset", "size", "content"),
    [
        ("/in/a.txt", 0, 100, b"hello"),
        ("/in/a.txt", 1, 2, b"el"),
        ("/in/a.txt", 5, 2, b""),
        ("/in/a.txt", 1 << 60, 1 << 60, b""),
        ("/in/a.txt", 0, 0, b""),
        ("//in///./a.txt", 0, 100, b"hello"),
        ("/in/d/b.txt", 0, 100, b"b"),
    ],
)
def test_a_granted_file_is_read(files: Files, path: str, offset: int, size: int, content: bytes) -> None:
    assert ask(files.gate(), read(path, offset, size)) == content


def plant(files: Files) -> None:
    """Everything nasty that a folder can hold."""
    inside, secret = files.inside, files.outside / "secret"
    (inside / "link").symlink_to(secret)
    (inside / "relative").symlink_to("../outside/secret")
    (inside / "up").symlink_to("..")
    (inside / "out").symlink_to(files.outside)
    (inside / "self").symlink_to("self")
    (inside / "friendly").symlink_to("a.txt")
    (inside / "friendlyfolder").symlink_to("d")
    (inside / "environ").symlink_to("/proc/self/environ")
    (inside / "slash").symlink_to("/proc/self/root")
    (inside / "fd").symlink_to("/proc/self/fd/0")
    (inside / "hard").hardlink_to(secret)
    os.mkfifo(inside / "fifo")
    with socket.socket(socket.AF_UNIX) as server:
        here = os.open(inside, os.O_RDONLY)
        server.bind(f"/proc/self/fd/{here}/socket")
        os.close(here)


REFUSED, DENIED, MISSING, NOT_FOLDER = (
    "file_refused",
    "permission_denied",
    "file_not_found",
    "file_not_folder",
)
LINK = {REFUSED, NOT_FOLDER}
TRICKS: list[tuple[str, str | set[str]]] = [
    ("/in/link", REFUSED),
    ("/in/relative", REFUSED),
    ("/in/up", LINK),
    ("/in/up/outside/secret", LINK),
    ("/in/out/secret", LINK),
    ("/in/self", REFUSED),
    ("/in/friendly", REFUSED),
    ("/in/friendlyfolder/b.txt", LINK),
    ("/in/environ", REFUSED),
    ("/in/slash/etc/passwd", LINK),
    ("/in/fd", REFUSED),
    ("/in/hard", REFUSED),
    ("/in/fifo", REFUSED),
    ("/in/socket", REFUSED),
    ("/in/../outside/secret", REFUSED),
    ("/in/d/../../outside/secret", REFUSED),
    ("/in/..", REFUSED),
    ("/..", REFUSED),
    ("in/a.txt", REFUSED),
    ("", REFUSED),
    ("a.txt", REFUSED),
    ("~/secret", REFUSED),
    ("/in/a.txt\0", REFUSED),
    ("/in/a\nb", REFUSED),
    ("/in/\ud800", REFUSED),
    ("/in/" + "a" * 256, REFUSED),
    ("/in/" + "\u00e9" * 200, REFUSED),
    ("/in" + "/a" * 40, REFUSED),
    ("/in/" + "a/" * 2000, REFUSED),
    ("/etc/passwd", DENIED),
    ("/proc/self/environ", DENIED),
    ("/in2/a.txt", DENIED),
    ("/i", DENIED),
    ("/IN/a.txt", DENIED),
    ("/in/a.txt/x", NOT_FOLDER),
    ("/in/nothing", MISSING),
    ("/in/\uff0e\uff0e/outside/secret", MISSING),
    ("/in/%2e%2e/outside/secret", MISSING),
    ("/in/..\\outside\\secret", MISSING),
    ("/in", "file_is_folder"),
    ("/in/d", "file_is_folder"),
    ("/", "file_is_folder"),
]


@pytest.mark.parametrize(("path", "outcome"), TRICKS, ids=[ascii(path)[:40] for path, _ in TRICKS])
def test_no_path_leads_out_of_the_folder(files: Files, path: str, outcome: str | set[str]) -> None:
    plant(files)
    assert code(files.gate(), read(path)) in ({outcome} if isinstance(outcome, str) else outcome)


@pytest.mark.parametrize("mode", ["rw", "overlay"])
@pytest.mark.parametrize("path", [path for path, _ in TRICKS], ids=lambda path: ascii(path)[:40])
def test_no_write_leads_out_of_the_folder(files: Files, path: str, mode: Mode) -> None:
    plant(files)
    before = tuple(os.stat(files.outside))[:7]
    for how in ("append", "new", "replace"):
        code(files.gate(mode), write(path, b"evil", how))
    assert (files.outside / "secret").read_bytes() == SECRET
    assert os.listdir(files.outside) == ["secret"]
    assert tuple(os.stat(files.outside))[:7] == before
    assert sorted(os.listdir(files.base)) == ["inside", "outside"]


@pytest.mark.parametrize("mode", ["rw", "overlay"])
@pytest.mark.parametrize("name", ["link", "out", "hard", "up", "fifo", "friendlyfolder"])
def test_removing_never_touches_what_a_link_leads_to(files: Files, name: str, mode: Mode) -> None:
    plant(files)
    for folder in (False, True):
        code(files.gate(mode), FileRemove(1, f"/in/{name}", folder))
    assert (files.outside / "secret").read_bytes() == SECRET
    assert (files.inside / "d" / "b.txt").read_bytes() == b"b"


def test_a_folder_whose_own_path_is_a_link_is_refused(files: Files) -> None:
    (files.base / "alias").symlink_to(files.inside)
    grants = parse({"files": [{"path": "/in", "folder": str(files.base / "alias")}]}).files
    gate = FilesGate(grants, opener=files.opener, executor=files.executor)
    assert code(gate, read("/in/a.txt")) in LINK


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="the system has no /proc")
def test_a_mount_inside_the_folder_is_not_entered(files: Files) -> None:
    grants = parse({"files": [{"path": "/in", "folder": "/"}]}).files
    gate = FilesGate(grants, opener=files.opener, executor=files.executor)
    assert code(gate, read("/in/proc/version")) == REFUSED


def test_a_folder_swapped_for_a_link_during_2000_reads_never_leaks(files: Files) -> None:
    inside, gate = files.inside, files.gate()
    (inside / "swap").mkdir()
    (inside / "swap" / "secret").write_bytes(b"fine")
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            os.rename(inside / "swap", inside / "aside")
            os.symlink(files.outside, inside / "swap")
            os.unlink(inside / "swap")
            os.rename(inside / "aside", inside / "swap")

    found = race(gate, swap, stop, read("/in/swap/secret"))
    assert set(found) <= {b"fine", MISSING, *LINK}
    assert ask(gate, read("/in/swap/secret")) == b"fine"


def test_a_file_swapped_for_a_link_during_2000_reads_never_leaks(files: Files) -> None:
    inside, gate = files.inside, files.gate()
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            (inside / "f").write_bytes(b"fine")
            os.unlink(inside / "f")
            os.symlink(files.outside / "secret", inside / "f")
            os.unlink(inside / "f")

    assert set(race(gate, swap, stop, read("/in/f"))) <= {b"fine", b"", MISSING, *LINK}


def race(
    gate: FilesGate, swap: Callable[[], None], stop: threading.Event, request: FileRequest
) -> dict[Any, int]:
    """The answers (or codes) of 2000 requests, made while `swap` runs, with their counts."""
    found: dict[Any, int] = {}

    async def serve() -> None:
        async with asyncio.timeout(20):
            for _ in range(2000):
                try:
                    answer = await gate.serve(request)
                except KernelgateError as error:
                    answer = error.code
                found[answer] = found.get(answer, 0) + 1

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        asyncio.run(serve())
    finally:
        stop.set()
        thread.join(10)
    return found


@pytest.mark.parametrize(
    "request_",
    [write("/in/x"), write("/in/a.txt", how="append"), FolderMake(1, "/in/x"), FileRemove(1, "/in/a.txt")],
)
def test_a_read_only_folder_is_not_written_and_says_what_would_open_it(
    files: Files, request_: FileRequest
) -> None:
    with pytest.raises(PermissionDenied) as caught:
        ask(files.gate(), request_)
    assert caught.value.grant == {"files": [{"path": "/in", "mode": "rw"}]}
    assert sorted(os.listdir(files.inside)) == ["a.txt", "d"]


def test_a_path_outside_every_grant_says_what_would_open_it(files: Files) -> None:
    with pytest.raises(PermissionDenied) as caught:
        ask(files.gate(), read("/etc/passwd"))
    assert caught.value.grant == {"files": [{"path": "/etc", "mode": "ro"}]}
    assert parse(caught.value.grant)


@pytest.mark.parametrize("mode", ["rw", "overlay"])
def test_writing_reading_and_listing_agree(files: Files, mode: Mode) -> None:
    gate = files.gate(mode)
    ask(
        gate,
        write("/in/new.txt", b"one"),
        write("/in/new.txt", b"two", "append"),
        write("/in/a.txt", b" world", "append"),
        write("/in/log", b"first", "append"),
        FolderMake(1, "/in/e"),
        write("/in/e/c", b"c", "new"),
        FileRemove(1, "/in/d/b.txt"),
        FileRemove(1, "/in/d", folder=True),
    )
    assert ask(gate, read("/in/new.txt")) == b"onetwo"
    assert ask(gate, read("/in/a.txt", 3)) == b"lo world"
    assert ask(gate, read("/in/log")) == b"first"
    names = [("a.txt", "file"), ("e", "folder"), ("log", "file"), ("new.txt", "file")]
    assert ask(gate, FileList(1, "/in")) == [FileEntry(name, kind) for name, kind in names]  # type: ignore[arg-type]
    assert ask(gate, FileList(1, "/in/e")) == [FileEntry("c", "file")]
    info = ask(gate, FileStat(1, "/in/e/c"))
    assert (info.kind, info.size) == ("file", 1)
    assert info.modified > 0
    assert ask(gate, FileStat(1, "/in/e")).kind == "folder"
    assert code(gate, read("/in/d/b.txt")) == MISSING
    assert code(gate, FileStat(1, "/in/d")) == MISSING
    assert code(gate, FileList(1, "/in/d")) == MISSING


@pytest.mark.parametrize("mode", ["rw", "overlay"])
@pytest.mark.parametrize(
    ("request_", "outcome"),
    [
        (write("/in/a.txt", how="new"), "file_exists"),
        (write("/in/d"), "file_is_folder"),
        (write("/in/d", how="append"), "file_is_folder"),
        (write("/in"), "file_is_folder"),
        (write("/in/no/x"), MISSING),
        (write("/in/a.txt/x"), NOT_FOLDER),
        (FolderMake(1, "/in/d"), "file_exists"),
        (FolderMake(1, "/in/a.txt"), "file_exists"),
        (FolderMake(1, "/in/no/x"), MISSING),
        (FileRemove(1, "/in/no"), MISSING),
        (FileRemove(1, "/in/d"), "file_is_folder"),
        (FileRemove(1, "/in/d", folder=True), "folder_not_empty"),
        (FileRemove(1, "/in/a.txt", folder=True), NOT_FOLDER),
        (FileRemove(1, "/in"), "file_is_folder"),
        (FileRemove(1, "/in", folder=True), "file_is_folder"),
        (FileList(1, "/in/a.txt"), NOT_FOLDER),
        (FileList(1, "/in/no"), MISSING),
    ],
)
def test_an_impossible_operation_has_a_code_of_its_own(
    files: Files, request_: FileRequest, outcome: str, mode: Mode
) -> None:
    assert code(files.gate(mode), request_) == outcome
    assert sorted(os.listdir(files.inside)) == ["a.txt", "d"]
    assert os.listdir(files.inside / "d") == ["b.txt"]


def test_a_write_replaces_a_link_and_leaves_no_temporary_file(files: Files) -> None:
    plant(files)
    ask(files.gate("rw"), write("/in/link", b"mine"))
    assert not (files.inside / "link").is_symlink()
    assert (files.inside / "link").read_bytes() == b"mine"
    assert not [name for name in os.listdir(files.inside) if name.startswith(".")]


def test_an_overlay_leaves_the_folder_alone_and_gives_its_changes(files: Files) -> None:
    gate = files.gate("overlay")
    ask(
        gate,
        write("/in/a.txt", b"changed"),
        write("/in/d/n", b"x"),
        FolderMake(1, "/in/e"),
        FileRemove(1, "/in/d/b.txt"),
        write("/in/t", b"gone again"),
        FileRemove(1, "/in/t"),
    )
    assert gate.changes() == {"/in/a.txt": b"changed", "/in/d/b.txt": None, "/in/d/n": b"x", "/in/e/": b""}
    assert (files.inside / "a.txt").read_bytes() == b"hello"
    assert sorted(os.listdir(files.inside)) == ["a.txt", "d"]
    assert os.listdir(files.inside / "d") == ["b.txt"]


def test_an_overlay_can_put_a_folder_in_the_place_of_a_file(files: Files) -> None:
    gate = files.gate("overlay")
    ask(gate, FileRemove(1, "/in/a.txt"), FolderMake(1, "/in/a.txt"), write("/in/a.txt/x", b"x"))
    assert ask(gate, FileList(1, "/in/a.txt")) == [FileEntry("x", "file")]
    assert code(gate, read("/in/a.txt/y")) in (MISSING, NOT_FOLDER)


@pytest.mark.parametrize("mode", ["rw", "overlay"])
def test_the_quota_of_bytes_holds(files: Files, mode: Mode) -> None:
    held = 0 if mode == "overlay" else 6
    gate = files.gate(mode, quota_bytes=held + 10)
    ask(gate, write("/in/x", b"12345"), write("/in/y", b"12345"))
    for how in ("replace", "append", "new"):
        assert code(gate, write("/in/z", b"1", how)) == "file_quota"
    assert code(gate, write("/in/x", b"1", "append")) == "file_quota"
    ask(gate, write("/in/x", b"1"), write("/in/z", b"1234"), FileRemove(1, "/in/y"), write("/in/w", b"12345"))
    assert code(gate, write("/in/w", b"123456")) == "file_quota"
    assert ask(gate, read("/in/w")) == b"12345"


@pytest.mark.parametrize("mode", ["rw", "overlay"])
def test_the_quota_of_files_holds(files: Files, mode: Mode) -> None:
    held = 0 if mode == "overlay" else 3
    gate = files.gate(mode, quota_files=held + 2)
    ask(gate, write("/in/x"), FolderMake(1, "/in/y"))
    assert code(gate, write("/in/z")) == "file_quota"
    assert code(gate, write("/in/z", how="append")) == "file_quota"
    assert code(gate, FolderMake(1, "/in/z")) == "file_quota"
    ask(gate, write("/in/x", b"again"), FileRemove(1, "/in/y", folder=True), write("/in/z"))


@pytest.mark.parametrize("mode", ["rw", "overlay"])
def test_a_file_has_a_largest_size(files: Files, mode: Mode) -> None:
    gate = files.gate(mode, limits=FileLimits(file_bytes=8))
    assert code(gate, write("/in/x", b"123456789")) == "file_quota"
    assert code(gate, write("/in/a.txt", b"1234", "append")) == "file_quota"
    ask(gate, write("/in/a.txt", b"123", "append"))


def test_two_runs_share_the_quota_of_a_folder(files: Files) -> None:
    first, second = files.gate("rw", quota_bytes=16), files.gate("rw", quota_bytes=16)
    ask(first, write("/in/x", b"12345"))
    ask(second, write("/in/y", b"12345"))
    assert code(first, write("/in/z", b"1")) == "file_quota"


def test_all_overlays_of_a_run_share_their_memory(files: Files) -> None:
    grants = [{"path": path, "folder": str(files.inside), "mode": "overlay"} for path in ("/in", "/too")]
    gate = FilesGate(
        parse({"files": grants}).files,
        limits=FileLimits(overlay_bytes=10),
        opener=files.opener,
        executor=files.executor,
    )
    ask(gate, write("/in/x", b"123456"))
    assert code(gate, write("/too/x", b"123456")) == "file_quota"
    ask(gate, FileRemove(1, "/in/x"), write("/too/x", b"123456"))


def test_one_read_and_one_listing_have_a_largest_size(files: Files) -> None:
    gate = files.gate(limits=FileLimits(read_bytes=3, entries=2))
    assert ask(gate, read("/in/a.txt")) == b"hel"
    assert len(ask(gate, FileList(1, "/in"))) == 2
    (files.inside / "third").touch()
    assert code(gate, FileList(1, "/in")) == REFUSED


@pytest.mark.parametrize(("offset", "size"), [(-1, 1), (0, -1), (1 << 70, 1)])
def test_an_impossible_range_is_refused(files: Files, offset: int, size: int) -> None:
    assert code(files.gate(), read("/in/a.txt", offset, size)) == REFUSED


def test_links_and_special_files_are_seen_but_not_described(files: Files) -> None:
    plant(files)
    gate = files.gate()
    kinds = {entry.name: entry.kind for entry in ask(gate, FileList(1, "/in"))}
    assert kinds["a.txt"] == "file"
    assert kinds["d"] == "folder"
    assert {kinds[name] for name in ("link", "out", "fifo", "socket", "environ")} == {"other"}
    for name in ("link", "out", "fifo", "hard", "socket"):
        assert code(gate, FileStat(1, f"/in/{name}")) == REFUSED


def test_names_that_no_script_can_ask_for_are_not_listed(files: Files) -> None:
    for name in (b"\xff\xfe", b"a\nb"):
        (Path(os.fsdecode(os.fsencode(files.inside) + b"/" + name))).touch()
    assert [entry.name for entry in ask(files.gate(), FileList(1, "/in"))] == ["a.txt", "d"]


def test_the_folders_above_a_granted_one_exist_but_hold_nothing_else(files: Files) -> None:
    gate = files.gate(path="/data/in")
    assert ask(gate, FileList(1, "/")) == [FileEntry("data", "folder")]
    assert ask(gate, FileList(1, "/data")) == [FileEntry("in", "folder")]
    assert ask(gate, FileStat(1, "/data")).kind == "folder"
    assert ask(gate, read("/data/in/a.txt")) == b"hello"
    assert code(gate, FileList(1, "/home")) == DENIED
    assert code(gate, write("/data/x")) == DENIED
    assert code(gate, FolderMake(1, "/x")) == DENIED


def test_the_deepest_mount_answers(files: Files) -> None:
    grants = [
        {"path": "/in", "folder": str(files.inside)},
        {"path": "/in/d", "folder": str(files.outside)},
    ]
    gate = FilesGate(parse({"files": grants}).files, opener=files.opener, executor=files.executor)
    assert ask(gate, read("/in/d/secret")) == SECRET
    assert ask(gate, read("/in/a.txt")) == b"hello"


def test_without_grants_there_is_only_an_empty_root(files: Files) -> None:
    gate = FilesGate((), opener=files.opener, executor=files.executor)
    assert ask(gate, FileList(1, "/")) == []
    assert code(gate, read("/in/a.txt")) == DENIED


def test_every_operation_is_reported(files: Files) -> None:
    gate = files.gate("rw")
    ask(gate, read("/in/a.txt"), write("/in/x", b"abc"))
    code(gate, read("/etc/\x1b[31mpasswd"))
    rows = [(event.operation, event.path, event.bytes, event.denied) for event in files.events]
    assert rows == [
        ("file_read", "/in/a.txt", 5, None),
        ("file_write", "/in/x", 3, None),
        ("file_read", "/etc/?[31mpasswd", 0, REFUSED),
    ]


def test_nothing_stays_open(files: Files) -> None:
    plant(files)
    gate = files.gate("rw")
    requests = [
        read("/in/a.txt"),
        write("/in/x"),
        write("/in/x", how="append"),
        FileList(1, "/in"),
        FileStat(1, "/in"),
    ]
    ask(gate, *requests)
    before = len(os.listdir("/dev/fd"))
    for request in (*requests, *(read(path) for path, _ in TRICKS)):
        code(gate, request)
    assert len(os.listdir("/dev/fd")) == before


def test_a_full_disk_is_a_quota_and_leaves_nothing_behind(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(file: int, data: object) -> int:
        raise OSError(28, "No space left on device")

    gate = files.gate("rw")
    with monkeypatch.context() as patch:
        patch.setattr("sandbox.gates.folder.os.write", full)
        assert code(gate, write("/in/a.txt")) == "file_quota"
    assert (files.inside / "a.txt").read_bytes() == b"hello"
    assert sorted(os.listdir(files.inside)) == ["a.txt", "d"]


def test_a_path_is_refused_before_the_disk_is_asked() -> None:
    with pytest.raises(FileRefused):
        ask(FilesGate(()), read("/" + "a" * 5000))
