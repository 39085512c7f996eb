"""The messages between the server and a worker.

Owns the records. A worker is assumed to be fully controlled by an attacker: whoever receives `WorkerMessage`
checks every field. Handles here are numbers of one run; they mean nothing in any other.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from ops.graph import Graph
from sandbox.gates.frames import GateRequest
from sandbox.signatures.form import Signature
from sandbox.walls.rlimits import WorkerLimits
from shaders.errors import ErrorRecord
from shaders.reflection import Reflection
from shaders.template import Scalar

MAX_MESSAGE = 32 << 20
"""The longest message of a worker, in bytes."""


class ScriptJob(msgspec.Struct, frozen=True, tag="script", tag_field="t"):
    """Run `source`; `inputs` is a packed mapping (`sandbox/values.py`) of keyword arguments for `main`.

    `environment` are the values of `os.environ`. The `cell` of a notebook, numbered from 1, finds the variables of
    those before it; its inputs become variables, and the value of its last expression is the result.
    """

    source: str
    inputs: bytes
    output_bytes: int
    environment: dict[str, str] = {}
    cell: int | None = None


class KernelJob(msgspec.Struct, frozen=True, tag="kernel", tag_field="t"):
    """Parse and reflect WGSL `source`."""

    source: str


class SignatureJob(msgspec.Struct, frozen=True, tag="signature", tag_field="t"):
    """Read the signature of the `main` that the script `source` defines, without running it."""

    source: str


class TemplateJob(msgspec.Struct, frozen=True, tag="template", tag_field="t"):
    """Render a kernel's `template` with `params` as its variables."""

    template: str
    params: dict[str, Scalar]


class Confine(msgspec.Struct, frozen=True, tag="confine", tag_field="t"):
    """Put these limits on yourself, before the job comes: where the server cannot do it from outside."""

    limits: WorkerLimits


class Answer(msgspec.Struct, frozen=True, tag="answer", tag_field="t"):
    """Request `id` succeeded with `value`, in the form that the request's record names."""

    id: int
    value: bytes


class Denial(msgspec.Struct, frozen=True):
    """A closed gate: the field of a run's grants that decides, what was asked, and the grant that would open it."""

    gate: str
    asked: str
    grant: dict[str, Any]


class Refusal(msgspec.Struct, frozen=True, tag="refusal", tag_field="t"):
    """Request `id` failed, or was denied: then `denial` says what a grant would change."""

    id: int
    error: ErrorRecord
    denial: Denial | None = None


ServerMessage = Confine | ScriptJob | KernelJob | SignatureJob | TemplateJob | Answer | Refusal


class Output(msgspec.Struct, frozen=True, tag="output", tag_field="t"):
    """Text that the script printed. `cut`: more was printed than the limit allows."""

    stream: Literal["stdout", "stderr"]
    text: str
    cut: bool = False


class Progress(msgspec.Struct, frozen=True, tag="progress", tag_field="t"):
    """The script called `progress(fraction, **values)`."""

    fraction: float | None
    values: dict[str, int | float | str | bool | None]


class Compute(msgspec.Struct, frozen=True, tag="compute", tag_field="t"):
    """Compute a graph; the answer is a packed list of tensors, one an output."""

    id: int
    graph: Graph


class Explain(msgspec.Struct, frozen=True, tag="explain", tag_field="t"):
    """Say how a graph would be computed, `wgsl` with its kernels; the answer is UTF-8, not packed."""

    id: int
    graph: Graph
    wgsl: bool = False


class Read(msgspec.Struct, frozen=True, tag="read", tag_field="t"):
    """Give the elements of a tensor in wire form; the answer is those bytes, not packed."""

    id: int
    handle: int


class DispatchKernel(msgspec.Struct, frozen=True, tag="dispatch", tag_field="t"):
    """Dispatch a stored kernel; the answer is a packed mapping of written arrays to tensors.

    `request` is the packed (`sandbox/values.py`) body of a dispatch as HTTP has it, with tensors as such.
    """

    id: int
    kernel: str
    request: bytes


class LoadScript(msgspec.Struct, frozen=True, tag="load_script", tag_field="t"):
    """Give the text of the run's owner's stored script `name`; the answer is UTF-8, not packed."""

    id: int
    name: str


class Free(msgspec.Struct, frozen=True, tag="free", tag_field="t"):
    """The script dropped these tensors."""

    handles: list[int]


class Finished(msgspec.Struct, frozen=True, tag="finished", tag_field="t"):
    """The script ended well; `result` is packed. What it cost, the server measures itself."""

    result: bytes


class Failed(msgspec.Struct, frozen=True, tag="failed", tag_field="t"):
    """The script or kernel was refused or raised."""

    error: ErrorRecord


class Here(msgspec.Struct, frozen=True, tag="here", tag_field="t"):
    """Where the script is, said when the worker is interrupted, or before it tells of a memory limit. `script` names a
    stored one or another cell than the run's own text."""

    line: int
    column: int
    snippet: str
    script: str | None = None


class Reflected(msgspec.Struct, frozen=True, tag="reflected", tag_field="t"):
    """The kernel was accepted."""

    reflection: Reflection


class Signed(msgspec.Struct, frozen=True, tag="signed", tag_field="t"):
    """The script is Python, and this is its signature."""

    signature: Signature


class Rendered(msgspec.Struct, frozen=True, tag="rendered", tag_field="t"):
    """The template's text. It is trusted no more than what a client sends: another worker parses it."""

    source: str


Request = Compute | Explain | Read | DispatchKernel | LoadScript | GateRequest
WorkerMessage = Output | Progress | Free | Finished | Failed | Here | Reflected | Signed | Rendered | Request
