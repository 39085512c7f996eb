"""`/api/tensors`: upload, list, download, replace and forget tensors."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from api.access import Caller, Cursor, Owned, PageSize, Server
from api.errors import InvalidRequest
from api.http import body
from api.http.answers import json_response
from api.runtime import Runtime
from api.tensors import downloads, uploads
from api.tensors.formats import NPY, RAW, SAFETENSORS
from api.tensors.records import TensorRecord

router = APIRouter(prefix="/api/tensors", tags=["tensors"])


def _parameter(name: str, description: str, **schema: Any) -> dict[str, Any]:
    """A parameter of the query, for OpenAPI."""
    return {"name": name, "in": "query", "description": description, "schema": schema}


_RAW = [
    _parameter("dtype", f"of {RAW}", type="string"),
    _parameter("shape", f"of {RAW}: sizes with commas between", type="string"),
]
_STRINGS = [
    _parameter("split", "the body is an array of byte strings: its lines", type="string", enum=["lines"]),
    _parameter(
        "block", "the body is an array of byte strings: blocks of so many bytes", type="integer", minimum=1
    ),
]
_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {"type": "object", "example": {"shape": [2], "dtype": "f32", "data": [1, 2]}}
            },
            **{kind: {"schema": {"type": "string", "format": "binary"}} for kind in (NPY, SAFETENSORS, RAW)},
        },
    },
    "parameters": _RAW,
}


@router.post(
    "", status_code=201, summary="Upload a tensor", openapi_extra={**_BODY, "parameters": _RAW + _STRINGS}
)
async def upload(
    request: Request,
    server: Server,
    caller: Caller,
    persist: Annotated[bool, Query(description="false: retention may take it when it is not used")] = True,
) -> Response:
    """Store a tensor; it is on disk when this answers.

    A safetensors file answers `{"tensors": {NAME: …}}`, a body of byte strings with the names `bytes` and `offsets`.
    """
    await server.tensors.check_room(caller.owner, caller.quotas)
    async with AsyncExitStack() as stack:
        parts = await uploads.receive(request, server.tensors, stack, _limits(server))
        stored = await server.tensors.store(
            caller.owner,
            [(type, sink) for _, type, sink in parts],
            durable=True,
            persist=persist,
            quotas=caller.quotas,
        )
    if uploads.is_named(request):
        named = {name: record.document() for (name, _, _), record in zip(parts, stored, strict=True)}
        return json_response({"tensors": named}, 201)
    return json_response(stored[0].document(), 201, {"Location": f"/api/tensors/{stored[0].id}"})


@router.get("", summary="List stored tensors, newest first")
async def listed(
    server: Server, caller: Caller, limit: PageSize = 50, before: Cursor = None, owner: Owned = None
) -> Response:
    """The stored tensors that you may read; `next` is what `before` takes for the following page, null at the end."""
    page = await server.tensors.page(caller, limit, before, owner)
    return json_response(
        {
            "tensors": [record.document() for record in page],
            "next": page[-1].id if len(page) == limit else None,
        }
    )


@router.get("/{tensor_id}", summary="What a tensor is")
async def one(server: Server, caller: Caller, tensor_id: str) -> Response:
    """Shape, dtype and size; the elements are at `/data`."""
    return json_response((await server.tensors.get(caller, tensor_id)).document())


@router.put("/{tensor_id}", summary="Replace a tensor", openapi_extra=_BODY)
@router.put("/{tensor_id}/data", summary="Replace a tensor's elements", openapi_extra=_BODY)
async def replace(request: Request, server: Server, caller: Caller, tensor_id: str) -> Response:
    """Give a tensor another value, shape and dtype included. Runs that use the old value go on with it."""
    old = await server.tensors.get(caller, tensor_id, "write")
    async with AsyncExitStack() as stack:
        parts = await uploads.receive(request, server.tensors, stack, _limits(server))
        if len(parts) != 1:
            raise InvalidRequest(f"the body has {len(parts)} tensors; this address holds one")
        record: TensorRecord
        (record,) = await server.tensors.store(
            old.owner,
            [(parts[0][1], parts[0][2])],
            durable=True,
            persist=old.persist or not old.stored,
            quotas=caller.quotas,
            replace=old.id,
        )
    return json_response(record.document())


class Keeping(body.RequestModel):
    """How long a tensor is kept."""

    persist: bool = Field(description="true: until it is deleted; false: as long as retention lets it")


@router.patch("/{tensor_id}", summary="Keep a tensor", openapi_extra=body.body_schema(Keeping))
async def keep(request: Request, server: Server, caller: Caller, tensor_id: str) -> Response:
    """Say whether a tensor stays until it is deleted. The output of a dispatch or an op is stored by `persist`; it is
    on disk when this answers.
    """
    asked = await body.read_json(request, server.settings.json_bytes, lambda raw: body.validate(Keeping, raw))
    record = await server.tensors.get(caller, tensor_id, "write")
    return json_response((await server.tensors.persist(record, asked.persist, caller.quotas)).document())


@router.delete("/{tensor_id}", status_code=204, summary="Forget a tensor")
async def delete(server: Server, caller: Caller, tensor_id: str) -> Response:
    """Forget a tensor. Runs that use it go on."""
    await server.tensors.delete(await server.tensors.get(caller, tensor_id, "write"))
    return Response(status_code=204)


@router.get("/{tensor_id}/data", summary="A tensor's elements")
async def data(
    request: Request,
    server: Server,
    caller: Caller,
    tensor_id: str,
    format: Annotated[str | None, Query(max_length=64, description="json, npy, safetensors or raw")] = None,
) -> Response:
    """The elements as `Accept` or `?format=` asks; else JSON up to 65 536 elements and `.npy` beyond."""
    record = await server.tensors.get(caller, tensor_id)
    chosen = downloads.choose(format, request.headers.get("accept"), record, server.settings.inline_elements)
    return await downloads.respond(server.tensors, record, chosen)


def _limits(server: Runtime) -> tuple[int, int]:
    return server.settings.json_bytes, server.settings.upload_bytes
