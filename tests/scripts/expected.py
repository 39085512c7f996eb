"""Writes what plain CPython prints for each script here, as `NAME.out` beside `NAME.py`.

The few scripts that import `torch` are left out: what they must print is written by hand.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def main() -> None:
    """Write every file anew."""
    for script in sorted(HERE.glob("[0-9]*.py")):
        if "torch" in script.read_text():
            continue
        done = subprocess.run(
            [sys.executable, "-I", script.name], cwd=HERE, capture_output=True, text=True, timeout=60, check=True
        )
        script.with_suffix(".out").write_text(done.stdout)


if __name__ == "__main__":
    main()
