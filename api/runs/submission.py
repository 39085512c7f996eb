"""What is asked of a run, checked: its script, limits, grants and inputs, with the tensors that they name.

Owns the form of a request, and that a run which waited when the server stopped is checked again in the same way. Must
not know HTTP, or how a run is executed.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import msgspec
from pydantic import Field
from pydantic_core import from_json

from api.auth.identity import Identity
from api.errors import InvalidRequest
from api.http import body
from api.runs.gates import Gatekeeper
from api.runs.records import RunRecord
from api.runs.sessions import LiveSession
from api.scripts import schemas
from api.scripts.store import ScriptRecord
from api.settings import RunLimits, Settings
from api.tensors import values
from api.tensors.records import TensorRecord
from api.tensors.store import TensorStore
from api.tensors.values import TensorId, TensorValue
from sandbox.gates.grants import Grants
from sandbox.pool import WorkerPool

MAX_GRANT_ITEMS = 10_000


class AskedLimits(body.RequestModel):
    """Limits of a run; those not given take the server's defaults."""

    wall_s: float | None = Field(
        default=None, gt=0, allow_inf_nan=False, description="seconds from start to end"
    )
    cpu_s: float | None = Field(
        default=None, gt=0, allow_inf_nan=False, description="seconds of the worker's processor time"
    )
    memory_mb: float | None = Field(default=None, gt=0, multiple_of=1, description="MiB of the worker")
    output_bytes: float | None = Field(default=None, ge=0, multiple_of=1, description="bytes printed")
    device_ms: float | None = Field(
        default=None, gt=0, allow_inf_nan=False, description="milliseconds on the device"
    )
    dispatches: float | None = Field(default=None, gt=0, multiple_of=1, description="kernels dispatched")
    handles: float | None = Field(default=None, gt=0, multiple_of=1, description="tensors held at once")

    fuel: float | None = Field(
        default=None, ge=1, multiple_of=1, description="fuel of each thread of a kernel"
    )

    def asked(self) -> dict[str, float]:
        """What was given, whole numbers as such."""
        given = self.model_dump(exclude_none=True)
        return {name: int(value) if name in _WHOLE else value for name, value in given.items()}


_WHOLE = ("memory_mb", "output_bytes", "dispatches", "handles", "fuel")


class CellRequest(body.RequestModel):
    """A cell of a session."""

    script: str = Field(max_length=body.MAX_SCRIPT, description="Python; its last expression is the result")
    inputs: dict[str, Any] = Field(default={}, description="variables for it: JSON, $tensor, $bytes, $float")


class SessionRequest(body.RequestModel):
    """A session to open."""

    grants: dict[str, Any] = Field(default={}, description="what its cells may reach beyond arithmetic")
    limits: AskedLimits = Field(default=AskedLimits(), description="what each cell may use")
    idle_s: float | None = Field(
        default=None, gt=0, allow_inf_nan=False, description="seconds without a cell after which it ends"
    )


class CallRequest(body.RequestModel):
    """A call of a stored script."""

    inputs: dict[str, Any] = Field(default={}, description="arguments of main: JSON, $tensor, $bytes, $float")
    grants: dict[str, Any] = Field(default={}, description="what the run may reach beyond arithmetic")
    limits: AskedLimits = Field(default=AskedLimits(), description="what the run may use")


class RunRequest(body.RequestModel):
    """A script to run."""

    script: str = Field(
        max_length=body.MAX_SCRIPT, description="Python that defines main(**inputs) or assigns result"
    )
    inputs: dict[str, Any] = Field(default={}, description="arguments of main: JSON, $tensor, $bytes, $float")
    grants: dict[str, Any] = Field(default={}, description="what the run may reach beyond arithmetic")
    limits: AskedLimits = Field(default=AskedLimits(), description="what the run may use")


@dataclass(frozen=True, slots=True)
class Submission:
    """A checked request for a run: `inputs` are parsed values, `given` the tensors in them, `tensors` the records of
    those given by id, `grants` what the run gets. `asked` is JSON of which it can be made again, with all that it
    holds; None where that is not possible, as for the cell of a `session`. `home` is whose stored scripts the script
    means by a name alone.
    """

    script: str
    inputs: dict[str, Any]
    given: list[TensorValue]
    tensors: dict[str, TensorRecord]
    limits: RunLimits
    grants: Grants
    asked: bytes | None
    idempotency_key: str | None = None
    request_hash: str | None = None
    session: LiveSession | None = None
    home: str | None = None


class Asked(msgspec.Struct):
    """A request whose form is right: `inputs` parsed, `given` the tensors in them, `grants` as they came.

    `kept` is JSON of what a run keeps of it while it waits, `digest` what tells it from others if it has a key; `home`
    as in `Submission`.
    """

    script: str
    limits: dict[str, float]
    inputs: dict[str, Any]
    given: list[TensorValue]
    grants: dict[str, Any]
    kept: bytes
    digest: str | None
    home: str | None = None


