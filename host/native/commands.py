"""What a device is told to do, and how that is written into a command buffer.

Owns the commands and their encoding, dispatches that follow each other in one pass. Must not know pipelines' bindings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from host.native.objects import Buffer, Pipeline
from host.native.private import ffi, lib, libf
from host.native.stopwatch import Stopwatch


class Run:
    """A dispatch that is ready to be encoded, any number of times: a bind group for each group of its pipeline."""

    __slots__ = ("groups", "ids", "pipeline", "workgroups")

    def __init__(self, pipeline: Pipeline, groups: Sequence[Any], workgroups: tuple[int, int, int]) -> None:
        self.pipeline, self.groups, self.workgroups = pipeline, tuple(groups), workgroups
        self.ids = tuple(group._internal for group in groups)


@dataclass(frozen=True, slots=True)
class Clear:
    """Set bytes to zero."""

    buffer: Buffer
    offset: int
    size: int


@dataclass(frozen=True, slots=True)
class Copy:
    """Copy bytes between different buffers."""

    source: Buffer
    source_offset: int
    target: Buffer
    target_offset: int
    size: int


class Stamp:
    """Put the times at which the run before began and ended into `Gpu.stopwatch.stamps`."""


Command = Clear | Copy | Run | Stamp


def encode(encoder: Any, commands: Sequence[Command], stopwatch: Stopwatch | None) -> None:
    """Put `commands` into a raw `encoder`; there is a `stopwatch` for each `Stamp`."""
    position = 0
    while position < len(commands):
        command = commands[position]
        end = position + 1
        if isinstance(command, Run):
            runs = _runs(commands, position)
            end = position + len(runs)
            is_timed = end < len(commands) and isinstance(commands[end], Stamp)
            _encode_pass(encoder, runs, stopwatch if is_timed else None)
        elif isinstance(command, Stamp):
            assert stopwatch is not None
            stopwatch.encode(encoder)
        elif isinstance(command, Clear):
            raw = command.buffer.raw._internal
            libf.wgpuCommandEncoderClearBuffer(encoder, raw, command.offset, command.size)
        else:
            _encode_copy(encoder, command)
        position = end


def _runs(commands: Sequence[Command], begin: int) -> list[Run]:
    """The runs that follow each other in `commands` from `begin` on."""
    runs = []
    for command in commands[begin:]:
        if not isinstance(command, Run):
            break
        runs.append(command)
    return runs


def _encode_pass(encoder: Any, runs: Sequence[Run], stopwatch: Stopwatch | None) -> None:
    """The inner loop of every replay: each look-up in it is a share of what a small dispatch costs."""
    null = ffi.NULL
    raw = lib.wgpuCommandEncoderBeginComputePass(encoder, null if stopwatch is None else stopwatch.timed_pass)
    set_pipeline = lib.wgpuComputePassEncoderSetPipeline
    set_group = lib.wgpuComputePassEncoderSetBindGroup
    dispatch = lib.wgpuComputePassEncoderDispatchWorkgroups
    current = None
    for run in runs:
        pipeline = run.pipeline
        if pipeline is not current:
            current = pipeline
            set_pipeline(raw, pipeline.raw._internal)
        index = 0
        for group in run.ids:
            set_group(raw, index, group, 0, null)
            index += 1  # noqa: SIM113 - enumerate costs more
        x, y, z = run.workgroups
        dispatch(raw, x, y, z)
    lib.wgpuComputePassEncoderEnd(raw)  # what is wrong shows when the encoder is finished
    lib.wgpuComputePassEncoderRelease(raw)


def _encode_copy(encoder: Any, copy: Copy) -> None:
    if copy.source is copy.target or copy.size <= 0 or copy.size % 4:
        raise ValueError(f"a copy of {copy.size} bytes")
    source, target = copy.source.raw._internal, copy.target.raw._internal
    libf.wgpuCommandEncoderCopyBufferToBuffer(
        encoder, source, copy.source_offset, target, copy.target_offset, copy.size
    )
