"""What the guard costs: guarded against unguarded kernels, on the same device and by turns.

Run as `python bench/guard.py [adapter]`. Unguarded is the kernel's own text, the counter that the compiler puts into
each loop left out as well, so that the ratio is the guard's alone; with that counter is shown beside it.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import timing

from host import adapters, native
from host.kernels import groups_of, guard_of
from host.native import Buffer, Gpu, Program, Range, Run, Slot
from shaders.guard.budget import Kind, priced, turns_budget
from shaders.guard.names import GROUP, PARAMETERS_BYTES, REPORT_BYTES
from shaders.reflect import reflect
from shaders.reflection import Reflection

ROUNDS = 25
EXAMPLES = Path(__file__).parents[1] / "examples"
Size = tuple[int, int, int]

MATMUL = """struct Sizes { rows: u32, columns: u32, inner: u32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> sizes: Sizes;
var<workgroup> left: array<array<f32, 16>, 16>;
var<workgroup> right: array<array<f32, 16>, 16>;
@compute @workgroup_size(16, 16)
fn main(@builtin(local_invocation_id) l: vec3<u32>, @builtin(global_invocation_id) g: vec3<u32>) {
    var sum = 0.0;
    for (var tile = 0u; tile < sizes.inner / 16u; tile++) {
        left[l.y][l.x] = a[g.y * sizes.inner + tile * 16u + l.x];
        right[l.y][l.x] = b[(tile * 16u + l.y) * sizes.columns + g.x];
        workgroupBarrier();
        for (var k = 0u; k < 16u; k++) { sum += left[l.y][k] * right[k][l.x]; }
        workgroupBarrier();
    }
    c[g.y * sizes.columns + g.x] = sum;
}
"""
NAIVE = """struct Sizes { rows: u32, columns: u32, inner: u32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> sizes: Sizes;
@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) g: vec3<u32>) {
    var sum = 0.0;
    for (var k = 0u; k < sizes.inner; k++) { sum += a[g.y * sizes.inner + k] * b[k * sizes.columns + g.x]; }
    c[g.y * sizes.columns + g.x] = sum;
}
"""
TRIVIAL = """@group(0) @binding(0) var<storage, read_write> c: array<u32>;
@group(0) @binding(1) var<uniform> turns: vec4<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) g: vec3<u32>) {
    var x = g.x;
    for (var i = 0u; i < turns.x; i++) { x = x * 1664525u + 1013904223u; }
    c[g.x] = x;
}
"""


class Contest:
    """One kernel three ways over the same buffers: guarded, unguarded, and with the compiler's own counter."""

    def __init__(self, gpu: Gpu, source: str, data: dict[str, bytes], workgroups: Size, repeat: int) -> None:
        self._gpu, self._repeat = gpu, repeat
        kernel = reflect(source)
        self._buffers = {name: _buffer(gpu, kernel, name, content) for name, content in data.items()}
        self.ways: dict[str, Callable[[], object]] = {
            "guarded": self._way(self._guarded(kernel, workgroups)),
            "unguarded": self._way(self._plain(kernel, workgroups, trusted=True)),
            "with naga's counter": self._way(self._plain(kernel, workgroups, trusted=False)),
        }

    def _way(self, run: Run) -> Callable[[], object]:
        def act() -> None:
            self._gpu.submit([run] * self._repeat)
            self._gpu.wait()

        return act

    def _plain(self, kernel: Reflection, workgroups: Size, trusted: bool) -> Run:
        slots, ranges = self._bound(kernel)
        pipeline = self._gpu.compile(Program(kernel.source, "main", tuple(slots), trusted))
        return self._gpu.run(pipeline, ranges, workgroups)

    def _guarded(self, kernel: Reflection, workgroups: Size) -> Run:
        kind: Kind = "turns" if "llvmpipe" in self._gpu.info.name else "fuel"
        guard = guard_of(kernel)
        budget = turns_budget(guard, "main") if kind == "turns" else (1 << 32) - 1
        parameters = self._gpu.create_buffer(PARAMETERS_BYTES, "uniform")
        report = self._gpu.create_buffer(REPORT_BYTES, "storage")
        self._gpu.write(parameters, 0, struct.pack("<8I", 0, 0, 0, budget, *workgroups, 0))
        slots, ranges = self._bound(kernel)
        slots += [()] * (GROUP - len(slots)) + [(Slot(0, "uniform"), Slot(1, "read_write"))]
        host: list[Range] = [(parameters, 0, PARAMETERS_BYTES), (report, 0, REPORT_BYTES)]
        ranges += [[]] * (GROUP - len(ranges)) + [host]
        program = Program(priced(guard, kind), "main", tuple(slots), True)
        return self._gpu.run(self._gpu.compile(program), ranges, workgroups)

    def _bound(self, kernel: Reflection) -> tuple[list[tuple[Slot, ...]], list[Sequence[Range]]]:
        groups = groups_of(kernel, kernel.entry_points[0])
        slots = [
            tuple(Slot(info.binding, "uniform" if info.kind == "uniform" else info.access) for info in group)
            for group in groups
        ]
        return slots, [[_whole(self._buffers[info.name]) for info in group] for group in groups]


