"""What a device process may know of ours: where libraries and drivers are, and no secret.

Owns the names of the variables that are passed on, and those that are set. Must not know processes.
"""

from __future__ import annotations

import os
from pathlib import Path

_PASSED = (
    "PATH",
    "HOME",
    "LANG",
    "TMPDIR",
    "LD_LIBRARY_PATH",
    "VIRTUAL_ENV",
    "XDG_DATA_DIRS",
    "XDG_CONFIG_DIRS",
)
_PASSED_PREFIXES = ("LC_", "VK_", "LP_", "MESA_", "GALLIUM_", "NVIDIA_", "CUDA_", "OPENBLAS_", "OMP_")
_OURS = {  # no layer that asks for a screen, no shader of a stranger's in the home folder, no threads of BLAS's own
    "NODEVICE_SELECT": "1",
    "MESA_SHADER_CACHE_DISABLE": "true",
    "__GL_SHADER_DISK_CACHE": "0",
    "OPENBLAS_NUM_THREADS": "1",
}


def child_environment() -> dict[str, str]:
    """The environment of a device process."""
    kept = {k: v for k, v in os.environ.items() if k in _PASSED or k.startswith(_PASSED_PREFIXES)}
    path = [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    return {**kept, "PYTHONPATH": os.pathsep.join(filter(None, path)), **_OURS}
