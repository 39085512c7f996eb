"""Turns among owners: equal time to each, whatever the size of their steps."""

from collections import Counter

import pytest

from host.scheduler import Scheduler


def served(steps: dict[str, float], rounds: int) -> Counter[str]:
    """Milliseconds that each owner had after `rounds` steps, when each step of an owner takes what `steps` says."""
    scheduler: Scheduler[str] = Scheduler()
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


def test_an_owner_who_comes_late_waits_for_the_step_in_hand_alone():
    scheduler: Scheduler[int] = Scheduler()
    for number in range(100):
        scheduler.add("many", number)
    for _ in range(50):
        owner, _ = scheduler.next()
        scheduler.stepped(owner, 7.0, is_over=False)
    owner, _ = scheduler.next()
    scheduler.add("late", 0)
    scheduler.stepped(owner, 7.0, is_over=False)
    assert scheduler.next() == ("late", 0)


def test_what_it_took_to_begin_work_is_paid_for_by_its_owner():
    scheduler: Scheduler[str] = Scheduler()
    scheduler.add("slow", "slow", 100.0)
    scheduler.add("quick", "quick", 1.0)
    spent: Counter[str] = Counter(slow=100, quick=1)
    for _ in range(40):
        owner, _ = scheduler.next()
        spent[owner] += 5
        scheduler.stepped(owner, 5.0, is_over=False)
    assert abs(spent["slow"] - spent["quick"]) <= 10


def test_owners_who_always_come_back_do_not_keep_others_waiting():
    """Each of the two has one short request at a time, and sends the next when that is answered."""
    scheduler: Scheduler[str] = Scheduler()
    scheduler.add("patient", "patient")
    away: list[str] = ["one", "two"]
    spent: Counter[str] = Counter()
    for _ in range(300):
        for owner in away[:1]:
            scheduler.add(owner, owner)
            away.remove(owner)
        owner, _ = scheduler.next()
        spent[owner] += 20
        scheduler.stepped(owner, 20.0, is_over=owner != "patient")
        if owner != "patient":
            away.append(owner)
    assert min(spent.values()) >= 1900


def test_an_owner_of_short_requests_waits_for_one_slice_of_another_each_time():
    scheduler: Scheduler[str] = Scheduler()
    scheduler.add("long", "long")
    waited = []
    for _ in range(100):
        owner, _ = scheduler.next()
        scheduler.add("short", "short")
        slices = 0
        while owner == "long":
            slices += 1
            scheduler.stepped(owner, 20.0, is_over=False)
            owner, _ = scheduler.next()
        scheduler.stepped("short", 1.0, is_over=True)
        waited.append(slices)
    assert max(waited) <= 1


def test_a_debt_is_paid_by_who_leaves_and_comes_back():
    scheduler: Scheduler[str] = Scheduler()
    scheduler.add("steady", "steady")
    scheduler.add("long", "long")
    while scheduler.next()[0] == "steady":
        scheduler.stepped("steady", 20.0, is_over=False)
    scheduler.stepped("long", 2000.0, is_over=True)
    scheduler.next()
    scheduler.add("long", "long")
    turns = 0
    while scheduler.next()[0] == "steady":
        scheduler.stepped("steady", 20.0, is_over=False)
        turns += 1
    assert 95 <= turns <= 105


def test_who_was_away_gets_no_time_for_it():
    scheduler: Scheduler[str] = Scheduler()
    for _ in range(100):
        scheduler.add("busy", "busy")
        owner, _ = scheduler.next()
        scheduler.stepped(owner, 20.0, is_over=True)
    scheduler.add("away", "away")
    scheduler.add("busy", "busy")
    turns = []
    for _ in range(10):
        owner, _ = scheduler.next()
        scheduler.stepped(owner, 20.0, is_over=False)
        turns.append(owner)
    assert abs(turns.count("away") - turns.count("busy")) <= 2


def test_no_account_is_kept_of_those_who_are_gone():
    scheduler: Scheduler[int] = Scheduler()
    scheduler.add("busy", 0)
    for number in range(1000):
        scheduler.add(f"owner {number}", number)
        while (turn := scheduler.next())[0] == "busy":
            scheduler.stepped("busy", 20.0, is_over=False)
        scheduler.stepped(turn[0], 1.0, is_over=True)
    for _ in range(10):
        scheduler.stepped(scheduler.next()[0], 20.0, is_over=False)
    assert list(scheduler._credit) == ["busy"]


def test_one_owner_s_work_is_done_in_order():
    scheduler: Scheduler[int] = Scheduler()
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
    scheduler: Scheduler[int] = Scheduler()
    scheduler.add("a", 1)
    scheduler.add("b", 2)
    assert (len(scheduler), sorted(scheduler)) == (2, [1, 2])
    for _ in range(2):
        owner, _ = scheduler.next()
        scheduler.stepped(owner, elapsed, is_over=True)
    assert not scheduler


def test_work_that_is_taken_out_leaves_the_others_turns_as_they_were():
    scheduler: Scheduler[int] = Scheduler()
    for owner, work in (("one", 1), ("one", 2), ("two", 3), ("one", 4), ("three", 5)):
        scheduler.add(owner, work)
    assert scheduler.take_out(lambda work: work in (1, 4, 5)) == [1, 4, 5]
    assert scheduler.take_out(lambda work: work == 1) == []
    served = []
    while scheduler:
        owner, work = scheduler.next()
        served.append((owner, work))
        scheduler.stepped(owner, 7.0, is_over=True)
    assert served == [("one", 2), ("two", 3)]
    scheduler.add("one", 6)
    assert scheduler.take_out(lambda work: True) == [6]
    assert not scheduler
