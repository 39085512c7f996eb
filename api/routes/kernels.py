"""`/api/kernels`: store WGSL, and dispatch it."""

from __future__ import annotations

import time
from typing import Annotated, Any

from fastapi import APIRouter, Request, Response
from pydantic import Field

from api import body, elements, values
from api.access import Caller, Cursor, PageSize, Server, json_response, while_connected
from api.asked import Asked, DispatchRequest, parse
from api.fuel import bounds
from api.kernels import kernel_name
from api.keys import Identity
from api.runtime import Runtime
from api.services import tensor_json
from api.settings import Settings
from api.work import Work, again_if_lost
from shaders.limits import LIMITS
from shaders.source import KernelLimitError

router = APIRouter(prefix="/api/kernels", tags=["kernels"])


class KernelRequest(body.RequestModel):
    """A kernel to store."""

    name: str = Field(description="up to 64 of a-z, 0-9, _, . and -")
    source: str = Field(description="WGSL with at least one compute entry point")


def _small(asked: KernelRequest, settings: Settings) -> KernelRequest:
    """`asked`, whose source is not over the limit of a kernel. Raises `KernelLimitError`."""
    if len(asked.source) > LIMITS.source_characters:
        raise KernelLimitError(
            f"the source has {len(asked.source)} characters; the limit is {LIMITS.source_characters}"
        )
    return asked


def _asked(asked: DispatchRequest, settings: Settings) -> Asked:
    """The arrays, uniform values and steps of a dispatch."""
    return parse(asked, values.Parser(settings.upload_bytes).parse, settings.upload_bytes)


@router.post("", status_code=201, summary="Store a kernel", openapi_extra=body.body_schema(KernelRequest))
async def add(
    server: Server, caller: Caller, asked: Annotated[KernelRequest, body.json_body(KernelRequest, _small)]
) -> Response:
    """Parse, compile and store WGSL. The same source again answers 200; a new one 201, and the name moves to it."""
    record, new = await server.kernels.add(caller, asked.name, asked.source)
    return json_response(record.document(), 201 if new else 200, {"Location": f"/api/kernels/{record.name}"})


@router.get("", summary="List kernels by name")
async def listed(server: Server, caller: Caller, limit: PageSize = 50, after: Cursor = None) -> Response:
    """Your kernels; `next` is what `after` takes for the following page, null at the end."""
    page = await server.kernels.page(caller, limit, after)
    return json_response(
        {
            "kernels": [record.document() for record in page],
            "next": page[-1].name if len(page) == limit else None,
        }
    )


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
    kernel = await server.kernels.find(caller, name)
    server.gates.require(caller, "kernels", kernel_name(caller, name))
    await server.ready()
    most_fuel = bounds(server.settings, caller.maximum)
    async with Work(server.launcher, server.tensors, caller) as work:
        refs = await work.dispatch(server.kernels, kernel, asked, most_fuel)
        outputs = {}
        for key, ref in refs.items():
            record = await work.keep(ref)
            inline = elements.count(record.shape) <= server.settings.inline_elements
            outputs[key] = await tensor_json(server.tensors, record, inline=inline)
        server.count("kernel", work, began)
        return {"outputs": outputs, "usage": work.usage(began)}


@router.get("/{name:path}", summary="A kernel with its source")
async def one(server: Server, caller: Caller, name: str) -> Response:
    """The kernel at `name`, `name@hash`, `owner/name` or `owner/name@hash`, and why it is in quarantine, if it is."""
    record = await server.kernels.find(caller, name)
    facts = {
        "compile_ms": await server.compiling.milliseconds(record.hash),
        "quarantine": server.quarantine.find(record.hash),
    }
    return json_response({**record.document(), **facts, "source": record.source})


@router.delete("/{name:path}", status_code=204, summary="Forget a kernel")
async def delete(server: Server, caller: Caller, name: str) -> Response:
    """Forget a name and all its versions."""
    await server.kernels.delete(caller, name)
    return Response(status_code=204)
