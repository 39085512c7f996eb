"""`/api/kernels`: store WGSL or a template of it, and dispatch it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Request, Response
from pydantic import Field, model_validator

from api import body, elements, values
from api.access import Caller, Cursor, PageSize, Server, json_response, while_connected
from api.arguments import Given, choose_entry, spread
from api.errors import InvalidRequest, MalformedTensor
from api.kernels import kernel_name
from api.keys import Identity
from api.parameters import MAX_PARAMS, Params, Template, check
from api.runtime import Runtime
from api.services import tensor_json
from api.settings import Settings
from api.work import Work
from ops.graph import TensorType
from shaders.languages import refuse_fields, refuse_text
from shaders.limits import LIMITS
from shaders.source import KernelLimitError

router = APIRouter(prefix="/api/kernels", tags=["kernels"])
MAX_SIZE = (1 << 32) - 1


class KernelRequest(body.RequestModel):
    """A kernel to store."""

    name: str = Field(description="up to 64 of a-z, 0-9, _, . and -")
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


MAX_BINDINGS = 256


class DispatchRequest(body.RequestModel):
    """A dispatch of a stored kernel."""

    inputs: dict[str, Any] = Field(
        {},
        max_length=MAX_BINDINGS,
        description="by binding: a $tensor, an output's shape and dtype, or values",
    )
    workgroups: list[int] | None = Field(
        default=None,
        min_length=1,
        max_length=3,
        description="x, y, z; left out: a thread an element of the largest array that is written",
    )
    entry_point: str | None = Field(default=None, description="needed when the kernel has several")
    params: dict[str, Any] = Field({}, max_length=MAX_PARAMS, description="values for the kernel's template")


@dataclass(frozen=True, slots=True)
class Asked:
    """A dispatch as asked for, checked and parsed."""

    given: dict[str, Given]
    workgroups: tuple[int, int, int] | None
    entry_point: str | None
    params: dict[str, Any]


@dataclass(frozen=True, slots=True)
class NewKernel:
    """A kernel to store, checked."""

    name: str
    text: str | Template


def _new_kernel(asked: KernelRequest, settings: Settings) -> NewKernel:
    """What is asked for. Raises `KernelLimitError`, `InvalidRequest`, `TemplateParamsError`, `KernelLanguageError`."""
    if (asked.source is None) == (asked.template is None):
        raise InvalidRequest("a kernel has a source, which is WGSL, or a template, and not both")
    what, text = ("template", asked.template) if asked.source is None else ("source", asked.source)
    assert text is not None
    if len(text) > LIMITS.source_characters:
        refuse_text(text[: LIMITS.source_characters])
        raise KernelLimitError(
            f"the {what} has {len(text)} characters; the limit is {LIMITS.source_characters}"
        )
    if what == "template":
        return NewKernel(asked.name, Template(text, check(asked.params)))
    if asked.params:
        raise InvalidRequest(
            "params are those of a template", hint="Post the text as template, not as source."
        )
    return NewKernel(asked.name, text)


def _asked(asked: DispatchRequest, settings: Settings) -> Asked:
    """The tensors, output types and uniform values of a dispatch."""
    parser = values.Parser(settings.upload_bytes)
    given = {key: _given(value, key, parser, settings) for key, value in asked.inputs.items()}
    workgroups = None if asked.workgroups is None else _workgroups(asked.workgroups)
    return Asked(given, workgroups, asked.entry_point, asked.params)


@router.post("", status_code=201, summary="Store a kernel", openapi_extra=body.body_schema(KernelRequest))
async def add(
    server: Server, caller: Caller, asked: Annotated[NewKernel, body.json_body(KernelRequest, _new_kernel)]
) -> Response:
    """Render, parse, compile and store. The same again answers 200; anything new 201, and the name moves to it."""
    record, new = await server.kernels.add(caller, asked.name, asked.text)
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
    """Run one entry point over `workgroups`; the answer has every binding that is written."""
    return json_response(await while_connected(request, _dispatch(server, caller, name, asked)))


async def _dispatch(server: Runtime, caller: Identity, name: str, asked: Asked) -> dict[str, Any]:
    began = time.perf_counter()
    kernel = await server.kernels.find(caller, name)
    server.gates.require(caller, "kernels", kernel_name(caller, name))
    kernel = await server.kernels.prepare(kernel, asked.params)
    given = asked.given
    await server.ready()
    async with Work(server.device, server.tensors, caller) as work:
        for key, value in given.items():
            if isinstance(value, values.InlineTensor | values.TensorId):
                given[key] = await work.admit(value)
        entry = choose_entry(kernel.reflection, asked.entry_point)
        workgroups = asked.workgroups or spread(kernel.reflection, entry, given)
        refs = await work.dispatch(kernel, entry.name, workgroups, given)
        outputs = {}
        for key, ref in refs.items():
            record = await work.keep(ref)
            inline = elements.count(record.shape) <= server.settings.inline_elements
            outputs[key] = await tensor_json(server.tensors, record, inline=inline)
        server.count("kernel", work, began)
        return {"outputs": outputs, "usage": work.usage(began)}


@router.get("/{name:path}", summary="A kernel with its source")
async def one(server: Server, caller: Caller, name: str) -> Response:
    """The kernel at `name`, `name@hash`, `owner/name` or `owner/name@hash`."""
    record = await server.kernels.find(caller, name)
    template = {} if record.template is None else {"template": record.template.text}
    return json_response({**record.document(), "source": record.source, **template})


@router.delete("/{name:path}", status_code=204, summary="Forget a kernel")
async def delete(server: Server, caller: Caller, name: str) -> Response:
    """Forget a name and all its versions."""
    await server.kernels.delete(caller, name)
    return Response(status_code=204)


def _workgroups(sizes: list[int]) -> tuple[int, int, int]:
    if any(not 0 <= size <= MAX_SIZE for size in sizes):
        raise InvalidRequest(f"workgroups {sizes!s:.80} are no counts")
    x, y, z = [*sizes, 1, 1][:3]
    return x, y, z


def _given(value: Any, name: str, parser: values.Parser, settings: Settings) -> Given:
    """What a request gives for a binding: a tensor, the type of an output, or the values of a uniform."""
    if isinstance(value, dict) and value.keys() == {"$tensor"}:
        return parser.tensor(value["$tensor"], f"inputs.{name:.60}")
    if isinstance(value, dict) and value.keys() == {"shape", "dtype"}:
        try:
            row = elements.named_dtype(value["dtype"])
            shape = elements.parse_shape(value["shape"])
            elements.size_of(shape, row, settings.upload_bytes)
        except MalformedTensor as error:
            raise MalformedTensor(f"inputs.{name:.60}: {error.message}") from None
        return TensorType(shape, row.name)
    return parser.parse(value, f"inputs.{name:.60}")