def parse(raw: Any, *, limit: int, keyed: bool) -> Asked:
    """The request for a run in the body `raw`, in which a tensor has at most `limit` bytes. Raises `InvalidRequest` and
    what `values.parse` raises."""
    return _parsed(raw, body.validate(RunRequest, raw), limit, keyed)


def parse_cell(raw: Any, *, limit: int, keyed: bool) -> Asked:
    """The request for a cell, likewise."""
    cell = body.validate(CellRequest, raw)
    return _parsed(raw, RunRequest(script=cell.script, inputs=cell.inputs), limit, keyed)


def parse_call(raw: Any, reference: str, record: ScriptRecord, *, limit: int, keyed: bool) -> Asked:
    """The request for a call of a stored script, which the client calls `reference`, likewise; and `InputMismatch`."""
    call = body.validate(CallRequest, raw)
    run = RunRequest(script=record.source, inputs=call.inputs, grants=call.grants, limits=call.limits)
    asked = _parsed([reference, raw], run, limit, keyed, record.owner)
    schemas.check(record.known_signature, asked.inputs)
    return asked


def _parsed(raw: Any, asked: RunRequest, limit: int, keyed: bool, home: str | None = None) -> Asked:
    values.check_items(asked.grants, "grants", MAX_GRANT_ITEMS)
    inputs = parse_inputs(asked.inputs, limit)
    digest = hashlib.sha256(msgspec.json.encode(raw, order="sorted")).hexdigest() if keyed else None
    kept = msgspec.json.encode({"inputs": asked.inputs, "grants": asked.grants, "home": home})
    return Asked(
        asked.script,
        asked.limits.asked(),
        inputs,
        values.tensors_in(inputs),
        asked.grants,
        kept,
        digest,
        home,
    )


def parse_inputs(raw: Any, limit: int) -> dict[str, Any]:
    """The values of `inputs`. Raises as `parse` does."""
    inputs = values.parse(raw, "inputs", limit)
    if not isinstance(inputs, dict):
        raise InvalidRequest("inputs names the arguments of main; a lone tagged value is none")
    return inputs


class Desk:
    """Where requests for runs are checked against what the key may have and what is there."""

    def __init__(self, settings: Settings, gates: Gatekeeper, pool: WorkerPool, tensors: TensorStore) -> None:
        self._settings = settings
        self._gates = gates
        self._pool = pool
        self._tensors = tensors

    async def take(self, caller: Identity, asked: Asked, key: str | None = None) -> Submission:
        """The submission that `caller` asks for. Raises `GrantError`, `LimitTooHigh`, `NativeRefusedError`,
        `TensorNotFound`, `PermissionDenied`."""
        limits = self._settings.limits(asked.limits)
        grants = self._grants(caller, asked.grants)
        tensors = await self._find(caller, grants, asked.given)
        return Submission(
            asked.script,
            asked.inputs,
            asked.given,
            tensors,
            limits,
            grants,
            asked.kept,
            key,
            asked.digest,
            home=asked.home,
        )

    async def take_cell(self, session: LiveSession, asked: Asked, key: str | None = None) -> Submission:
        """The submission of a cell of `session`, which has its limits and grants. Raises as `take` does."""
        tensors = await self._find(session.identity, session.grants, asked.given)
        return Submission(
            asked.script,
            asked.inputs,
            asked.given,
            tensors,
            session.limits,
            session.grants,
            None,
            key,
            asked.digest,
            session,
        )

    def take_session(
        self, caller: Identity, limits: dict[str, float], grants: object
    ) -> tuple[RunLimits, Grants]:
        """What the cells of a session that `caller` asks for get. Raises as `take` does."""
        return self._settings.limits(limits), self._grants(caller, grants)

    async def again(self, caller: Identity, record: RunRecord) -> Submission:
        """The submission of a stored run that has not begun. Raises as `take` does."""
        assert record.asked is not None
        kept = from_json(record.asked)
        inputs = await body.aside(
            len(record.asked), lambda: parse_inputs(kept["inputs"], self._settings.json_bytes)
        )
        given = values.tensors_in(inputs)
        grants = self._grants(caller, kept["grants"])
        tensors = await self._find(caller, grants, given)
        home = kept.get("home")
        return Submission(
            record.script, inputs, given, tensors, record.limits, grants, record.asked, home=home
        )

    def _grants(self, caller: Identity, asked: object) -> Grants:
        grants = self._gates.grants(caller, asked)
        if grants.native:
            self._pool.check_native()
        return grants

    async def _find(
        self, caller: Identity, grants: Grants, given: list[TensorValue]
    ) -> dict[str, TensorRecord]:
        ids = {value.id for value in given if isinstance(value, TensorId)}
        return {tensor_id: await self._tensor(caller, grants, tensor_id) for tensor_id in sorted(ids)}

    async def _tensor(self, caller: Identity, grants: Grants, tensor_id: str) -> TensorRecord:
        """A tensor for a run: one's own, or one that its access list lets the key use, and a grant the run."""
        record = await self._tensors.get(caller, tensor_id, "use")
        if record.owner != caller.owner:
            self._gates.check(caller, grants, "tensors", record.target.full_name)
        return record
