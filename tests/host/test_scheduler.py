"""Turns among owners: equal time to each, whatever the size of their steps."""

from collections import Counter

import pytest

from host.scheduler import Scheduler


def served(steps: dict[str, float], rounds: int) -> Counter[str]:
    """Milliseconds that each owner had after `rounds` steps, when each step of an owner takes what `steps` says."""
    scheduler: Scheduler[str] = Scheduler(20.0)
    for owner in steps:
        scheduler.add(owner, owner)
    spent: Counter[str] = Counter()
    for _ in range(rounds):
        owner, work = scheduler.next()
        assert work == owner
        spent[owner] += steps[owner]
        scheduler.stepped(owner, steps[owner], is_over=False)
    return spent


def test_owners_with_short_and_long_steps_get_equal_time():
    spent = served({"short": 1.0, "middle": 20.0, "long": 200.0}, 3000)
    fair = sum(spent.values()) / 3
    assert all(abs(time - fair) < 250 for time in spent.values())


def test_an_owner_who_comes_late_waits_for_one_step_of_each_other_owner_at_most():
    scheduler: Scheduler[int] = Scheduler(20.0)
    for number in range(100):
        scheduler.add("many", number)
    owner, _ = scheduler.next()
    scheduler.stepped(owner, 20.0, is_over=False)
    scheduler.add("late", 0)
    turns = []
    for _ in range(2):
        owner, _ = scheduler.next()
        scheduler.stepped(owner, 20.0, is_over=False)
        turns.append(owner)
    assert "late" in turns


def test_one_owner_s_work_is_done_in_order():
    scheduler: Scheduler[int] = Scheduler(20.0)
    for number in range(3):
        scheduler.add("me", number)
    order = []
    while scheduler:
        owner, work = scheduler.next()
        order.append(work)
        scheduler.stepped(owner, 50.0, is_over=True)
    assert order == [0, 1, 2]


@pytest.mark.parametrize("elapsed", [0.0, 1.0, 1e6])
def test_what_is_over_is_gone(elapsed):
    scheduler: Scheduler[int] = Scheduler(20.0)
    scheduler.add("a", 1)
    scheduler.add("b", 2)
    assert (len(scheduler), sorted(scheduler)) == (2, [1, 2])
    for _ in range(2):
        owner, _ = scheduler.next()
        scheduler.stepped(owner, elapsed, is_over=True)
    assert not scheduler
