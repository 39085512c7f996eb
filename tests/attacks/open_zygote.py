"""The zygote of templates with jinja2 as it comes, so that only the walls of the operating system stand.

A program in place of an interpreter's `-I -m sandbox.zygote template FD`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import jinja2

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from sandbox.zygote import TRADES, main
from shaders import rendering

_PLAIN = jinja2.Environment(loader=jinja2.DictLoader({}))
rendering._environment = lambda: _PLAIN

if __name__ == "__main__":
    main(TRADES["template"], int(sys.argv[-1]))
