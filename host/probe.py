"""`python -m host.probe`: print every adapter of this machine as JSON, the best first.

Owns nothing but that; `host/doctor.py` reads it.
"""

from __future__ import annotations

import sys

import msgspec

from host import native
from host.adapters import ranked


def main() -> None:
    """Print the list to standard output."""
    found = [adapter.info for adapter in ranked(native.adapters())]
    sys.stdout.buffer.write(msgspec.json.encode(found))


if __name__ == "__main__":
    main()
