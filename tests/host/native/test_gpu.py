"""An open device: what it does, and what it refuses before the driver sees it."""

from __future__ import annotations

import numpy as np
import pytest

from host.errors import BindingMismatch, DeviceOutOfMemory, KernelCompileError
from host.native import Buffer, BufferKind, Clear, Copy, Gpu, Program, Slot

READ, WRITE, UNIFORM = Slot(0, "read"), Slot(1, "read_write"), Slot(2, "uniform")
ADD = """
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> b: array<u32>;
@group(0) @binding(2) var<uniform> n: vec4<u32>;
@compute @workgroup_size(4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  var sum = 0u;
  for (var i = 0u; i < n.x; i++) { sum += a[id.x]; }
  b[id.x] += sum;
}
"""


def _filled(gpu: Gpu, values: list[int], kind: BufferKind = "storage") -> Buffer:
    buffer = gpu.create_buffer(4 * len(values), kind)
    gpu.write(buffer, 0, np.array(values, np.uint32).tobytes())
    return buffer


def _values(gpu: Gpu, buffer: Buffer) -> list[int]:
    staging = gpu.create_buffer(buffer.size, "download")
    gpu.submit([Copy(buffer, 0, staging, 0, buffer.size)])
    with gpu.map(staging, buffer.size) as view:
        return np.frombuffer(bytes(view), np.uint32).tolist()


@pytest.mark.parametrize("trusted", [False, True])
def test_commands_run_in_order_and_runs_can_be_repeated(gpu: Gpu, trusted: bool) -> None:
    pipeline = gpu.compile(Program(ADD, "main", ((READ, WRITE, UNIFORM),), trusted))
    a, b, n = _filled(gpu, [1, 2, 3, 4]), _filled(gpu, [9] * 4), _filled(gpu, [2, 0, 0, 0], "uniform")
    run = gpu.run(pipeline, [[(a, 0, 16), (b, 0, 16), (n, 0, 16)]], (1, 1, 1))
    gpu.submit([Clear(b, 0, 16), run, run])
    assert _values(gpu, b) == [4, 8, 12, 16]
    gpu.submit([run])
    assert _values(gpu, b) == [6, 12, 18, 24]


def test_new_buffers_are_zero_and_map_in_place_on_a_cpu_adapter(gpu: Gpu) -> None:
    buffer = gpu.create_buffer(64, "storage")
    assert gpu.mappable
    assert buffer.mappable
    with gpu.map(buffer, 64) as view:
        assert bytes(view) == bytes(64)
        view[:4] = b"abcd"
    with gpu.map(buffer, 4) as view:
        assert bytes(view) == b"abcd"


def test_a_buffer_stays_mapped_until_the_device_is_told_to_do_something(gpu: Gpu) -> None:
    buffer, other = gpu.create_buffer(16, "storage"), gpu.create_buffer(16, "storage")
    view = gpu.view(buffer)
    view[:] = np.array([1, 2, 3, 4], np.uint32).tobytes()
    assert gpu.view(buffer) is view
    gpu.submit([Copy(buffer, 0, other, 0, 16), Clear(buffer, 0, 8)])
    assert np.frombuffer(gpu.view(buffer), np.uint32).tolist() == [0, 0, 3, 4]
    assert gpu.view(buffer) is view
    assert np.frombuffer(gpu.view(other), np.uint32).tolist() == [1, 2, 3, 4]
    gpu.write(buffer, 0, bytes(8) + b"abcdabcd")
    assert _values(gpu, buffer)[:2] == [0, 0]
    gpu.view(buffer)
    gpu.destroy(buffer)
    assert _values(gpu, other) == [1, 2, 3, 4]
    for kind in ("upload", "download"):
        with pytest.raises(ValueError, match="stay mapped"):
            gpu.view(gpu.create_buffer(16, kind))


