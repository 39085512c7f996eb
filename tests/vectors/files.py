"""The published vectors that tests read, as files of `name = value` lines.

`cavp/` is NIST's (short messages, Monte Carlo chains, known answers of AES and HMAC), `rfc/` the RFCs' and the papers',
`other/` those of the reference implementations of BLAKE3, SipHash and xxHash.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

VECTORS = Path(__file__).parent


def records(path: Path) -> Iterator[dict[str, str]]:
    """The groups of `name = value` lines of a file, each group ended by an empty line."""
    for group in path.read_text().replace("\r", "").split("\n\n"):
        lines = [line.split(" = ", 1) for line in group.splitlines() if " = " in line and line[0] not in "#["]
        if lines:
            yield {name.strip(): value for name, value in lines}
