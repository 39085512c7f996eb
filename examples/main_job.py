"""The main job, through REST only: hash a text with a WGSL kernel, and run a classifier over real digits.

`scripts/run` calls it. Exits with status 0 only if every result was right.
"""

import hashlib
import sys
import time
from pathlib import Path

import numpy as np

from kernelgate import Client, output

HERE = Path(__file__).parent
TEXT = HERE.parent / "LICENSE"


def hash_lines(client: Client) -> tuple[bool, str]:
    """Hash every line of the licence on the device and compare with hashlib."""
    client.add_kernel("sha256-lines", (HERE / "sha256.wgsl").read_text())
    lines = TEXT.read_bytes().splitlines()
    text = b"".join(lines)
    messages = np.frombuffer(text + bytes(-len(text) % 4), np.uint32)
    offsets = np.cumsum([0, *map(len, lines)], dtype=np.uint32)
    answer = client.dispatch(
        "sha256-lines",
        {"messages": messages, "offsets": offsets, "digests": output([len(lines), 8], "u32")},
        workgroups=[-(-len(lines) // 64)],
    )
    digests = [row.astype(">u4").tobytes() for row in client.download(answer["digests"])]
    right = sum(digest == hashlib.sha256(line).digest() for digest, line in zip(digests, lines, strict=True))
    return right == len(lines), f"SHA-256 of {len(lines)} lines of {TEXT.name}: {right} agree with hashlib"


def classify_digits(client: Client) -> tuple[bool, str]:
    """Upload digits and weights, send the model as a script, and look at its accuracy."""
    digits = np.load(HERE / "digits.npz")
    arrays = {
        "images": digits["test_images"],
        "labels": digits["test_labels"],
        **np.load(HERE / "digits_weights.npz"),
    }
    tensors = {name: client.upload(array) for name, array in arrays.items()}
    answer = client.run((HERE / "digits_model.py").read_text(), tensors).result
    text = f"{answer['right']} of {answer['of']} digits recognised: accuracy {answer['accuracy']:.1%}"
    return answer["accuracy"] > 0.95, text


def main() -> int:
    """Do both jobs, print how long each took, and return the exit status."""
    status = 0
    with Client() as client:
        for job in (hash_lines, classify_digits):
            start = time.perf_counter()
            right, text = job(client)
            print(f"{'ok   ' if right else 'WRONG'} {text} ({(time.perf_counter() - start) * 1000:.0f} ms)")
            status |= not right
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
