"""The OpenAPI description as a file: `python -m api.openapi > docs/openapi.json`.

Owns its form. Must not know what routes do.
"""

from __future__ import annotations

import json

from api.app import create_app
from api.settings import Settings


def document() -> str:
    """The description of all routes, as text."""
    return json.dumps(create_app(Settings()).openapi(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    print(document(), end="")
