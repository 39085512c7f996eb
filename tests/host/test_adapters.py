"""Which adapter is chosen."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from host.adapters import choose, ranked
from host.doctor import adapters
from host.errors import AdapterNotFound
from host.frames import DeviceInfo


@dataclass(frozen=True)
class Fake:
    info: DeviceInfo


def _fake(name: str, kind: str, backend: str = "Vulkan") -> Fake:
    return Fake(DeviceInfo(name, kind, backend, "some driver 1.0", (), {}))


LLVMPIPE, INTEL, VIRTUAL = (
    _fake("llvmpipe", "cpu"),
    _fake("Intel Iris", "integrated"),
    _fake("virtio", "virtual"),
)
NVIDIA, NVIDIA_GL = _fake("NVIDIA H200", "discrete"), _fake("NVIDIA H200", "discrete", "OpenGL")
ALL = [LLVMPIPE, NVIDIA_GL, VIRTUAL, INTEL, NVIDIA]


def test_adapters_are_ordered_by_class_and_opengl_is_left_out() -> None:
    assert ranked(ALL) == [NVIDIA, INTEL, VIRTUAL, LLVMPIPE]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (None, NVIDIA),
        ("", NVIDIA),
        ("cpu", LLVMPIPE),
        ("integrated", INTEL),
        ("iris", INTEL),
        ("h200", NVIDIA),
        ("LLVM", LLVMPIPE),
    ],
)
def test_an_adapter_is_chosen_by_class_or_by_a_part_of_its_name(wanted: str | None, expected: Fake) -> None:
    assert choose(ALL, wanted) is expected


def test_what_does_not_exist_is_refused_with_what_does() -> None:
    with pytest.raises(AdapterNotFound, match=r"'radeon'.*NVIDIA H200 \(discrete\), Intel Iris"):
        choose(ALL, "radeon")
    with pytest.raises(AdapterNotFound, match="no graphics adapter"):
        choose([NVIDIA_GL], None)


def test_the_doctor_lists_this_machines_adapters_with_limits_and_features() -> None:
    found = adapters()
    assert found
    assert all(info.backend != "OpenGL" and info.limits["max_buffer_size"] > 0 for info in found)


def test_the_doctor_survives_a_search_that_hangs() -> None:
    with pytest.raises(Exception, match="did not end within"):
        adapters(timeout_s=0.0)