def test_misuse_that_would_abort_the_process_is_an_exception(gpu: Gpu) -> None:
    buffer, other = gpu.create_buffer(256, "storage"), gpu.create_buffer(256, "uniform")
    staging = gpu.create_buffer(16, "upload")
    pipeline = gpu.compile(Program(ADD, "main", ((READ, WRITE, UNIFORM),)))
    good = [(buffer, 0, 16), (gpu.create_buffer(16, "storage"), 0, 16), (other, 0, 16)]
    for wrong in [
        [(buffer, 0, 0), *good[1:]],
        [(buffer, 0, 6), *good[1:]],
        [(buffer, 4, 16), *good[1:]],
        [(buffer, 0, 512), *good[1:]],
        [(other, 0, 16), *good[1:]],
        [(staging, 0, 16), *good[1:]],
        good[:2],
    ]:
        with pytest.raises(ValueError, match=r"bytes|zip"):
            gpu.run(pipeline, [wrong], (1, 1, 1))
    for workgroups in [(0, 1, 1), (65536, 1, 1)]:
        with pytest.raises(ValueError, match="over"):
            gpu.run(pipeline, [good], workgroups)
    for size in [0, -4, 6]:
        with pytest.raises(ValueError, match="bytes"):
            gpu.create_buffer(size, "storage")
    for size in [0, 6, 512]:
        with pytest.raises(ValueError, match="mapped"), gpu.map(buffer, size):
            pass
    with pytest.raises(ValueError, match="bytes"):
        gpu.write(buffer, 2, b"abcd")
    with pytest.raises(ValueError, match="bytes"):
        gpu.write(buffer, 0, b"")
    with pytest.raises(ValueError, match="copy"):
        gpu.submit([Copy(buffer, 0, buffer, 128, 4)])


def test_a_buffer_over_the_adapters_limit_is_out_of_memory_with_both_sizes(gpu: Gpu) -> None:
    with pytest.raises(DeviceOutOfMemory, match=r"4,294,967,296 bytes.*2,147,483,647"):
        gpu.create_buffer(1 << 32, "storage")


def test_one_buffer_read_and_written_at_once_is_refused(gpu: Gpu) -> None:
    pipeline = gpu.compile(Program(ADD, "main", ((READ, WRITE, UNIFORM),)))
    buffer, n = gpu.create_buffer(16, "storage"), gpu.create_buffer(16, "uniform")
    run = gpu.run(pipeline, [[(buffer, 0, 16), (buffer, 0, 16), (n, 0, 16)]], (1, 1, 1))
    with pytest.raises(BindingMismatch):
        gpu.submit([run])
    gpu.wait()


@pytest.mark.parametrize(
    ("source", "line", "column", "message"),
    [
        ("@compute @workgroup_size(1)\nfn main() {\n  let x = 1 +;\n}\n", 3, 14, "expected expression"),
        ("@compute @workgroup_size(1)\nfn main() {\n  let x = foo(1);\n}\n", 3, 11, "`foo` is not defined"),
        ("fn f() -> u32 { }\n@compute @workgroup_size(1) fn main() { let y = f(); }\n", 1, 1, "return"),
    ],
)
def test_a_compile_error_points_into_the_source(
    gpu: Gpu, source: str, line: int, column: int, message: str
) -> None:
    with pytest.raises(KernelCompileError, match=message) as error:
        gpu.compile(Program(source, "main", ()))
    assert (error.value.line, error.value.column) == (line, column)
    text, caret = (error.value.snippet or "").split("\n")
    assert text == source.splitlines()[line - 1]
    assert caret == " " * (column - 1) + "^"
    assert "naga" not in error.value.message
    assert "wgpu" not in error.value.message


@pytest.mark.parametrize("source", ["", "#version 450\nvoid main() {}", "\0", "@compute fn main() {}"])
def test_text_that_is_no_kernel_is_a_compile_error(gpu: Gpu, source: str) -> None:
    with pytest.raises(KernelCompileError):
        gpu.compile(Program(source, "main", ()))


def test_a_layout_that_lacks_a_binding_is_a_compile_error(gpu: Gpu) -> None:
    with pytest.raises(KernelCompileError, match="not available in the pipeline layout"):
        gpu.compile(Program(ADD, "main", ((READ, WRITE),)))


def test_loops_of_trusted_text_have_no_counter(gpu: Gpu) -> None:
    """Fails when wgpu-py no longer has the private call: our own kernels would be two to four times slower."""
    loop = "@compute @workgroup_size(1) fn main() { for (var i = 0u; i < 9u; i++) { } }"
    assert gpu.compile(Program(loop, "main", (), trusted=True)).raw is not None
