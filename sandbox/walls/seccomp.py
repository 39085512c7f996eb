"""The filter of system calls: from a `Policy` to the kernel's BPF, and into force.

Owns the encoding. Must not know which calls are good (`syscalls.py`). No libseccomp: the program is a few hundred
instructions of six kinds.

The shape of a program. First the architecture: a process may enter the kernel by another door (`int 0x80`, a 32-bit
segment) where the numbers mean other calls; that kills. Then the x32 door of x86-64, which shares the architecture
and sets bit 30 of the number; that kills too. Then a search by halves for the number, whose leaves hold one block for
each call that the policy names, each ended by a verdict, so that no block depends on what another left in the
accumulator; a leaf ends with the default. (The kernel runs a new filter once for every number there is: the search
makes that ten times as quick as a list.) Arguments are 64 bits wide and the machine 32: a condition looks at the low
word, and at the high word when its mask reaches there. Where the kernel itself takes an `int`, it looks at the low word
alone as well.
"""

from __future__ import annotations

import ctypes
import errno
import struct

from sandbox.walls import linux
from sandbox.walls.numbers import Architecture, number
from sandbox.walls.syscalls import Condition, Policy

KILL = 0x8000_0000
ALLOW = 0x7FFF_0000
ERRNO = 0x0005_0000

AUDIT_ARCHITECTURE: dict[Architecture, int] = {"x86_64": 0xC000_003E, "aarch64": 0xC000_00B7}
X32_BIT = 0x4000_0000

_LOAD, _AND, _JUMP, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x54, 0x05, 0x15, 0x35, 0x06
_LEAF = 4  # numbers that are compared one by one
_NR, _ARCH, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
_WORD = 0xFFFF_FFFF

_SET_MODE_FILTER, _GET_ACTION_AVAIL = 1, 2
_TSYNC = 1

Instruction = tuple[int, int, int, int]  # code, jump if true, jump if false, k


def _load(offset: int) -> Instruction:
    return (_LOAD, 0, 0, offset)


def _verdict(value: int) -> Instruction:
    return (_RETURN, 0, 0, value)


def _refuse(code: int) -> Instruction:
    return _verdict(ERRNO | code)


def _word_check(offset: int, mask: int, values: list[int]) -> list[Instruction]:
    """Go on if the word at `offset`, masked, is one of `values`; else refuse with EPERM."""
    block = [_load(offset)]
    if mask != _WORD:
        block.append((_AND, 0, 0, mask))
    for position, value in enumerate(values):
        block.append((_EQUAL, len(values) - position, 0, value))
    return [*block, _refuse(errno.EPERM)]


def _check(condition: Condition) -> list[Instruction]:
    offset = _ARGUMENTS + 8 * condition.argument
    block = _word_check(offset, condition.mask & _WORD, [value & _WORD for value in condition.values])
    if high := condition.mask >> 32:
        (wanted,) = {value >> 32 for value in condition.values}
        block += _word_check(offset + 4, high, [wanted])
    return block


def _bodies(policy: Policy, machine: Architecture) -> list[tuple[int, list[Instruction]]]:
    """What to do for each number that `policy` names and `machine` has, sorted by number."""
    bodies: dict[str, list[Instruction]] = {}
    for name, conditions in policy.allow.items():
        checks = [step for condition in conditions for step in _check(condition)]
        bodies[name] = [*checks, _verdict(ALLOW)]
    bodies |= {name: [_refuse(errno.ENOSYS)] for name in policy.absent}
    bodies |= {name: [_verdict(KILL)] for name in policy.kill}
    numbered = ((number(name, machine), body) for name, body in bodies.items())
    return sorted((nr, body) for nr, body in numbered if nr is not None)


def _search(bodies: list[tuple[int, list[Instruction]]], default: Instruction) -> list[Instruction]:
    """Find the number loaded among `bodies`, sorted, and run its body, which ends in a verdict."""
    if len(bodies) <= _LEAF:
        return [step for nr, body in bodies for step in [(_EQUAL, 0, len(body), nr), *body]] + [default]
    middle = len(bodies) // 2
    lower, upper = _search(bodies[:middle], default), _search(bodies[middle:], default)
    return [(_AT_LEAST, 0, 1, bodies[middle][0]), (_JUMP, 0, 0, len(lower)), *lower, *upper]


def instructions(policy: Policy, machine: Architecture) -> list[Instruction]:
    """The program of `policy` for `machine`. Calls that the machine does not have are left out."""
    program = [_load(_ARCH), (_EQUAL, 1, 0, AUDIT_ARCHITECTURE[machine]), _verdict(KILL), _load(_NR)]
    if machine == "x86_64":
        program += [(_AT_LEAST, 0, 1, X32_BIT), _verdict(KILL)]
    default = _verdict(ALLOW) if policy.default is None else _refuse(policy.default)
    return program + _search(_bodies(policy, machine), default)


def assemble(policy: Policy, machine: Architecture) -> bytes:
    """The program of `policy` as the kernel takes it."""
    return b"".join(struct.pack("=HBBI", *step) for step in instructions(policy, machine))


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_char_p)]


def check_available() -> None:
    """Raise OSError unless the kernel has filters that can kill a process (Linux 4.14)."""
    linux.call("seccomp", _GET_ACTION_AVAIL, 0, struct.pack("=I", KILL))


def as_argument(program: bytes) -> ctypes.Structure:
    """`program` as the system call takes it: `struct sock_fprog`."""
    return _Program(len(program) // 8, program)


def enforce(program: bytes) -> None:
    """Put `program` in force for every thread of this process, for ever. Needs no_new_privs or CAP_SYS_ADMIN."""
    result = linux.call("seccomp", _SET_MODE_FILTER, _TSYNC, as_argument(program))
    if result > 0:
        raise OSError(errno.EBUSY, f"seccomp: thread {result} could not be brought behind the filter")
