"""`/api/kernels`: store WGSL or a template of it, and dispatch it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Request, Response
from pydantic import Field, model_validator

from api.access import Caller, Cursor, Owned, PageSize, Server, reference, while_connected
from api.auth.identity import Identity
from api.errors import InvalidRequest
from api.http import body
from api.http.answers import json_response
from api.kernels.asked import Asked, DispatchRequest, parse
from api.kernels.builds import text_hash
from api.kernels.parameters import MAX_PARAMS, Params, Template, check
from api.kernels.store import NAME, SPELLING, contents, kernel_name
from api.runs.work import Work, again_if_lost
from api.runtime import Runtime
from api.settings import Settings
from api.tensors import elements, values
from api.tensors.documents import tensor_json
from api.usage.fuel import bounds
from api.versions import KERNELS
from shaders.languages import refuse_fields, refuse_text
from shaders.limits import LIMITS
from shaders.source import KernelLimitError

router = APIRouter(prefix="/api/kernels", tags=["kernels"])


class KernelRequest(body.RequestModel):
    """A kernel to store."""

    name: str = Field(description=SPELLING, json_schema_extra={"pattern": f"^{NAME.pattern}$"})
    source: str | None = Field(None, description="WGSL with at least one compute entry point")
    template: str | None = Field(None, description="in place of source: a jinja2 template that writes WGSL")
    params: Params = Field(
        {}, max_length=MAX_PARAMS, description="the template's parameters, which are its variables, by name"
    )

    @model_validator(mode="before")
    @classmethod
    def _no_other_language(cls, value: Any) -> Any:
        if isinstance(value, dict):
            refuse_fields(value)
        return value


class SourceRequest(body.RequestModel):
    """The text of a kernel that is not stored."""

    source: str = Field(description="WGSL with at least one compute entry point")


@dataclass(frozen=True, slots=True)
class NewKernel:
    """A kernel to store, checked."""

    name: str
    text: str | Template


def _new_kernel(asked: KernelRequest, settings: Settings) -> NewKernel:
    """What is asked for. Raises `KernelLimitError`, `InvalidRequest`, `TemplateParamsError`, `KernelLanguageError`."""
    if (asked.source is None) == (asked.template is None):
        raise InvalidRequest("a kernel has a source, which is WGSL, or a template, and not both")
    if asked.template is not None:
        _check_length("template", asked.template)
        return NewKernel(asked.name, Template(asked.template, check(asked.params)))
    assert asked.source is not None
    _check_length("source", asked.source)
    if asked.params:
        raise InvalidRequest(
            "params are those of a template", hint="Post the text as template, not as source."
        )
    return NewKernel(asked.name, asked.source)


def _source(asked: SourceRequest, settings: Settings) -> str:
    """What is asked about. Raises `KernelLimitError`, `KernelLanguageError`."""
    _check_length("source", asked.source)
    return asked.source


def _check_length(what: str, text: str) -> None:
    if len(text) > LIMITS.source_characters:
        refuse_text(text[: LIMITS.source_characters])
        raise KernelLimitError(
            f"the {what} has {len(text)} characters; the limit is {LIMITS.source_characters}",
            hint="Make several kernels of it, each of which takes what the one before wrote.",
        )


def _asked(asked: DispatchRequest, settings: Settings) -> Asked:
    """The arrays, uniform values and steps of a dispatch."""
    return parse(asked, values.Parser(settings.upload_bytes).parse, settings.upload_bytes)


@router.post(
    "",
    status_code=201,
    summary="Store a kernel",
    openapi_extra=body.body_schema(KernelRequest),
    responses={200: {"description": "it is there already"}},
)
async def add(
    server: Server, caller: Caller, asked: Annotated[NewKernel, body.json_body(KernelRequest, _new_kernel)]
) -> Response:
    """Render, parse, compile and store. The same again answers 200; anything new 201, and the name moves to it."""
    record, new = await server.kernels.add(caller, asked.name, asked.text)
    return json_response(record.document(), 201 if new else 200, {"Location": f"/api/kernels/{record.name}"})


@router.get("", summary="List kernels by name")
async def listed(
    server: Server, caller: Caller, limit: PageSize = 50, after: Cursor = None, owner: Owned = None
) -> Response:
    """The kernels that you may read; `next` is what `after` takes for the following page, null at the end."""
    page = await server.kernels.page(caller, limit, after, owner)
    following = reference(caller, page[-1].owner, page[-1].name) if len(page) == limit else None
    return json_response({"kernels": [record.document() for record in page], "next": following})


@router.post(
    "/reflect", summary="What is in a kernel's source", openapi_extra=body.body_schema(SourceRequest)
)
async def reflect(
    server: Server, caller: Caller, source: Annotated[str, body.json_body(SourceRequest, _source)]
) -> Response:
    """Its entry points, overrides and bindings. It is parsed, and neither compiled nor kept."""
    return json_response(contents(await server.kernels.reflect(caller, source)))


@router.post(
    "/{name:path}/dispatch", summary="Dispatch a kernel", openapi_extra=body.body_schema(DispatchRequest)
)
async def dispatch(
    request: Request,
    server: Server,
    caller: Caller,
    name: str,
    asked: Annotated[Asked, body.json_body(DispatchRequest, _asked)],
) -> Response:
    """Run an entry point, or several in `steps`; the answer has every array that is written."""
    work = again_if_lost(lambda: _dispatch(server, caller, name, asked))
    return json_response(await while_connected(request, work))


async def _dispatch(server: Runtime, caller: Identity, name: str, asked: Asked) -> dict[str, Any]:
    began = time.perf_counter()
    kernel = await server.kernels.find(caller, name, "use")
    server.gates.require(caller, "kernels", kernel_name(caller, name))
    kernel = await server.kernels.prepare(caller, kernel, asked.params)
    await server.ready()
    most_fuel = bounds(server.settings, caller.maximum)
    account = server.accounts.of(caller)
    with Work(server.launcher, server.tensors, caller, account) as work:
        refs = await work.dispatch(server.kernels, kernel, asked, most_fuel)
        outputs = {}
        for key, ref in refs.items():
            record = await work.keep(ref)
            inline = elements.count(record.shape) <= server.settings.inline_elements
            outputs[key] = await tensor_json(server.tensors, record, inline=inline)
        server.count("kernel", work, began)
        return {"outputs": outputs, "usage": work.tally.usage(began)}


@router.get("/{name:path}", summary="A kernel with its source")
async def one(server: Server, caller: Caller, name: str) -> Response:
    """The kernel at `name`, `name@hash`, `owner/name` or `owner/name@hash`, and why it is in quarantine, if it is.

    `versions` are the newest 100 that the name has had, as `hash` and `created_at`: `name@hash` is each.
    """
    record = await server.kernels.find(caller, name)
    template = {} if record.template is None else {"template": record.template.text}
    digest = text_hash(record.source)
    facts = {
        "compile_ms": await server.compiling.milliseconds(digest),
        "quarantine": server.quarantine.find(record.reflection.fingerprint, [caller.owner, record.owner]),
        "guarded": record.reflection.guard and record.reflection.guard.source,
        "versions": await server.database.do(lambda db: KERNELS.of(db, record.target)),
    }
    return json_response({**record.document(), **facts, "source": record.source, **template})


@router.delete("/{name:path}", status_code=204, summary="Forget a kernel")
async def delete(server: Server, caller: Caller, name: str) -> Response:
    """Forget a name and all its versions."""
    await server.kernels.delete(caller, name)
    return Response(status_code=204)
