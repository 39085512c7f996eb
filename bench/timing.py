"""Timing that survives a noisy machine: contenders take turns, and medians are compared.

Owns measuring and printing only. Figures are in seconds until they are printed.
"""

from __future__ import annotations

import resource
import statistics
import time
from collections.abc import Callable, Mapping


def interleave(
    contenders: Mapping[str, Callable[[], object]],
    rounds: int,
    warm: int = 2,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, list[float]]:
    """Seconds of each contender in each of `rounds` rounds, in which all take turns; `warm` rounds do not count."""
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for turn in range(-warm, rounds):
        for name, contender in contenders.items():
            start = clock()
            contender()
            if turn >= 0:
                times[name].append(clock() - start)
    return times


def processor() -> float:
    """Seconds of processors that all threads of this process, the driver's too, have had: a clock for busy machines."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def median(times: list[float]) -> float:
    """The median of `times`."""
    return statistics.median(times)


def ratio(times: Mapping[str, list[float]], one: str, other: str) -> float:
    """How many times as long `one` takes as `other`: the median over rounds, since a round sees one machine."""
    return statistics.median(a / b for a, b in zip(times[one], times[other], strict=True))


def percentile(times: list[float], share: float) -> float:
    """The time that `share` (0 to 1) of `times` stay under."""
    return sorted(times)[min(len(times) - 1, int(share * len(times)))]


def row(what: str, figure: str, target: str, met: bool) -> None:
    """Print one line of a result table; without a `target` there is nothing to meet."""
    verdict = ("yes" if met else "NO") if target else ""
    print(f"| {what} | {figure} | {target} | {verdict} |", flush=True)


def header() -> None:
    """Print the head of a result table."""
    print("| what | measured | target | met |\n|---|---|---|---|", flush=True)
