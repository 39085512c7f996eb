"""The trade of workers that render kernels' templates.

Owns what such a worker has imported, as it can open no file, and its one job. jinja2 is loaded only here, by way of
`shaders/rendering.py` and by name, in a zygote of its own: no other worker holds it. A worker gives back text and
nothing else, so that who breaks out of jinja2 has gained what anyone may post: the text of a kernel.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping

from sandbox.frames import Rendered, ServerMessage, TemplateJob
from sandbox.worker import Worker
from shaders.template import Scalar

_render: Callable[[str, Mapping[str, Scalar]], str]


def warm() -> None:
    """Import jinja2 and compile our partials. Once, in the zygote."""
    global _render
    rendering = importlib.import_module("shaders.rendering")
    rendering.warm()
    _render = rendering.render


class TemplateWorker(Worker):
    """Renders a template."""

    def work(self, job: ServerMessage) -> None:
        """Do a `TemplateJob`."""
        if isinstance(job, TemplateJob):
            self.answer(lambda: Rendered(_render(job.template, job.params)))