def _buffer(gpu: Gpu, kernel: Reflection, name: str, content: bytes) -> Buffer:
    kind = next(info.kind for info in kernel.bindings if info.name == name)
    buffer = gpu.create_buffer(len(content), kind)
    gpu.write(buffer, 0, content)
    return buffer


def _whole(buffer: Buffer) -> Range:
    return buffer, 0, buffer.size


def contests(gpu: Gpu) -> dict[str, Contest]:
    """The kernels, sized so that a round takes some tens of milliseconds on the device."""
    is_cpu = gpu.info.kind == "cpu"
    n, repeat = (256, 1) if is_cpu else (2048, 4)
    numbers = np.random.default_rng(0).random(n * n, dtype=np.float32).tobytes()
    sizes = struct.pack("<4I", n, n, n, 0)
    matrices = {"a": numbers, "b": numbers, "c": bytes(4 * n * n), "sizes": sizes}
    count = 1 << (14 if is_cpu else 20)
    messages = np.random.default_rng(1).integers(0, 1 << 32, count * 16, dtype=np.uint32).tobytes()
    hashing = {
        "messages": messages,
        "offsets": (np.arange(count + 1, dtype=np.uint32) * np.uint32(64)).tobytes(),
        "digests": bytes(32 * count),
    }
    invocations = 1 << (11 if is_cpu else 18)
    loop = {"c": bytes(4 * invocations), "turns": struct.pack("<4I", 20_000, 0, 0, 0)}
    return {
        f"tiled matmul {n}": Contest(gpu, MATMUL, matrices, (n // 16, n // 16, 1), repeat),
        f"naive matmul {n}": Contest(gpu, NAIVE, matrices, (n // 16, n // 16, 1), repeat),
        f"SHA-256 of {count} messages": Contest(
            gpu, (EXAMPLES / "sha256.wgsl").read_text(), hashing, (count // 64, 1, 1), repeat
        ),
        "trivial loop": Contest(gpu, TRIVIAL, loop, (invocations // 64, 1, 1), repeat),
    }


def main(argv: list[str]) -> None:
    """Measure and print a table."""
    gpu = adapters.choose(native.adapters(), argv[0] if argv else None).open()
    timing.header()
    for name, contest in contests(gpu).items():
        times = {way: timing.median(all_) for way, all_ in timing.interleave(contest.ways, ROUNDS).items()}
        ratio = times["guarded"] / times["unguarded"]
        counted = times["with naga's counter"] / times["unguarded"]
        most = 1.05 if name == "trivial loop" else 1.03
        figure = f"{ratio:.3f} ({times['guarded'] * 1e3:.1f} ms; with naga's counter {counted:.3f})"
        timing.row(f"{name} on {gpu.info.name}: guarded / unguarded", figure, f"<= {most}", ratio <= most)
    gpu.close()


if __name__ == "__main__":
    main(sys.argv[1:])
