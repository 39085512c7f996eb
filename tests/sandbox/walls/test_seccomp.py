"""The filter, on both architectures: run by an interpreter of BPF and compared with the policy, call by call."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.walls.numbers import NUMBERS, Architecture, number
from sandbox.walls.seccomp import ALLOW, AUDIT_ARCHITECTURE, ERRNO, KILL, assemble
from sandbox.walls.syscalls import WORKER, Condition, Policy
from tests.sandbox.walls import bpf

ARCHITECTURES: tuple[Architecture, ...] = ("x86_64", "aarch64")
PROGRAMS = {machine: assemble(WORKER, machine) for machine in ARCHITECTURES}
HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
EPERM = ERRNO | errno.EPERM
I386, ARM = 0x4000_0003, 0x4000_0028

Arguments = list[tuple[int, ...]]
CASES: dict[str, tuple[Arguments, Arguments]] = {
    # call: (arguments that pass, arguments that do not)
    "mmap": ([(0, 4096, 3, 0x22, -1, 0), (0, 4096, 0, 0x4022, -1, 0)],
             [(0, 4096, 7, 0x22, -1, 0), (0, 4096, 4, 0x22), (0, 4096, 1, 2, 3, 0), (0, 1 << 21, 3, 0x4_0022)]),
    "mprotect": ([(0, 1, 3), (0, 1, 0)], [(0, 1, 4), (0, 1, 7)]),
    "madvise": ([(0, 1, 4), (0, 1, 8)], [(0, 1, 12), (0, 1, 100)]),
    "sendto": ([(3, 1, 1, 0x4000, 0, 0)], [(3, 1, 1, 0, 1, 110), (3, 1, 1, 0, 1 << 32, 110)]),
    "socketpair": ([(1, 1, 0), (1, 0x8_0801, 0)], [(1, 2, 0), (1, 5, 0), (16, 1, 0), (2, 1, 0), (1, 1, 7)]),
    "fcntl": ([(3, 1), (3, 4)], [(3, 0), (3, 5), (3, 8), (3, 1030)]),
    "ioctl": ([(3, 0x5421)], [(3, 0x5412), (3, 0x5401)]),
    "futex": ([(0, 0x189), (0, 0x80), (0, 0x81), (0, 1)], [(0, 6), (0, 0x86), (0, 12), (0, 4)]),
    "setitimer": ([(0, 1, 0)], [(1, 1, 0), (2, 1, 0)]),
    "clock_gettime": ([(0,), (1,), (3,), (11,)], [((~5 << 3) | 2,), (-6,), (16,)]),
    "clock_nanosleep": ([(1, 1)], [((~5 << 3) | 2, 1)]),
    "sched_getaffinity": ([(0, 8)], [(1, 8), (4242, 8)]),
}  # fmt: skip


def verdict(machine: Architecture, name: str, arguments: tuple[int, ...] = ()) -> int:
    nr = number(name, machine)
    assert nr is not None
    return bpf.run(PROGRAMS[machine], nr, AUDIT_ARCHITECTURE[machine], arguments)


def present(machine: Architecture, names: Iterable[str]) -> list[str]:
    return [name for name in names if number(name, machine) is not None]


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_every_call_that_is_allowed_without_condition_passes(machine: Architecture) -> None:
    free = [name for name, conditions in WORKER.allow.items() if not conditions]
    assert {verdict(machine, name) for name in present(machine, free)} == {ALLOW}


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_every_hostile_call_kills(machine: Architecture) -> None:
    assert {verdict(machine, name) for name in present(machine, WORKER.kill)} == {KILL}


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_clone3_is_absent(machine: Architecture) -> None:
    assert verdict(machine, "clone3") == ERRNO | errno.ENOSYS


def test_every_condition_is_tried() -> None:
    assert {name for name, conditions in WORKER.allow.items() if conditions} - CASES.keys() == {
        "clock_getres"
    }


@pytest.mark.parametrize("machine", ARCHITECTURES)
@pytest.mark.parametrize("name", CASES)
def test_a_condition_lets_through_what_python_does_and_nothing_near_it(
    machine: Architecture, name: str
) -> None:
    passing, refused = CASES[name]
    assert {verdict(machine, name, arguments) for arguments in passing} == {ALLOW}
    assert {verdict(machine, name, arguments) for arguments in refused} == {EPERM}


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_every_number_that_the_policy_does_not_name_is_refused(machine: Architecture) -> None:
    named = {number(name, machine) for name in (*WORKER.allow, *WORKER.kill, *WORKER.absent)}
    others = set(range(1024)) - named
    assert {bpf.run(PROGRAMS[machine], nr, AUDIT_ARCHITECTURE[machine]) for nr in others} == {EPERM}


@pytest.mark.parametrize("machine", ARCHITECTURES)
@given(nr=st.integers(0, 2**32 - 1))
def test_any_number_by_another_door_kills(machine: Architecture, nr: int) -> None:
    for door in {I386, ARM, *AUDIT_ARCHITECTURE.values()} - {AUDIT_ARCHITECTURE[machine]}:
        assert bpf.run(PROGRAMS[machine], nr, door) == KILL


@given(nr=st.integers(0x4000_0000, 2**32 - 1))
def test_any_x32_number_kills(nr: int) -> None:
    assert bpf.run(PROGRAMS["x86_64"], nr, AUDIT_ARCHITECTURE["x86_64"]) == KILL


words = st.integers(0, 2**64 - 1)
conditions = st.builds(
    lambda argument, mask, values: Condition(argument, mask, tuple({value & mask for value in values})),
    st.integers(0, 5), st.integers(0, 2**32 - 1), st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=5),
)  # fmt: skip


@given(
    rules=st.dictionaries(
        st.sampled_from(sorted(NUMBERS)), st.lists(conditions, max_size=3).map(tuple), max_size=20
    ),
    arguments=st.lists(words, min_size=6, max_size=6),
    machine=st.sampled_from(ARCHITECTURES),
)
def test_any_policy_is_assembled_as_it_reads(
    rules: dict[str, tuple[Condition, ...]], arguments: list[int], machine: Architecture
) -> None:
    killed = tuple(name for name in ("read", "ptrace", "bpf") if name not in rules)
    program = assemble(Policy(allow=rules, kill=killed, default=errno.ENOTTY), machine)
    for name in NUMBERS:
        nr = number(name, machine)
        if nr is None:
            continue
        if name in rules:
            holds = all(arguments[c.argument] & c.mask in c.values for c in rules[name])
            expected = ALLOW if holds else EPERM
        else:
            expected = KILL if name in killed else ERRNO | errno.ENOTTY
        assert bpf.run(program, nr, AUDIT_ARCHITECTURE[machine], arguments) == expected


@given(argument=words)
def test_a_condition_on_a_pointer_looks_at_both_words(argument: int) -> None:
    program = assemble(Policy(allow={"read": (Condition(1, 2**64 - 1, (0,)),)}), "x86_64")
    expected = ALLOW if argument == 0 else EPERM
    assert bpf.run(program, 0, AUDIT_ARCHITECTURE["x86_64"], (0, argument)) == expected


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_the_numbers_are_those_of_the_kernels_headers(machine: Architecture) -> None:
    header = HEADERS[machine]
    if not header.exists():
        pytest.skip(f"{header} is not installed")
    text = header.read_text()
    lines = re.findall(r"^#define\s+__NR(?:3264)?_(\w+)\s+(\d+)$", text, re.MULTILINE)
    official = {name: int(nr) for name, nr in lines}
    aliases = re.findall(r"^#define\s+__NR_(\w+)\s+__NR3264_(\w+)$", text, re.MULTILINE)
    official |= {name: official[generic] for name, generic in aliases if generic in official}
    ours = {name: number(name, machine) for name in NUMBERS}
    assert ours == {name: official.get(name) for name in NUMBERS}


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_the_program_is_short_enough_for_the_kernel(machine: Architecture) -> None:
    assert len(PROGRAMS[machine]) // 8 < 1024
