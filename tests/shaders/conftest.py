"""A device for tests of kernels that need no engine."""

from __future__ import annotations

from typing import Any

import pytest
import wgpu

from host import native


@pytest.fixture(scope="module")
def device() -> Any:
    """That of the best adapter; the one instance of this process is as the host wants it, for the tests after these."""
    native.adapters()
    return wgpu.gpu.request_adapter_sync(power_preference="high-performance").request_device_sync()
