"""`/api/ops`: the op table, and single ops on tensors."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any

from fastapi import APIRouter, Request, Response
from pydantic import Field

from api import body, elements, strings, values
from api.access import Caller, Server, json_response, while_connected
from api.errors import InvalidRequest
from api.keys import Identity
from api.runtime import Runtime
from api.services import tensor_json
from api.settings import Settings
from api.work import Work, again_if_lost
from ops.graph import Graph, Node, TensorRef
from ops.spec import REQUIRED, OpSpec
from ops.table import TABLE, find, full_name

router = APIRouter(prefix="/api/ops", tags=["ops"])
MAX_INPUTS = 256
MAX_ATTRIBUTES = 64
MAX_ATTRIBUTE_ITEMS = 10_000


class OpRequest(body.RequestModel):
    """One op to compute."""

    inputs: list[Any] = Field(
        description="tensors, plain numbers and booleans, or lists of byte strings, which are two inputs each",
        max_length=MAX_INPUTS,
    )
    attributes: dict[str, Any] = Field(
        default={}, max_length=MAX_ATTRIBUTES, description="as GET /api/ops lists them"
    )


@dataclass(frozen=True, slots=True)
class Asked:
    """One op as asked for, checked and parsed."""

    given: list[values.TensorValue]
    attributes: dict[str, Any]


def _asked(asked: OpRequest, settings: Settings) -> Asked:
    """The tensors of a request; its attributes are checked when the op is."""
    values.check_items(asked.attributes, "attributes", MAX_ATTRIBUTE_ITEMS)
    parser = values.Parser(settings.json_bytes)
    given = [
        tensor
        for n, value in enumerate(asked.inputs)
        for tensor in _inputs(value, f"inputs[{n}]", settings.json_bytes, parser)
    ]
    return Asked(given, asked.attributes)


@router.get("", summary="List the ops")
async def listed(caller: Caller) -> Response:
    """Every op with its inputs, attributes, dtypes and meaning."""
    return json_response({"ops": _documents()})


@router.post("/{name}", summary="Compute one op", openapi_extra=body.body_schema(OpRequest))
async def compute(
    request: Request,
    server: Server,
    caller: Caller,
    name: str,
    asked: Annotated[Asked, body.json_body(OpRequest, _asked)],
) -> Response:
    """The op's result on the given tensors."""
    work = again_if_lost(lambda: _compute(server, caller, name, asked))
    return json_response(await while_connected(request, work))


async def _compute(server: Runtime, caller: Identity, name: str, asked: Asked) -> dict[str, Any]:
    began = time.perf_counter()
    spec = find(name)
    server.gates.require(caller, "ops", full_name(spec))
    await server.ready()
    async with Work(server.launcher, server.tensors, caller) as work:
        refs = [await work.admit(value) for value in asked.given]
        leaves = [_leaf(ref) for ref in refs]
        node = Node(spec.name, tuple(range(len(leaves))), asked.attributes)
        (ref,) = await work.graph(Graph([*leaves, node], [len(leaves)]))
        record = await work.keep(ref)
        inline = elements.count(record.shape) <= server.settings.inline_elements
        output = await tensor_json(server.tensors, record, inline=inline)
        server.count("op", work, began)
        return {"output": output, "usage": work.usage(began)}


def _inputs(value: Any, where: str, limit: int, parser: values.Parser) -> Sequence[values.TensorValue]:
    """A tensor, or of a list of byte strings the bytes and where each begins."""
    if not isinstance(value, list):
        return [_input(value, where, limit)]
    texts = strings.texts_in(parser.parse(value, where))
    if texts is None:
        raise InvalidRequest(
            f"{where} is a list, and not of byte strings", hint="Give many numbers as a $tensor."
        )
    return strings.packed(texts)


def _input(value: Any, where: str, limit: int) -> values.TensorValue:
    """A tensor as given, or the tensor without dimensions of a plain value."""
    if isinstance(value, dict) and value.keys() == {"$tensor"}:
        return values.parse_tensor(value["$tensor"], where, limit)
    if isinstance(value, dict) and value.keys() == {"$float"}:
        value = value["$float"]
    names = {bool: "bool", int: "i32", float: "f32", str: "f32"}
    if type(value) not in names:
        raise InvalidRequest(f"{where} is neither a $tensor nor a number")
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
        "attributes": attributes,
        "doc": spec.doc,
    }
