"""A stranger's template to a kernel's text, by jinja2 with next to nothing in reach.

Owns what a template may use: a few filters and tests, `range`, `namespace`, macros and our partials. Imported only by
workers that render (`sandbox/template.py`), which are sealed as those of scripts are: this wall keeps honest templates
honest and errors readable, the other one counts. Must not know how a parameter is declared.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache, wraps
from types import TracebackType
from typing import Any

from jinja2 import DictLoader, StrictUndefined, TemplateNotFound, Undefined
from jinja2 import TemplateSyntaxError as JinjaSyntaxError
from jinja2.environment import TemplateModule
from jinja2.runtime import LoopContext, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace

from shaders.generator import FILTERS, TEXTS
from shaders.limits import LIMITS
from shaders.template import Scalar, TemplateError, TemplateLimitError, TemplateSyntaxError, placed

MAX_RANGE = 4096
MAX_BITS = 1024
"""Of a number that a template computes."""
USED_FILTERS = (
    "abs default first float indent int items join last length list lower map max min reverse round sum trim"
    " upper"
)
USED_TESTS = (
    "boolean defined divisibleby even float in integer iterable mapping none number odd sequence string undefined"
    " eq ne lt le gt ge == != < <= > >="
)
_LAZY = ("items", "map", "reverse")
"""Filters whose results are read once, and whose text would be an address in memory."""
_LOOP = frozenset(["first", "last", "index", "index0", "revindex", "revindex0", "length"])
_FORMAT = re.compile(r"(?:[^%]|%%|%[-+ #0]*\d{0,3}(?:\.\d{1,3})?[diouxXeEfFgGs])*")
_HALF = re.compile("[\ud800-\udfff]")
_RANGE_HINT = "Table data belongs in a storage binding."


def render(template: str, params: Mapping[str, Scalar]) -> str:
    """The text of `template` with `params` as its variables.

    Raises `TemplateSyntaxError`, `TemplateError` and `TemplateLimitError`, with line, column and caret where there is
    a place; and `MemoryError`. How long it takes is for the caller to bound.
    """
    if len(template) > LIMITS.source_characters:
        raise TemplateLimitError(
            f"the template has {len(template)} characters; the limit is {LIMITS.source_characters}"
        )
    try:
        return _written(template, params)
    except (TemplateSyntaxError, TemplateError, TemplateLimitError) as error:
        raise _at_its_line(error, template, error.__traceback__) from None
    except JinjaSyntaxError as error:
        raise _syntax_error(error, template) from None
    except MemoryError:
        raise
    except (
        RecursionError,
        SyntaxError,
    ) as error:  # in our process, or in the code that jinja2 makes of a template
        deep = TemplateLimitError("the template nests too deeply, or a macro calls itself without end")
        raise _at_its_line(deep, template, error.__traceback__) from None
    except Exception as error:
        raise _at_its_line(_described(error), template, error.__traceback__) from None


def warm() -> None:
    """Compile every partial and touch what jinja2 loads late, before files are out of reach."""
    for name in _environment().list_templates():
        _environment().get_template(name)
    for text in ("{% macro m(x) %}{{ x }}{% endmacro %}{{ m('%03d' % 7) }}", "{{ nothing }}", "{% if %}"):
        try:
            render(text, {})
        except (TemplateSyntaxError, TemplateError):
            continue


def _written(template: str, params: Mapping[str, Scalar]) -> str:
    made = _environment().from_string(template)
    pieces: list[str] = []
    size = 0
    for piece in made.root_render_func(made.new_context(dict(params))):
        size += len(piece)
        if size > LIMITS.source_characters:
            raise TemplateLimitError(
                f"the template writes more than {LIMITS.source_characters} characters", hint=_RANGE_HINT
            )
        pieces.append(piece)
    text = "".join(pieces)
    if _HALF.search(text):
        raise TemplateError("the template writes half of a surrogate pair, which is no character")
    return text


class _Range:
    """`range`, as a constant of the template language rather than as Python's class."""

    def __call__(self, *bounds: int) -> range:
        made = range(*bounds)
        if len(made) > MAX_RANGE:
            raise TemplateLimitError(
                f"'range' of {len(made)} numbers; the limit is {MAX_RANGE}", hint=_RANGE_HINT
            )
        return made

    def __repr__(self) -> str:
        return "range"


