"""SHA-256 of a million short messages that are on the device already, against a hashlib loop on one core.

Run as `python bench/hashing.py`; it starts its own server on a free port.
"""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path

import numpy as np
import timing

from kernelgate import Tensor
from kernelgate.local import LocalServer

MESSAGES, LENGTH, ROUNDS = 1_000_000, 32, 7


def main() -> None:
    """Check every digest once, then measure, and print a table."""
    text = np.random.default_rng(1).bytes(MESSAGES * LENGTH)
    messages = [text[start : start + LENGTH] for start in range(0, len(text), LENGTH)]

    def with_hashlib() -> list[bytes]:
        return [hashlib.sha256(message).digest() for message in messages]

    with (
        tempfile.TemporaryDirectory() as folder,
        LocalServer(Path(folder)) as server,
        server.client() as client,
    ):
        words = client.upload(np.frombuffer(text, np.uint32))
        offsets = client.upload(np.arange(MESSAGES + 1, dtype=np.uint32) * np.uint32(LENGTH))

        def hashed() -> Tensor:
            return client.op("hash.sha256", words, offsets, max_bytes=LENGTH)

        def on_device() -> None:
            client.delete_tensor(hashed())

        assert client.download(hashed()).astype(">u4").tobytes() == b"".join(with_hashlib())
        times = timing.interleave({"device": on_device, "hashlib": with_hashlib}, ROUNDS)
        name = client.device().get("name", "?")

    device, host = timing.median(times["device"]), timing.median(times["hashlib"])
    figure = f"{MESSAGES / device / 1e6:.1f} M/s, {host / device:.1f} times hashlib ({MESSAGES / host / 1e6:.1f} M/s)"
    timing.header()
    timing.row(
        f"SHA-256 of 1 M messages of {LENGTH} bytes on {name}", figure, ">= 10 times", host / device >= 10
    )


if __name__ == "__main__":
    main()
