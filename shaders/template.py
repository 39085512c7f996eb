"""A stranger's template as text, and the errors that point into it.

Owns the three ways in which rendering fails, and what a parameter's value may be. Must not know jinja2: the server
imports this module, and only the worker that renders imports `shaders/rendering.py`.
"""

from __future__ import annotations

import re

from shaders.errors import KernelgateError, caret, lines_of

Scalar = bool | int | float | str
"""The value of a parameter."""

_QUOTED = re.compile(r"'([^']+)'")


class TemplateSyntaxError(KernelgateError):
    """The text is not a template."""

    code = "template_syntax"
    title = "The template is not valid jinja2"


class TemplateError(KernelgateError):
    """The template asks for something that does not exist or is not available, or computes something impossible."""

    code = "template_error"
    title = "The template failed"
    remedy = "A template is jinja2: it computes with its parameters, and what it writes must be WGSL."


class TemplateLimitError(KernelgateError):
    """The template, or what it writes, is larger than a kernel may be, or takes too long."""

    code = "template_limit"
    title = "The template is over a limit"
    remedy = "Write less by it, or make several templates of it."


class TemplateParamsError(KernelgateError):
    """A declaration of a parameter contradicts itself, or a value is not what the declaration takes."""

    code = "template_params"
    title = "A parameter of the template does not fit"
    remedy = "GET /api/kernels/{name} shows the parameters of a template that is stored."


def placed(error: KernelgateError, template: str, line: int) -> KernelgateError:
    """`error` with its place in `template`: `line` (from 1), and the column of what its message quotes last there.

    jinja2 tells lines only; where nothing of the message stands in the line, the caret is under its first character.
    """
    lines = lines_of(template)
    text = lines[line - 1].rstrip("\n") if 0 < line <= len(lines) else ""
    found = [text.find(word) for word in reversed(_QUOTED.findall(error.message)) if word in text]
    error.line, error.column = line, (found[0] if found else len(text) - len(text.lstrip())) + 1
    error.snippet = caret(template, line, error.column)
    return error
