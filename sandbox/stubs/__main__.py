"""Prints the stubs of all modules as one JSON object, by module."""

from __future__ import annotations

import json
import sys

from sandbox import restricted
from sandbox.stubs.modules import stubs

if __name__ == "__main__":
    restricted.warm()
    json.dump(stubs(), sys.stdout)
