"""Pieces cover everything once, whoever takes them, and an error of one is the caller's."""

from __future__ import annotations

import os
import threading

import pytest

from host.copying import in_pieces


@pytest.mark.parametrize("nbytes", [0, 1, 4096, (1 << 20) + 1, (9 << 20) + 5, 64 << 20])
def test_pieces_cover_all_bytes_once_and_begin_at_pages(nbytes: int) -> None:
    taken: list[tuple[int, int]] = []
    in_pieces(nbytes, lambda begin, end: taken.append((begin, end)))
    taken.sort()
    assert [begin for begin, _ in taken] == [0, *(end for _, end in taken[:-1])]
    assert taken[-1][1] == nbytes
    assert all(begin % 4096 == 0 for begin, _ in taken)


def test_an_error_is_raised_when_no_piece_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    at_work, done = threading.Semaphore(0), []

    def move(begin: int, end: int) -> None:
        if begin == 0:
            assert at_work.acquire(timeout=30)
            raise OSError("cut short")
        at_work.release()
        done.append(end)

    with pytest.raises(OSError, match="cut short"):
        in_pieces(2 << 20, move)
    assert done == [2 << 20]
