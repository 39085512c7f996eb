"""The console's pages of runs: `/console/play`, where they are to be, `/console/runs`, `/console/runs/{run_id}`.

Owns what these are rendered from. Must not know how they look, or what their scripts do.
"""

from __future__ import annotations

import re
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Query, Response
from pydantic_core import from_json

from api.access import Cursor, Owned, Server
from api.console.rendering import Visitor, link, may, page, plain
from api.console.samples import SAMPLES
from api.console.visiting import Looking, PageRoute, needs
from api.kernels.store import NAME as KERNEL_NAME
from api.kernels.store import SPELLING as KERNEL_SPELLING
from api.runs import records
from api.runs.live import LiveRun
from api.runs.records import LIVE, RunRecord
from api.runs.submission import AskedLimits
from api.runtime import Runtime
from api.scripts.store import SPELLING as SCRIPT_SPELLING
from api.settings import RunLimits, Settings
from sandbox.policy.modules import STORABLE


class Store(msgspec.Struct, frozen=True):
    """Where a program is stored, and what names it may have there: a pattern, and that in words."""

    route: str
    pattern: str
    spelling: str


router = APIRouter(prefix="/console", route_class=PageRoute, include_in_schema=False)
ROWS = 50
STORES = {
    "python": Store("POST /api/scripts", STORABLE.pattern, SCRIPT_SPELLING),
    "wgsl": Store("POST /api/kernels", KERNEL_NAME.pattern, KERNEL_SPELLING),
}
"""Of each language."""
STATES = (*LIVE, "succeeded", "failed", "cancelled", "timed_out")
MAX_RESULT = 1 << 16
"""Characters of a result that the page itself has; the rest needs its script."""


Named = Annotated[str | None, Query(max_length=256)]


@router.get("/play", dependencies=[needs("POST /api/runs")])
async def play(
    server: Server, visitor: Looking, run: Named = None, kernel: Named = None, script: Named = None
) -> Response:
    """Where one writes a script or a kernel and runs it; beginning with the text of what is named, if something is."""
    begin = await _begin(server, visitor, run, kernel, script)
    stores = {
        language: msgspec.to_builtins(store)
        for language, store in STORES.items()
        if may(visitor.identity, store.route)
    }
    start = {"samples": msgspec.to_builtins(SAMPLES), "begin": begin, "stores": stores}
    return page(
        "play", visitor, start=start, samples=SAMPLES, limits=_limits(server.settings), names=STORES["wgsl"]
    )


@router.get("/runs", dependencies=[needs("GET /api/runs")])
async def listed(
    server: Server,
    visitor: Looking,
    before: Cursor = None,
    status: Annotated[str, Query(max_length=16)] = "",
    owner: Owned = None,
) -> Response:
    """The runs that the visitor may read, newest first. The page's script keeps it as they are."""
    identity, wanted = visitor.identity, (status or None, owner or None)
    found = await server.database.do(lambda db: records.page_of_runs(db, identity, ROWS, before, *wanted))
    texts = await server.database.do(lambda db: records.leads(db, [item["id"] for item in found]))
    rows = [
        {**plain(server.runs.freshen(item)), "about": _about(texts.get(item["id"], ""))} for item in found
    ]
    last = rows[-1]["id"] if len(rows) == ROWS else None
    return page(
        "runs",
        visitor,
        rows=rows,
        live=LIVE,
        states=STATES,
        state=status,
        owner=owner or "",
        newest=link("/console/runs", status=status, owner=owner) if before else None,
        older=link("/console/runs", before=last, status=status, owner=owner) if last else None,
    )


@router.get("/runs/{run_id}", dependencies=[needs("GET /api/runs/{run_id}")])
async def one(server: Server, visitor: Looking, run_id: str) -> Response:
    """A run as it is now. The page's script follows it."""
    record, document = await _find(server, visitor, run_id)
    result = msgspec.json.format(bytes(record.result), indent=2).decode() if record.result else ""
    may_know = visitor.identity.owner == record.owner or may(visitor.identity, "POST /api/keys")
    return page(
        "run",
        visitor,
        here="runs",
        run=document,
        owner=record.owner,
        key_id=record.key_id if may_know else None,
        script=record.script,
        result=result[:MAX_RESULT],
        cut=len(result) > MAX_RESULT,
        live=record.live,
    )


_MAIN = re.compile(r"^(?:async )?def main\s*\(.*?\)\s*(?:->[^:\n]*)?:[ \t]*", re.MULTILINE | re.DOTALL)
_OPENING = re.compile(r"""^(\"{3}|'{3})\s+""", re.MULTILINE)
_NOTES = ("#", '"', "'")
_TELLS_NOTHING = ("import ", "from ", "@")


def _about(text: str) -> str:
    """Of what a script begins with, the first line that tells something: what is said before `main`, else what it does
    first, else the first line that is no import, else that."""
    text = _OPENING.sub(r"\1", text, count=1)
    main = _MAIN.search(text)
    before, body = (text[: main.start()], text[main.end() :]) if main else (text, "")
    lines = [line for line in before.splitlines() if line.strip() and not line.startswith(_TELLS_NOTHING)]
    notes = [line for line in lines if line.startswith(_NOTES)]
    told = map(_words, (*notes, *body.splitlines(), *lines, *text.splitlines()))
    return next(filter(None, told), "")


def _words(line: str) -> str:
    """A line without what makes it a comment or a docstring."""
    line = line.strip()
    return line.strip(" #\"'") if line.startswith(_NOTES) else line


async def _find(server: Runtime, visitor: Looking, run_id: str) -> tuple[RunRecord, dict[str, Any]]:
    """A run that the visitor may read, and its document. Raises `RunNotFound`."""
    run = await server.runs.find(visitor.identity, run_id)
    record = run.record if isinstance(run, LiveRun) else run
    return record, from_json(run.document())


async def _begin(
    server: Runtime, visitor: Visitor, run: str | None, kernel: str | None, script: str | None
) -> dict[str, Any] | None:
    """What the playground begins with, if not with what was written there last. The inputs of a run are not kept."""
    identity = visitor.identity
    if run is not None:
        visitor.require("GET /api/runs/{run_id}")
        record, _ = await _find(server, visitor, run)
        grants = msgspec.json.decode(record.grants)
        limits = msgspec.structs.asdict(record.limits)
        return {"language": "python", "text": record.script, "limits": limits, "grants": grants}
    if kernel is not None:
        visitor.require("GET /api/kernels/{name}")
        found = await server.kernels.find(identity, kernel)
        return {"language": "wgsl", "text": found.source, "name": found.name}
    if script is not None:
        visitor.require("GET /api/scripts/{name}")
        stored = await server.scripts.find(identity, script)
        return {"language": "python", "text": stored.source, "name": stored.name}
    return None


def _limits(settings: Settings) -> list[dict[str, str | None]]:
    """The limits that a run may ask for: what each is unless asked for, and the most."""
    usual = settings.limits({})
    return [
        {
            "name": name,
            "about": AskedLimits.model_fields[name].description,
            "usual": f"{getattr(usual, name):.12g}",
            "most": f"{getattr(settings, f'max_{name}'):.12g}",
        }
        for name in RunLimits.__struct_fields__
    ]