class _Environment(ImmutableSandboxedEnvironment):
    """Attributes are those of mappings, namespaces, `loop` and imported partials. Only macros and our two functions are
    called."""

    intercepted_binops = frozenset(["*", "**", "%"])

    def getattr(self, obj: Any, attribute: str) -> Any:
        """`obj.attribute`."""
        if isinstance(obj, Undefined):
            return getattr(obj, attribute)  # which says what is undefined
        if isinstance(obj, LoopContext) and attribute in _LOOP:
            return getattr(obj, attribute)
        if isinstance(obj, Namespace) and not attribute.startswith("_"):
            return getattr(obj, attribute, self.undefined(obj=obj, name=attribute))
        if isinstance(obj, TemplateModule) and isinstance(vars(obj).get(attribute), Macro):
            return vars(obj)[attribute]
        if not isinstance(obj, Mapping):
            raise TemplateError(
                f"{_kind(obj)} has no '{attribute}'",
                hint="Only objects, namespaces, loop and imported partials have names.",
            )
        return obj[attribute] if attribute in obj else self.undefined(obj=obj, name=attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        """`obj[argument]`."""
        if isinstance(obj, Undefined):
            return obj[argument]
        if not isinstance(obj, Mapping | list | tuple | str | range):
            raise TemplateError(f"{_kind(obj)} has no items")
        try:
            return obj[argument]
        except LookupError:
            return self.undefined(obj=obj, name=argument)

    def is_safe_callable(self, obj: Any) -> bool:
        """Whether a template may call `obj`."""
        return obj is Namespace or isinstance(obj, Macro | _Range | Undefined)  # the last tells itself

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """`left operator right`, for operators whose result may be far larger than both."""
        if operator == "%" and isinstance(left, str):
            parts = right if isinstance(right, tuple) else (right,)
            if not _FORMAT.fullmatch(left) or not all(isinstance(part, Scalar) for part in parts):
                raise TemplateError(
                    "'%' takes numbers and texts, and formats such as '%d', '%04x' and '%.3f'"
                )
        elif operator != "%" and _size_of(operator, left, right) > MAX_BITS * 8:
            raise TemplateLimitError(f"'{operator}' gives something too large")
        return super().call_binop(context, operator, left, right)


def _size_of(operator: str, left: Any, right: Any) -> int:
    """About how many bits a product or a power has."""
    if isinstance(left, int) and isinstance(right, int):
        if operator == "**":
            return left.bit_length() * max(right, 0)
        return left.bit_length() + right.bit_length()
    for sequence, count in ((left, right), (right, left)):
        if isinstance(sequence, str | list | tuple) and isinstance(count, int):
            return len(sequence) * max(count, 0)
    return 0


@cache
def _environment() -> _Environment:
    partials = {name: text for name, text in TEXTS.items() if name.startswith("partials/")}
    environment = _Environment(
        loader=DictLoader(partials),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
        finalize=_text,
    )
    environment.filters = {name: environment.filters[name] for name in USED_FILTERS.split()} | FILTERS
    for name in _LAZY:
        environment.filters[name] = _listed(environment.filters[name])
    environment.tests = {name: environment.tests[name] for name in USED_TESTS.split()}
    environment.globals = {"namespace": Namespace, "range": _Range()}
    return environment


def _listed(filter: Callable[..., Any]) -> Callable[..., list[Any]]:
    """`filter` with a list as its result."""

    @wraps(filter)
    def listed(*given: Any, **named: Any) -> list[Any]:
        return list(filter(*given, **named))

    return listed


def _text(value: Any) -> str:
    """What `{{ value }}` writes: truth values as WGSL spells them."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Scalar | Undefined):
        return str(value)  # of what is undefined, its error
    raise TemplateError(
        f"{_kind(value)} cannot be written into a kernel", hint="Write its parts, or join them."
    )


def _kind(value: Any) -> str:
    """What a template calls `value`."""
    names = {bool: "a truth value", int: "a number", float: "a number", str: "a text", dict: "an object"}
    names |= {list: "a list", tuple: "a list", range: "a range", Macro: "a macro", type(None): "none"}
    return names.get(type(value), "this value")


def _described(error: Exception) -> TemplateError:
    """Our error for one of jinja2's or Python's."""
    if isinstance(error, TemplateNotFound):
        name = str(error.name)
        return TemplateError(
            f"there is no partial '{_whole(name[:80])}'", hint=f"There are {', '.join(_nearest(name))}."
        )
    text = _whole(str(error)[:500]) or type(error).__name__
    if "is not safely callable" in text:
        return TemplateError(
            "only macros, range and namespace are called in templates", hint="There are filters, too."
        )
    return TemplateError(text)


def _nearest(name: str) -> list[str]:
    """A few partials, those with the longest common part of a name first."""
    words = set(re.findall(r"[a-z0-9]+", name.lower())) - {"partials", "wgsl", "j2"}
    known = _environment().list_templates()
    return sorted(known, key=lambda each: (-sum(word in each for word in words), len(each)))[:5]


def _syntax_error(error: JinjaSyntaxError, template: str) -> TemplateSyntaxError:
    message = _whole((error.message or "this is no template")[:500])
    hint = None
    if message.startswith("No filter"):
        hint = f"The filters are {', '.join(sorted(_environment().filters))}."
    elif message.startswith("No test"):
        hint = f"The tests are {', '.join(sorted(_environment().tests))}."
    found = TemplateSyntaxError(message[0].lower() + message[1:], hint=hint)
    placed(found, template, error.lineno)
    return found


def _at_its_line(error: Any, template: str, trace: TracebackType | None) -> Any:
    """`error` with the last line of the template itself on the way to it; a partial on the way is named."""
    line, partial = 0, None
    while trace is not None:
        made = trace.tb_frame.f_globals.get("__jinja_template__")
        if made is not None and made.name is None:
            line, partial = made.get_corresponding_lineno(trace.tb_lineno), None
        elif made is not None:
            partial = f"{made.name}, line {made.get_corresponding_lineno(trace.tb_lineno)}"
        trace = trace.tb_next
    if partial is not None:
        error.message = f"{error.message} (in {partial})"
    return placed(error, template, line) if line else error


def _whole(text: str) -> str:
    """`text` with lone surrogates, which no message can carry, as their escapes."""
    return text.encode("utf-8", "backslashreplace").decode()
