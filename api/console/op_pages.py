"""The console's pages of operations: `/console/ops`, `/console/ops/{name}`.

Owns what these are rendered from, and which operations are found. Must not know how they look.
"""

from __future__ import annotations

from collections import Counter
from typing import Annotated

from fastapi import APIRouter, Query, Response

from api.access import Server
from api.console.op_examples import example
from api.console.rendering import Visitor, may, page
from api.console.visiting import Looking, PageRoute, needs
from api.routes.ops import OpRequest, asked_of, graph_of
from api.runs.work import Work
from api.runtime import Runtime
from ops.backward import has_gradient
from ops.spec import REQUIRED, OpSpec, also_called
from ops.table import TABLE, find, full_name, gradient
from shaders.suggestions import meant

router = APIRouter(prefix="/console", route_class=PageRoute, include_in_schema=False)
KINDS = Counter(spec.kind for spec in TABLE.values()).most_common()
"""With the number of operations, the largest first."""
COMPUTE = "POST /api/ops/{name}"


@router.get("/ops", dependencies=[needs("GET /api/ops")])
async def listed(
    visitor: Looking,
    q: Annotated[str, Query(max_length=80)] = "",
    kind: Annotated[str, Query(max_length=16)] = "",
) -> Response:
    """The operations that have all words of `q` in their names, kind or meaning, those called so first; else the
    names that are close."""
    found = [spec for spec in TABLE.values() if kind in ("", spec.kind) and _matches(spec, q)]
    found.sort(key=lambda spec: _distance(spec, q))
    near = "" if found else meant(q, TABLE)
    return page("ops", visitor, rows=found, q=q, kind=kind, kinds=KINDS, count=len(TABLE), near=near)


@router.get("/ops/{name}", dependencies=[needs("GET /api/ops")])
async def one(server: Server, visitor: Looking, name: str, explain: bool = False) -> Response:
    """An operation, and a request for it that can be sent from here; with `explain` how that is computed."""
    spec = find(name)
    explained = (
        await _explained(server, visitor, spec) if explain and may(visitor.identity, COMPUTE) else None
    )
    return page(
        "op",
        visitor,
        here="ops",
        op=spec,
        full=full_name(spec),
        inputs=_inputs(spec),
        required=REQUIRED,
        also_called=also_called,
        gradients=_gradients(spec),
        has_gradient=has_gradient(spec),
        example=example(spec),
        explained=explained,
    )


def _matches(spec: OpSpec, asked: str) -> bool:
    text = " ".join((full_name(spec), *spec.aliases, spec.kind, spec.doc)).lower()
    return all(word in text for word in asked.lower().split())


def _distance(spec: OpSpec, asked: str) -> int:
    """0 where the operation is called so, 1 where a name begins so, 2 where one has it within, 3 elsewhere."""
    words, called = asked.strip().lower(), [name.lower() for name in (spec.name, *spec.aliases)]
    if words in called:
        return 0
    if any(name.startswith(words) for name in called):
        return 1
    return 2 if any(words in name for name in called) else 3


def _inputs(spec: OpSpec) -> list[tuple[str, str, bool]]:
    """The inputs: name, dtypes, and whether it may be left out."""
    needed = len(spec.inputs) - spec.optional
    dtypes = spec.input_dtypes or (spec.dtypes,) * len(spec.inputs)
    return [
        (name, ", ".join(taken), number >= needed)
        for number, (name, taken) in enumerate(zip(spec.inputs, dtypes, strict=True))
    ]


def _gradients(spec: OpSpec) -> list[str]:
    """The operations that are the gradients of an elementwise one."""
    if spec.kind != "elementwise" or not has_gradient(spec):
        return []
    rows = [gradient(spec, number) for number in range(len(spec.inputs))]
    return [row.name for row in rows if row is not None]


async def _explained(server: Runtime, visitor: Visitor, spec: OpSpec) -> str:
    """How the example is computed, with the kernels."""
    identity = visitor.identity
    server.gates.require(identity, "ops", full_name(spec))
    await server.ready()
    asked = asked_of(OpRequest(**example(spec)), server.settings)
    with Work(server.launcher, server.tensors, identity, server.accounts.of(identity)) as work:
        return await work.explain(await graph_of(work, spec, asked), wgsl=True)
