"""Arrays as text, in NumPy's form.

Owns widths, line breaks, what is left out, and the options that a script sets. Must not know how arrays compute.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from sandbox.library.numpy import floats
from sandbox.library.numpy.arguments import Setting
from sandbox.library.numpy.array import make, ndarray, values

Write = Callable[[Any], str]


@dataclass(frozen=True, slots=True)
class Options:
    """What `set_printoptions` sets."""

    precision: int = 8
    threshold: int = 1000
    edgeitems: int = 3
    linewidth: int = 75
    suppress: bool = False
    nanstr: str = "nan"
    infstr: str = "inf"
    sign: str = "-"
    floatmode: str = "maxprec"
    formatter: Setting = None


_options = Options()
_NAMES = [
    "precision",
    "threshold",
    "edgeitems",
    "linewidth",
    "suppress",
    "nanstr",
    "infstr",
    "sign",
    "floatmode",
]
_KINDS = {"b": ("bool",), "i": ("int", "int_kind"), "u": ("int", "int_kind"), "f": ("float", "float_kind")}


def set_printoptions(
    precision: int | None = None,
    threshold: int | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    suppress: bool | None = None,
    nanstr: str | None = None,
    infstr: str | None = None,
    formatter: Setting = None,
    sign: str | None = None,
    floatmode: str | None = None,
    **_legacy: object,
) -> None:
    """Set how arrays are written from now on; what is not given stays."""
    global _options
    given = (precision, threshold, edgeitems, linewidth, suppress, nanstr, infstr, sign, floatmode)
    kept: dict[str, Any] = {
        name: value for name, value in zip(_NAMES, given, strict=True) if value is not None
    }
    _options = replace(_options, **kept, formatter=formatter)


def get_printoptions() -> dict[str, Setting]:
    """What is set."""
    return asdict(_options)


class printoptions:  # noqa: N801
    """`set_printoptions` for the time of a `with`."""

    __slots__ = ("_before", "_given")

    def __init__(self, **options: Setting) -> None:
        self._given = options

    def __enter__(self) -> dict[str, Setting]:
        self._before = _options
        set_printoptions(**self._given)
        return get_printoptions()

    def __exit__(self, *_error: object) -> None:
        global _options
        _options = self._before


def array2string(
    a: ndarray,
    max_line_width: int | None = None,
    precision: int | None = None,
    suppress_small: bool | None = None,
    separator: str = " ",
    prefix: str = "",
    *,
    formatter: Setting = None,
    threshold: int | None = None,
    edgeitems: int | None = None,
    sign: str | None = None,
    floatmode: str | None = None,
    suffix: str = "",
) -> str:
    """`a` as text, with these options in place of those that are set."""
    given = {
        "linewidth": max_line_width,
        "precision": precision,
        "suppress": suppress_small,
        "threshold": threshold,
        "edgeitems": edgeitems,
        "sign": sign,
        "floatmode": floatmode,
        "formatter": formatter,
    }
    options = replace(_options, **{name: value for name, value in given.items() if value is not None})
    return _text(a, options, separator, len(prefix), len(suffix))


def array_str(
    a: ndarray,
    max_line_width: int | None = None,
    precision: int | None = None,
    suppress_small: bool | None = None,
) -> str:
    """`a` as `print` shows it."""
    if not a._shape:
        return str(a._dtype._box(values(a)[0]))
    return array2string(a, max_line_width, precision, suppress_small)


def array_repr(
    a: ndarray,
    max_line_width: int | None = None,
    precision: int | None = None,
    suppress_small: bool | None = None,
) -> str:
    """`a` as the interpreter shows it."""
    body = array2string(a, max_line_width, precision, suppress_small, ", ", "array(", suffix=")")
    extras = []
    if (not a.size and a._shape != (0,)) or a.size > _options.threshold:
        extras.append(f"shape={a._shape}")
    if a._dtype._name not in ("bool", "int64", "float64") or not a.size:
        extras.append(f"dtype={a._dtype._name}")
    if not extras:
        return f"array({body})"
    text, extra = f"array({body},", f"{', '.join(extras)})"
    last = len(text) - text.rfind("\n") - 1
    width = _options.linewidth if max_line_width is None else max_line_width
    return text + ("\n      " if last + len(extra) + 1 > width else " ") + extra


def _text(a: ndarray, options: Options, separator: str, prefix: int, suffix: int) -> str:
    if not a.size:
        return "[]"
    cut = a.size > options.threshold
    shown = _edges(a, options.edgeitems) if cut else a
    write = _writer(list(values(shown)), a._dtype._kind, a._dtype._size, options, bool(a._shape))
    line = options.linewidth - (suffix if a._shape else 0)
    items = iter([write(item) for item in values(shown)])
    return _Layout(options, separator, cut).nested(
        a._shape, items, " " * (prefix + 1) if a._shape else "", line
    )


def _edges(a: ndarray, edge: int) -> ndarray:
    """`a` without what the text leaves out."""
    places, shape = [a._offset], []
    for size, stride in zip(a._shape, a._strides, strict=True):
        kept = range(size) if size <= 2 * edge else (*range(edge), *range(size - edge, size))
        places = [place + number * stride for place in places for number in kept]
        shape.append(len(kept))
    return make([a._data[place] for place in places], a._dtype, tuple(shape))


class _Layout:
    """Lines of words that are written already."""

    def __init__(self, options: Options, separator: str, cut: bool) -> None:
        self._edge = options.edgeitems
        self._separator = separator
        self._cut = cut

    def nested(self, shape: tuple[int, ...], words: Iterator[str], indent: str, width: int) -> str:
        """The next words as brackets of `shape`. `indent`: of the lines after the first."""
        if not shape:
            return next(words)
        size, *inner = shape
        cut = self._cut and size > 2 * self._edge
        count = 2 * self._edge if cut else size
        if inner:
            parts = [self.nested(tuple(inner), words, indent + " ", width - 1) for _ in range(count)]
            if cut:
                parts.insert(self._edge, "...")
            between = self._separator.rstrip() + "\n" * len(inner) + indent
            return f"[{between.join(parts)}]"
        row = [next(words) for _ in range(count)]
        if cut:
            row.insert(self._edge, "...")
        return self._row(row, indent, width)

    def _row(self, words: list[str], indent: str, width: int) -> str:
        room = width - max(len(self._separator.rstrip()), 1)
        text, line = "", indent
        for number, word in enumerate(words):
            if len(line) + len(word) > room and len(line) > len(indent):
                text += line.rstrip() + "\n"
                line = indent
            line += word + (self._separator if number + 1 < len(words) else "")
        return f"[{(text + line)[len(indent) :]}]"


def _writer(items: list[Any], kind: str, size: int, options: Options, padded: bool) -> Write:
    """How each of `items` is written: all with one width."""
    custom = _custom(kind, options)
    if custom is not None:
        return custom
    if kind == "f":
        return _float_writer(items, size, options)
    texts = {item: str(bool(item)) if kind == "b" else str(item) for item in items}
    width = 0 if not padded else 5 if kind == "b" else max(map(len, texts.values()))
    if options.sign == " " and kind != "b" and min(items) >= 0:
        width += 1
    if options.sign == "+" and kind != "b":
        texts = {item: f"{item:+d}" for item in texts}
        width = max(map(len, texts.values()))
    return lambda item: texts[item].rjust(width)


def _custom(kind: str, options: Options) -> Write | None:
    formatter = options.formatter or {}
    for name in (*_KINDS[kind], "all"):
        if name in formatter:
            function = formatter[name]
            return lambda item: str(function(bool(item) if kind == "b" else item))
    return None


def _float_writer(items: list[float], size: int, options: Options) -> Write:
    finite = [item for item in items if math.isfinite(item)]
    scientific = _is_wide([abs(item) for item in finite if item], size, options)
    write, left, right = (_scientific if scientific else _positional)(finite, size, options)
    if len(finite) != len(items):
        minus = options.sign != "-" or any(item == -math.inf for item in items)
        left = max(left, len(options.nanstr) - right - 1, len(options.infstr) + minus - right - 1)
    width = left + right + 1
    plus = "+" if options.sign == "+" else ""

    def show(item: float) -> str:
        if math.isfinite(item):
            return write(item, left)
        text = plus + options.nanstr if math.isnan(item) else ("-" if item < 0 else plus) + options.infstr
        return text.rjust(width)

    return show


def _is_wide(sizes: list[float], size: int, options: Options) -> bool:
    """Whether numbers of these sizes are written with exponents."""
    if not sizes:
        return False
    least, most = min(sizes), max(sizes)
    if most >= floats.WIDE[size]:
        return True
    small, ratio = (floats.nearest(item, size) for item in (1e-4, most / least))
    return not options.suppress and (least < small or ratio > 1000)


Padded = Callable[[float, int], str]


def _signed(text: str, options: Options) -> str:
    return f"+{text}" if options.sign == "+" and not text.startswith("-") else text


def _positional(finite: list[float], size: int, options: Options) -> tuple[Padded, int, int]:
    def fixed(item: float, digits: int) -> tuple[str, str]:
        whole, _, fraction = f"{item:.{digits}f}".partition(".")
        return _signed(whole, options), fraction

    def free(item: float) -> tuple[str, str]:
        digits = 400 if options.floatmode == "unique" else options.precision
        whole, fraction = floats.positional(item, digits, size)
        return _signed(whole, options), fraction

    found = [
        fixed(item, options.precision) if options.floatmode == "fixed" else free(item) for item in finite
    ]
    left = max((len(whole) for whole, _ in found), default=0)
    right = max((len(fraction) for _, fraction in found), default=0)
    left += options.sign == " " and not any(whole.startswith("-") for whole, _ in found)
    full = options.floatmode in ("fixed", "maxprec_equal")

    def write(item: float, left: int) -> str:
        whole, fraction = fixed(item, right) if full else free(item)
        return f"{whole.rjust(left)}.{fraction.ljust(right)}"

    return write, left, right


def _scientific(finite: list[float], size: int, options: Options) -> tuple[Padded, int, int]:
    precision = 400 if options.floatmode == "unique" else options.precision
    found = [floats.scientific(item, precision, size) for item in finite]
    left = max(len(_signed(whole, options)) for whole, _, _ in found)
    digits = options.precision if options.floatmode == "fixed" else max(len(rest) for _, rest, _ in found)
    wide = max(len(exponent) for _, _, exponent in found) - 1
    left += options.sign == " " and not any(whole.startswith("-") for whole, _, _ in found)

    def write(item: float, left: int) -> str:
        whole, rest, exponent = floats.scientific(item, digits, size, digits)
        power = exponent[0] + exponent[1:].rjust(wide, "0")
        return f"{_signed(whole, options).rjust(left)}.{rest}e{power}"

    return write, left, wide + 2 + digits
