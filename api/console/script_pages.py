"""The console's pages of stored scripts: `/console/scripts`, `/console/scripts/{name}`.

Owns what these are rendered from, and which field an input gets. Must not know how they look.
"""

from __future__ import annotations

import json
from typing import Any

from fastapi import APIRouter, Response

from api.access import Cursor, Owned, Server, reference
from api.console.rendering import link, page
from api.console.visiting import Looking, PageRoute, needs
from api.scripts import schemas
from api.versions import SCRIPTS

router = APIRouter(prefix="/console", route_class=PageRoute, include_in_schema=False)
ROWS = 50
FIELDS = {"number": "number", "integer": "number", "boolean": "checkbox", "string": "text"}
"""The kind of field for an input of a JSON type; of others `_kind` says it, or they are written as JSON."""


@router.get("/scripts", dependencies=[needs("GET /api/scripts")])
async def listed(server: Server, visitor: Looking, after: Cursor = None, owner: Owned = None) -> Response:
    """The scripts that the visitor may read, by name."""
    found = await server.scripts.page(visitor.identity, ROWS, after, owner or None)
    named = [(reference(visitor.identity, record.owner, record.name), record) for record in found]
    last = named[-1][0] if len(named) == ROWS else None
    return page(
        "scripts",
        visitor,
        rows=[(name, record, record.known_signature) for name, record in named],
        owner=owner or "",
        start=link("/console/scripts", owner=owner) if after else None,
        more=link("/console/scripts", after=last, owner=owner) if last else None,
    )


@router.get("/scripts/{name:path}", dependencies=[needs("GET /api/scripts/{name}")])
async def one(server: Server, visitor: Looking, name: str) -> Response:
    """A script, what its `main` takes and gives, and a form to call it."""
    record = await server.scripts.signed(await server.scripts.find(visitor.identity, name))
    told = schemas.document(record.known_signature)
    return page(
        "script",
        visitor,
        here="scripts",
        record=record,
        reference=reference(visitor.identity, record.owner, record.name),
        told=told,
        fields=_fields(told["input"]),
        open=told["input"]["additionalProperties"] is not False,
        versions=await server.database.do(lambda db: SCRIPTS.of(db, record.target)),
        pointed=await server.database.do(lambda db: SCRIPTS.pointed(db, record.target)),
    )


def _fields(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """The inputs of a call: name, kind of field, what it is, its default, and whether it must be given."""
    return [
        {
            "name": name,
            "kind": _kind(asked := _asked(each)),
            "choices": [(json.dumps(value), _written(value)) for value in asked.get("enum", [])],
            "whole": asked.get("type") == "integer",
            "about": each.get("description", ""),
            "default": _written(each.get("default", "")),
            "type": _type(each),
            "required": name in schema["required"],
        }
        for name, each in schema["properties"].items()
    ]


def _asked(schema: dict[str, Any]) -> dict[str, Any]:
    """What a field asks for: of what is null unless given, as an empty field is, the other type.

    Not so of a bool, whose field is never empty.
    """
    others = [each for each in schema.get("anyOf", []) if each != {"type": "null"}]
    null_unless_given = schema.get("default", "") is None and len(others) == 1
    return others[0] if null_unless_given and others[0].get("type") != "boolean" else schema


def _kind(schema: dict[str, Any]) -> str:
    """The kind of field for an input: `loose` is JSON or plain text, for what may be a text or something else."""
    types = {_type(each) for each in schema.get("anyOf", [schema])}
    if types == {"tensor"}:
        return "tensor"
    if "enum" in schema:
        return "choice"
    if "any" in types or ("string" in types and len(types) > 1):
        return "loose"
    return FIELDS.get(schema.get("type", ""), "json")


def _written(value: Any) -> str:
    """A value as it would be written into the field."""
    return value if isinstance(value, str) else json.dumps(value)


def _type(schema: dict[str, Any]) -> str:
    """What an input is, in a word or several."""
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_type(each) for each in schema["anyOf"]))
    tags = [tag[1:] for tag in schema.get("properties", {}) if tag.startswith("$")]
    unnamed = "choice" if "enum" in schema else "any"
    return tags[0] if tags else str(schema.get("title") or schema.get("type") or unnamed)
