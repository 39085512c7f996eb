"""Values to the bytes of uniform buffers, by WGSL's layout rules.

Owns the check that a caller's value fits its place. A reflection comes from a worker, so its numbers are checked
too. Must not know who calls.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from shaders.errors import KernelgateError
from shaders.layout import Member, Type, round_up
from shaders.limits import LIMITS
from shaders.reflection import BindingInfo, Field
from shaders.resolve import type_of
from shaders.spec import Hole, KernelSpec, Param, Scalar

_CODES = {"u32": "I", "i32": "i", "f32": "f", "f16": "e"}
_STRUCT_NAME = re.compile(r"(?:array<)*([A-Za-z_][A-Za-z0-9_]*)")


class UniformError(KernelgateError):
    """A value for a uniform is missing, unknown, or not of its field's type."""

    code = "uniform_mismatch"
    title = "A uniform's value does not fit its type"
    remedy = "GET /api/kernels/{name} shows the kernel's bindings and their types."


Given = Mapping[str, Scalar | Hole | tuple[Scalar | Hole, ...]]


def pack_params(spec: KernelSpec, values: Given) -> bytes:
    """The bytes of `spec`'s uniform struct: `values` by name, defaults where there is none; a multiple of 16 long.

    A parameter of length N > 1 takes a sequence of N; a hole is packed as 0. Raises `UniformError` on a missing or
    unknown name, a wrong length, or a number that the type cannot hold.
    """
    form = _form(spec)
    flat = [0 if isinstance(value, Hole) else value for value in _flat(spec, form, values)]
    try:
        return form.bytes.pack(*flat)
    except (struct.error, OverflowError) as error:
        raise UniformError(f"a parameter of the kernel '{spec.name}' does not fit: {error}") from None


def holes(spec: KernelSpec, values: Given) -> tuple[tuple[int, int, str], ...]:
    """The holes among `values`: where in the struct each begins, its number, and its type."""
    if not any(
        Hole in map(type, value if isinstance(value, tuple) else (value,)) for value in values.values()
    ):
        return ()
    form = _form(spec)
    places = (
        (start + 4 * place, param.type)
        for param, start in _starts(form.params)
        for place in range(param.length)
    )
    return tuple(
        (start, value.number, type)
        for (start, type), value in zip(places, _flat(spec, form, values), strict=True)
        if isinstance(value, Hole)
    )


def _flat(spec: KernelSpec, form: _Form, values: Given) -> list[Scalar | Hole]:
    """The scalars of all parameters in order."""
    if not values.keys() <= form.names:
        unknown = min(values.keys() - form.names)
        raise UniformError(f"the kernel '{spec.name}' has no parameter '{unknown}'")
    flat: list[Scalar | Hole] = []
    for param in form.params:
        value = values.get(param.name, param.default)
        if value is None:
            raise UniformError(f"the kernel '{spec.name}' needs the parameter '{param.name}'")
        if param.length == 1 and not isinstance(value, tuple):
            flat.append(value)
            continue
        elements = value if isinstance(value, tuple) else (value,) * param.length
        if len(elements) != param.length:
            raise UniformError(
                f"the parameter '{param.name}' takes {param.length} numbers, not {len(elements)}"
            )
        flat += elements
    return flat


def pack_scalar(value: Scalar, type: str) -> bytes:
    """A parameter of length 1, which the type can hold."""
    return struct.pack(f"<{_CODES[type]}", value)


def _starts(params: tuple[Param, ...]) -> Iterator[tuple[Param, int]]:
    """Where each parameter begins in a uniform struct: scalars take four bytes each, arrays chunks of sixteen."""
    end = 0
    for param in params:
        align = 16 if param.length > 1 else 4
        start = round_up(align, end)
        yield param, start
        end = start + round_up(align, 4 * param.length)


class _Form(NamedTuple):
    """The parameters of a uniform struct, their names, and how it lies."""

    params: tuple[Param, ...]
    names: frozenset[str]
    bytes: struct.Struct


@lru_cache(maxsize=1024)
def _form(spec: KernelSpec) -> _Form:
    params = spec.uniform
    text, end = "<", 0
    for param, start in _starts(params):
        text += f"{start - end}x{param.length}{_CODES[param.type]}"
        end = start + 4 * param.length
    names = frozenset(param.name for param in params)
    return _Form(params, names, struct.Struct(f"{text}{round_up(16, end) - end}x"))


