"""Answers in JSON: the one place where they are rendered.

Owns their form: one line that ends, so that a shell's prompt is not glued to it. Must not know what is in them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from fastapi import Response

JSON = "application/json"


def json_response(
    value: Any, status: int = 200, headers: Mapping[str, str] | None = None, media_type: str = JSON
) -> Response:
    """`value` as JSON; `msgspec.Raw` inside it is JSON already, bytes are a whole document."""
    content = value if isinstance(value, bytes) else msgspec.json.encode(value)
    return Response(content + b"\n", status, headers, media_type)
