"""`/api/ops`: the op table, and single ops on tensors."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any

from fastapi import APIRouter, Request, Response
from pydantic import Field

from api.access import Caller, Cursor, PageSize, Server, reference, while_connected
from api.auth.identity import Identity
from api.errors import InvalidRequest
from api.http import body
from api.http.answers import json_response
from api.runs.work import Work, again_if_lost
from api.runtime import Runtime
from api.settings import Settings
from api.tensors import elements, strings, values
from api.tensors.documents import tensor_json
from ops.composites import expand
from ops.graph import Graph, Node, TensorRef, TensorType
from ops.spec import REQUIRED, OpSpec, also_called
from ops.table import TABLE, find, full_name

router = APIRouter(prefix="/api/ops", tags=["ops"])
MAX_INPUTS = 256
MAX_ATTRIBUTES = 64
MAX_ATTRIBUTE_ITEMS = 10_000


class OpRequest(body.RequestModel):
    """One op to compute."""

    inputs: list[Any] = Field(
        description="tensors, plain numbers and booleans, bytes, or lists of byte strings, two inputs each",
        max_length=MAX_INPUTS,
    )
    attributes: dict[str, Any] = Field(
        default={}, max_length=MAX_ATTRIBUTES, description="as GET /api/ops lists them"
    )


@dataclass(frozen=True, slots=True)
class Asked:
    """One op as asked for, checked and parsed; `longest` is the size of the longest byte string in it."""

    given: list[values.TensorValue]
    attributes: dict[str, Any]
    longest: int | None

    def bounded(self, spec: OpSpec) -> dict[str, Any]:
        """The attributes, with the bound on messages where it is known and was not given."""
        known = self.longest is not None and any(each.name == "max_bytes" for each in spec.attributes)
        return ({"max_bytes": self.longest} if known else {}) | self.attributes


def asked_of(asked: OpRequest, settings: Settings) -> Asked:
    """The tensors of a request; its attributes are checked when the op is."""
    values.check_items(asked.attributes, "attributes", MAX_ATTRIBUTE_ITEMS)
    parser = values.Parser(settings.json_bytes)
    given: list[values.TensorValue] = []
    longest: int | None = None
    for number, value in enumerate(asked.inputs):
        where = f"inputs[{number}]"
        if isinstance(value, list):
            texts = _texts(value, where, parser)
            given += strings.packed(texts)
            longest = max(longest or 0, *map(len, texts))
        else:
            given.append(_input(value, where, settings.json_bytes, parser))
    return Asked(given, asked.attributes, longest)


@router.get("", summary="List the ops and scripts")
async def listed(server: Server, caller: Caller, limit: PageSize = 50, after: Cursor = None) -> Response:
    """Every op with its inputs, attributes, dtypes and meaning; and the stored scripts that you may read, with what
    their `main` takes and gives, in pages: `next` is what `after` takes for the following one."""
    readable = "scripts:read" in caller.scopes
    page = await server.scripts.page(caller, limit, after) if readable else []
    named = [(record, reference(caller, record.owner, record.name)) for record in page]
    return json_response(
        {
            "ops": _documents(),
            "scripts": [record.operation(name) for record, name in named],
            "next": named[-1][1] if len(named) == limit else None,
        }
    )


@router.post("/{name}", summary="Compute one op", openapi_extra=body.body_schema(OpRequest))
async def compute(
    request: Request,
    server: Server,
    caller: Caller,
    name: str,
    asked: Annotated[Asked, body.json_body(OpRequest, asked_of)],
) -> Response:
    """The op's result on the given tensors."""
    work = again_if_lost(lambda: _compute(server, caller, name, asked))
    return json_response(await while_connected(request, work))


async def _compute(server: Runtime, caller: Identity, name: str, asked: Asked) -> dict[str, Any]:
    began = time.perf_counter()
    spec = find(name)
    server.gates.require(caller, "ops", full_name(spec))
    await server.ready()
    account = server.accounts.of(caller)
    with Work(server.launcher, server.tensors, caller, account) as work:
        (ref,) = await work.graph(await graph_of(work, spec, asked))
        record = await work.keep(ref)
        inline = elements.count(record.shape) <= server.settings.inline_elements
        output = await tensor_json(server.tensors, record, inline=inline)
        server.count("op", work, began)
        return {"output": output, "usage": work.tally.usage(began)}


async def graph_of(work: Work, spec: OpSpec, asked: Asked) -> Graph:
    """The graph of one op over tensors that `work` holds from now."""
    refs = [await work.admit(value) for value in asked.given]
    types = [TensorType(ref.shape, ref.dtype) for ref in refs]
    nodes, result = expand(spec.name, asked.bounded(spec), types)
    return Graph([*map(_leaf, refs), *nodes], [result])


def _texts(value: list[Any], where: str, parser: values.Parser) -> list[bytes]:
    texts = strings.texts_in(parser.parse(value, where))
    if texts is None:
        raise InvalidRequest(
            f"{where} is a list, and not of byte strings", hint="Give many numbers as a $tensor."
        )
    return texts


def _input(value: Any, where: str, limit: int, parser: values.Parser) -> values.TensorValue:
    """A tensor as given, the words of bytes, or the tensor without dimensions of a plain value."""
    if isinstance(value, dict) and value.keys() == {"$bytes"}:
        return strings.words(parser.parse(value, where))
    if isinstance(value, dict) and value.keys() == {"$tensor"}:
        return values.parse_tensor(value["$tensor"], where, limit)
    if isinstance(value, dict) and value.keys() == {"$float"}:
        value = value["$float"]
    names = {bool: "bool", int: "i32", float: "f32", str: "f32"}
    if type(value) not in names:
        raise InvalidRequest(f"{where} is no $tensor, number, bytes or list of byte strings")
    row = elements.named_dtype(names[type(value)])
    return values.InlineTensor((), row.name, elements.from_list([value], (), row))


def _leaf(ref: TensorRef) -> Node:
    return Node("input", (), {"handle": ref.handle, "shape": list(ref.shape), "dtype": ref.dtype})


@cache
def _documents() -> list[dict[str, Any]]:
    return [_document(spec) for spec in TABLE.values()]


def _document(spec: OpSpec) -> dict[str, Any]:
    attributes = []
    for attribute in spec.attributes:
        needed = attribute.default == REQUIRED
        entry: dict[str, Any] = {
            "name": attribute.name,
            "aliases": also_called(attribute.name),
            "type": attribute.type,
            "required": needed,
            "doc": attribute.doc,
        }
        if not needed:
            entry["default"] = attribute.default
        if attribute.choices:
            entry["choices"] = attribute.choices
        attributes.append(entry)
    return {
        "name": spec.name,
        "aliases": spec.aliases,
        "kind": spec.kind,
        "dtypes": spec.dtypes,
        "inputs": spec.inputs,
        "variadic": spec.variadic,
        "optional": spec.optional,
        "attributes": attributes,
        "doc": spec.doc,
    }
