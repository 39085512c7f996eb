"""What a script prints leaves promptly, in order, and never more than its limit."""

from __future__ import annotations

import pytest

from sandbox.console import BATCH_CHARACTERS, Console
from sandbox.policy.names import MARK

Printed = list[tuple[str, str, bool]]


def opened(limit: int = 1000) -> tuple[Console, Printed]:
    console, printed = Console(), []
    console.open(lambda *message: printed.append(message), limit, timer=False)
    return console, printed


def test_the_first_line_leaves_at_once() -> None:
    console, printed = opened()
    console.stdout.write("hello\n")
    assert printed == [("stdout", "hello\n", False)]


def test_what_follows_quickly_is_sent_together() -> None:
    console, printed = opened()
    for number in range(5):
        console.stdout.write(f"{number}\n")
    console.flush()
    assert [text for _, text, _ in printed] == ["0\n", "1\n2\n3\n4\n"]


def test_much_text_is_sent_in_batches() -> None:
    console, printed = opened(1 << 20)
    for _ in range(300):
        console.stdout.write("x" * 100)
    console.flush()
    assert sum(len(text) for _, text, _ in printed) == 30_000
    assert max(len(text) for _, text, _ in printed) <= BATCH_CHARACTERS + 100


def test_the_limit_counts_bytes_and_cuts_between_characters() -> None:
    console, printed = opened(5)
    console.stdout.write("aééé")
    assert printed == [("stdout", "aéé", True)]
    console.stderr.write("more")
    console.flush()
    assert len(printed) == 1


def test_changing_streams_keeps_the_order() -> None:
    console, printed = opened()
    console.stdout.write("a")
    console.stderr.write("b")
    console.stdout.write("c")
    console.flush()
    assert printed == [("stdout", "a", False), ("stderr", "b", False), ("stdout", "c", False)]


def test_private_names_are_printed_as_written_and_other_text_is_untouched() -> None:
    console, printed = opened()
    console.stdout.write(f"A({MARK}_x=1) {MARK} {MARK}a\n")
    assert printed == [("stdout", f"A(_x=1) {MARK} {MARK}a\n", False)]


def test_surrogates_do_not_break_the_wire() -> None:
    console, printed = opened()
    console.stdout.write("\ud800\n")
    assert printed == [("stdout", "\\ud800\n", False)]


def test_a_flush_within_a_flush_is_harmless() -> None:
    console, printed = Console(), []

    def emit(*message: object) -> None:
        printed.append(message)
        console.flush()

    console.open(emit, 100, timer=False)
    console.stdout.write("a\n")
    assert len(printed) == 1


def test_only_text_can_be_written() -> None:
    console, _ = opened()
    with pytest.raises(TypeError):
        console.stdout.write(b"x")  # type: ignore[arg-type]
