"""How many compute shaders of other projects are let through: `python bench/corpus.py FOLDER…`

For every `.wgsl` file in the folders that has a compute stage and no other: whether naga finds it valid as it is,
whether the worker's parser, limits and guard accept it, and whether naga finds what the guard made of it valid. Prints
a row for each folder, then why the valid ones that are refused are. `--valid FILE` names a list of paths that another
judge found valid (Tint knows more of WGSL than naga does), to be taken in place of naga's opinion of the originals.

naga aborts its process on some texts: it judges in a child, which is started again after each of those.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shaders.errors import KernelgateError
from shaders.guard.budget import priced
from shaders.reflect import reflect

STAGE = re.compile(r"@\s*(compute|vertex|fragment)\b")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
DETAIL = re.compile(r"'[^']*'|\d[\d,]*")
QUESTION_S = 60


class Judge:
    """naga, in a process of its own."""

    def __init__(self) -> None:
        self._child = self._start()

    def accepts(self, source: str) -> bool:
        """Whether naga finds `source` valid; what it crashes on is not."""
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.write(json.dumps(source) + "\n")
        self._child.stdin.flush()
        answer = self._child.stdout.readline()
        if not answer:
            self.close()
            self._child = self._start()
        return answer == "true\n"

    def close(self) -> None:
        """End the process."""
        self._child.communicate(timeout=QUESTION_S)

    def _start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, __file__, "--judge"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )


def judge() -> None:
    """The child: a source a line in, `true` or `false` a line out."""
    import wgpu

    adapter = wgpu.gpu.request_adapter_sync()
    device = adapter.request_device_sync(required_features=sorted({"shader-f16"} & set(adapter.features)))
    for line in sys.stdin:
        try:
            device.create_shader_module(code=json.loads(line))
            print("true", flush=True)
        except (wgpu.GPUError, ValueError):
            print("false", flush=True)


@dataclass
class Tally:
    """What came of the shaders of one folder."""

    shaders: int = 0
    valid: int = 0
    accepted: int = 0
    guarded: int = 0
    reasons: Counter[str] = field(default_factory=Counter)


def count(folder: Path, naga: Judge, known: set[Path] | None) -> Tally:
    """Judge each distinct compute shader under `folder`."""
    tally, seen = Tally(), set[str]()
    for path in sorted(filter(Path.is_file, folder.rglob("*.wgsl"))):
        source = path.read_text(errors="replace")
        digest = hashlib.sha256(source.encode()).hexdigest()
        if set(STAGE.findall(COMMENT.sub("", source))) != {"compute"} or digest in seen:
            continue
        seen.add(digest)
        tally.shaders += 1
        if naga.accepts(source) if known is None else path.resolve() in known:
            tally.valid += 1
            _ours(source, naga, tally)
    return tally


def _ours(source: str, naga: Judge, tally: Tally) -> None:
    try:
        guard: Any = reflect(source).guard
    except KernelgateError as error:
        tally.reasons[f"{error.code}: {DETAIL.sub('…', error.message)}"] += 1
        return
    tally.accepted += 1
    tally.guarded += naga.accepts(priced(guard, "fuel"))


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--valid", type=Path)
    parser.add_argument("--judge", action="store_true")
    asked = parser.parse_args()
    if asked.judge:
        return judge()
    known = {Path(line).resolve() for line in asked.valid.read_text().split("\n")} if asked.valid else None
    naga, reasons = Judge(), Counter[str]()
    print("| folder | compute shaders | valid | accepted | valid after the guard |\n|---|---|---|---|---|")
    for folder in asked.folders:
        tally = count(folder, naga, known)
        reasons += tally.reasons
        print(
            f"| {folder.name} | {tally.shaders} | {tally.valid} | {tally.accepted} | {tally.guarded} |",
            flush=True,
        )
    naga.close()
    print("\n| why the rest is refused | shaders |\n|---|---|")
    for reason, number in reasons.most_common():
        print(f"| {reason} | {number} |")
    return None


if __name__ == "__main__":
    main()
