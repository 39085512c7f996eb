"""The parameters of kernels' templates: what a declaration may say, and which values it takes.

Owns the rules of both. A value that is text is one of the author's choices or a plain name, so that who dispatches a
kernel of somebody else's cannot write into its source. Must not know how a template is rendered.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field, TypeAdapter

from api.http.body import RequestModel
from shaders.template import Scalar, TemplateParamsError

MAX_PARAMS = 32
MAX_CHOICES = 64
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
CHOICE = re.compile(r"[ -~]{0,64}")
_WORDS = (
    "and caller else false False if in is kwargs loop namespace none None not or range self true True varargs"
)
TAKEN = frozenset(_WORDS.split())
"""Names that mean something in a template already."""
_LARGEST_F32 = 3.4028234663852886e38
_RANGES: dict[str, tuple[float, float]] = {
    "int": (-(2**31), 2**32 - 1),
    "float": (-_LARGEST_F32, _LARGEST_F32),
}


class Parameter(RequestModel):
    """A parameter of a template. With `example` in place of `default` every dispatch must give it."""

    type: Literal["int", "float", "bool", "string"]
    default: bool | int | float | str | None = Field(
        None, description="the value where a dispatch gives none"
    )
    example: bool | int | float | str | None = Field(
        None, description="in place of default: stands in while the kernel is stored"
    )
    min: int | float | None = Field(None, description="least number; left out: the least of i32, or of f32")
    max: int | float | None = Field(None, description="greatest number; left out: that of u32, or of f32")
    choices: list[str] | None = Field(
        None,
        min_length=1,
        max_length=MAX_CHOICES,
        description="the texts that a string may be; left out: a name",
    )
    description: str = Field("", max_length=500)

    @property
    def first(self) -> Scalar | None:
        """The value with which the kernel is stored."""
        return self.example if self.default is None else self.default

    def range(self) -> tuple[float, float]:
        """The least and the greatest number."""
        least, most = _RANGES[self.type]
        return least if self.min is None else self.min, most if self.max is None else self.max

    def takes(self) -> str:
        """What a value may be, for people."""
        if self.type in _RANGES:
            least, most = self.range()
            return f"{'an' if self.type == 'int' else 'a'} {self.type} from {least} to {most}"
        if self.type == "bool":
            return "true or false"
        return (
            f"one of {', '.join(self.choices)}"[:400] if self.choices else "a name of letters, digits and _"
        )

    def value(self, name: str, given: object) -> Scalar:
        """`given` as a value of this parameter, which is called `name`. Raises `TemplateParamsError`."""
        if self._fits(given):
            assert isinstance(given, Scalar)
            return float(given) if self.type == "float" else given
        raise TemplateParamsError(
            f"params.{name}: {given!r:.60} is not {self.takes()}", hint=self.description or None
        )

    def _fits(self, given: object) -> bool:
        if isinstance(given, bool) or self.type == "bool":
            return isinstance(given, bool) and self.type == "bool"
        if isinstance(given, str):
            return self.type == "string" and self._is_safe(given)
        if not isinstance(given, int | float) or (isinstance(given, float) and self.type != "float"):
            return False
        if self.type not in _RANGES or (isinstance(given, float) and not math.isfinite(given)):
            return False
        least, most = self.range()
        return least <= given <= most

    def _is_safe(self, text: str) -> bool:
        return text in self.choices if self.choices else NAME.fullmatch(text) is not None


Params = dict[str, Parameter]
_PARAMS = TypeAdapter(Params)


@dataclass(frozen=True)
class Template:
    """A template and its parameters, as posted."""

    text: str
    params: Params

    @property
    def hash(self) -> str:
        """Names the template: of its text and all that is declared."""
        return hashlib.sha256(_canonical([self.text, self.declarations()])).hexdigest()

    def declarations(self) -> dict[str, Any]:
        """The parameters as they were posted."""
        return {
            name: parameter.model_dump(exclude_unset=True) for name, parameter in sorted(self.params.items())
        }

    def first(self) -> dict[str, Scalar]:
        """The values with which the kernel is stored: defaults and examples."""
        return {
            name: parameter.value(name, parameter.first) for name, parameter in sorted(self.params.items())
        }

    def fill(self, given: Mapping[str, object]) -> dict[str, Scalar]:
        """A value for each parameter: the given one or the default. Raises `TemplateParamsError` that names it."""
        for name in given:
            if name not in self.params:
                known = ", ".join(sorted(self.params)) or "none"
                raise TemplateParamsError(
                    f"params.{name:.60} does not exist", hint=f"The kernel has {known}."
                )
        values = {}
        for name, parameter in sorted(self.params.items()):
            value = given.get(name, parameter.default)
            if name not in given and value is None:
                raise TemplateParamsError(f"params.{name} must be given: {parameter.takes()}")
            values[name] = parameter.value(name, value)
        return values


def check(params: Params) -> Params:
    """`params`, whose declarations are right. Raises `TemplateParamsError` that names the first that is not."""
    for name, parameter in params.items():
        if not NAME.fullmatch(name) or name in TAKEN:
            raise TemplateParamsError(
                f"params: {name[:80]!r} is no name for a parameter",
                hint="Use up to 64 letters, digits and _, beginning with a letter, and no word of templates.",
            )
        fault = _fault(parameter)
        if fault is not None:
            raise TemplateParamsError(f"params.{name}: {fault}")
        parameter.value(name, parameter.first)
    return params


def _fault(parameter: Parameter) -> str | None:
    """What a declaration says wrongly of itself, if anything."""
    bounds = [bound for bound in (parameter.min, parameter.max) if bound is not None]
    if (parameter.default is None) == (parameter.example is None):
        return "it needs a default, or an example when every dispatch must give it, and not both"
    if bounds and parameter.type not in _RANGES:
        return "min and max are for numbers"
    if parameter.choices is not None and parameter.type != "string":
        return "choices are for strings"
    if parameter.choices and not all(CHOICE.fullmatch(choice) for choice in parameter.choices):
        return "a choice is up to 64 printable characters of ASCII"
    if parameter.type in _RANGES:
        least, most = _RANGES[parameter.type]
        if not all(least <= bound <= most for bound in bounds) or parameter.range()[0] > parameter.range()[1]:
            return f"min and max are from {least} to {most}, and min is not above max"
        if parameter.type == "int" and any(isinstance(bound, float) for bound in bounds):
            return "min and max of an int are whole numbers"
    return None


def key_of(values: Mapping[str, Scalar]) -> str:
    """The same text for the same values, and another one for others."""
    return _canonical(dict(values)).decode()


def load(text: str) -> Params:
    """Parameters from the text that `dump` made."""
    return _PARAMS.validate_json(text)


def dump(template: Template) -> str:
    """The template's parameters as text."""
    return _canonical(template.declarations()).decode()


def _canonical(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
