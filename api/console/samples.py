"""What the playground offers to start from, as `samples.toml` lists it.

Owns the reading of that table. Must not know pages.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Literal

import msgspec

from api.console import files


class Sample(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A script or a kernel; `inputs` and `size` are JSON, `file` names tensors that are uploaded as inputs."""

    title: str
    language: Literal["python", "wgsl"]
    text: str
    inputs: str = "{}"
    size: str = "{}"
    file: str | None = None


def _read() -> dict[str, Sample]:
    table = tomllib.loads((Path(__file__).with_suffix(".toml")).read_text())
    samples = msgspec.convert(table, dict[str, Sample])
    return {name: _placed(sample) for name, sample in samples.items()}


def _placed(sample: Sample) -> Sample:
    """With the address of its file in place of the name."""
    return msgspec.structs.replace(sample, file=sample.file and files.address(sample.file))


SAMPLES = _read()
"""By name, in the order in which they are offered."""