def pack_fields(info: BindingInfo, value: object) -> bytes:
    """The bytes of the uniform `info`.

    A struct takes a mapping of all its members, a vector or array a list of its elements, a matrix a list of its
    columns, a scalar a number. Raises `UniformError`, with the path of the place that does not fit.
    """
    if not 0 < info.min_size <= LIMITS.type_bytes:
        raise UniformError(f"'{info.name}' has {info.min_size} bytes; the limit is {LIMITS.type_bytes}")
    type_ = _type(info.type, info.fields, info.min_size, info.name, 0)
    out = bytearray(round_up(4, info.min_size))
    try:
        _write(out, 0, type_, value, info.name)
    except struct.error:
        raise UniformError(f"the layout of '{info.name}' does not add up") from None
    return bytes(out)


def _type(text: str, fields: tuple[Field, ...], size: int, path: str, depth: int) -> Type:
    """The type `text`, `size` bytes long, whose struct has `fields`."""
    if depth > LIMITS.type_depth:
        raise UniformError(f"the type of '{path}' nests too deep")
    name = _STRUCT_NAME.match(text)
    if not fields or name is None:
        return type_of(text, {})
    members = tuple(_member(field, size, path, depth) for field in fields)
    elements = math.prod(int(count) for count in re.findall(r", ([0-9]{1,9})>", text)) or 1
    known = Type("struct", name[1], size // elements, 1, members=members)
    return type_of(text, {name[1]: known})


def _member(field: Field, size: int, path: str, depth: int) -> Member:
    inside = f"{path}.{field.name}"
    if field.offset < 0 or field.size < 0 or field.offset + field.size > size:
        raise UniformError(f"the layout of '{inside}' does not add up")
    own = field.size
    if field.stride:
        count = re.search(r", ([0-9]{1,9})>$", field.type)
        own = field.stride * int(count[1]) if count else field.stride
    return Member(
        field.name, _type(field.type, field.fields, own, inside, depth + 1), field.offset, field.size
    )


def _write(out: bytearray, offset: int, type_: Type, value: object, path: str) -> None:
    """Put `value` into `out` at `offset`. Recurses as deep as the type, which is bounded."""
    if type_.kind == "struct":
        for member, inner in _members(type_, value, path):
            _write(out, offset + member.offset, member.type, inner, f"{path}.{member.name}")
    elif type_.kind == "array" and type_.element is not None:
        for index, inner in enumerate(_elements(type_.count, value, path)):
            _write(out, offset + index * type_.stride, type_.element, inner, f"{path}[{index}]")
    elif type_.kind == "matrix":
        for column, rows in enumerate(_elements(type_.count, value, path)):
            inside = f"{path}[{column}]"
            _write_scalars(
                out, offset + column * type_.stride, type_, _elements(type_.rows, rows, inside), inside
            )
    elif type_.kind == "vector":
        _write_scalars(out, offset, type_, _elements(type_.count, value, path), path)
    else:
        _write_scalars(out, offset, type_, [value], path)


def _members(type_: Type, value: object, path: str) -> list[tuple[Member, object]]:
    names = ", ".join(member.name for member in type_.members)
    if not isinstance(value, Mapping):
        raise UniformError(f"'{path}' takes an object with {names}, not {_name(value)}")
    for member in type_.members:
        if member.name not in value:
            raise UniformError(f"'{path}.{member.name}' is missing", hint=f"'{path}' has the fields {names}.")
    unknown = sorted(str(key) for key in value.keys() - {member.name for member in type_.members})
    if unknown:
        raise UniformError(f"'{path}' has no field '{unknown[0]}'", hint=f"It has the fields {names}.")
    return [(member, value[member.name]) for member in type_.members]


def _elements(count: int, value: object, path: str) -> list[object]:
    if not isinstance(value, list | tuple):
        raise UniformError(f"'{path}' takes a list of {count}, not {_name(value)}")
    if len(value) != count:
        raise UniformError(f"'{path}' takes a list of {count}, not of {len(value)}")
    return list(value)


def _write_scalars(out: bytearray, offset: int, type_: Type, values: list[object], path: str) -> None:
    scalar = type_.scalar or ""
    whole = scalar in ("u32", "i32")
    for index, value in enumerate(values):
        if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
            raise UniformError(f"'{path}' takes {scalar}, not {_name(value)}")
        try:
            struct.pack_into(
                "<" + _CODES[scalar], out, offset + index * struct.calcsize(_CODES[scalar]), value
            )
        except (struct.error, OverflowError):
            raise UniformError(f"'{path}' takes {scalar}, which cannot hold {_shown(value)}") from None


def _shown(value: object) -> str:
    """A number for a message, cut short."""
    return "so large a number" if isinstance(value, int) and value.bit_length() > 64 else repr(value)


def _name(value: object) -> str:
    """What kind of thing `value` is, for a message."""
    return {dict: "an object", list: "a list", str: "a string", bool: "a boolean", type(None): "null"}.get(
        type(value), f"a {type(value).__name__}"
    )
