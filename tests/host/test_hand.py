"""A thread that does a job at a time."""

from __future__ import annotations

import weakref
from functools import partial
from threading import Event, current_thread

from host.hand import Hand


def test_a_job_is_done_on_a_thread_of_its_own_before_it_is_finished() -> None:
    hand, threads, begun = Hand(), [], Event()

    def job() -> None:
        begun.set()
        threads.append(current_thread())

    for count in (1, 2):
        begun.clear()
        hand.ask(job)
        assert begun.wait(30)
        assert hand.finish() is None
        assert len(threads) == count
    assert set(threads) == {hand._thread}
    hand.close()
    assert not hand._thread.is_alive()


def test_what_a_job_raises_is_told_once() -> None:
    hand, begun = Hand(), Event()
    hand.ask(lambda: begun.set() or 1 / 0)
    assert begun.wait(30)
    assert isinstance(hand.finish(), ZeroDivisionError)
    begun.clear()
    hand.ask(begun.set)
    assert begun.wait(30)
    assert hand.finish() is None
    hand.close()


def test_a_job_that_has_not_begun_is_taken_back() -> None:
    hand, begun, free, told = Hand(), Event(), Event(), []
    hand.ask(lambda: (begun.set(), free.wait(30), told.append("first")))
    assert begun.wait(30)
    hand.ask(lambda: told.append("second"))
    assert hand.finish() is None
    free.set()
    hand.close()
    assert told == ["first"]


def test_nothing_of_a_job_is_kept_when_it_is_finished() -> None:
    hand = Hand()
    for is_begun in (True, False):
        begun, free = Event(), Event()
        if not is_begun:
            hand.ask(lambda begun=begun, free=free: (begun.set(), free.wait(30)))
            assert begun.wait(30)
        job = partial(begun.set)
        kept = weakref.ref(job)
        hand.ask(job)
        assert begun.wait(30)
        assert hand.finish() is None
        del job
        assert kept() is None
        free.set()
    hand.close()
