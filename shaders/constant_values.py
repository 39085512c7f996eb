"""Values for a kernel's overrides, checked before any compiler sees them.

Owns the range of each type, and the key by which a compiler knows an override. Whoever holds a reflection may call
this: the server for a readable refusal, the device because it trusts no frame.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping

from shaders.errors import KernelgateError
from shaders.reflection import EntryPoint, Override, Reflection

_RANGES = {"i32": (-(1 << 31), (1 << 31) - 1), "u32": (0, (1 << 32) - 1)}
_FORMS = {"f32": "<f", "f16": "<e"}
_TRIAL = 1.0
"""What an override that has no default is tried with; 0 would often divide."""


class OverrideError(KernelgateError):
    """A value for an override is missing, unknown, or not of its type."""

    code = "override_mismatch"
    title = "An override's value does not fit its type"
    remedy = "GET /api/kernels/{name} shows the kernel's overrides and their types."


def constants(reflection: Reflection, entry: EntryPoint, given: Mapping[str, object]) -> dict[str, float]:
    """The values of `given` that `entry` reaches, by name, as numbers that their types hold exactly or (floats) nearly.

    Raises `OverrideError`, naming the override, for one that is missing, unknown, of another type or out of range.
    """
    known = {override.name: override for override in reflection.overrides}
    there = f"Its overrides are {', '.join(known)}." if known else "It has none."
    for name in given:
        if name not in known:
            raise OverrideError(f"the kernel has no override {name!r:.80}", hint=there)
    values = {name: _value(known[name], value) for name, value in given.items()}
    for name in entry.overrides:
        if known[name].default is None and name not in given:
            raise OverrideError(
                f"the override '{name}' ({known[name].type}) was given no value, and has no default",
                hint=f"Entry point '{entry.name}' takes {', '.join(entry.overrides)}.",
            )
    return {name: values[name] for name in entry.overrides if name in values}


def keyed(reflection: Reflection, entry: EntryPoint, values: Mapping[str, float]) -> dict[str, float]:
    """`values` under the keys that a compiler knows: the `@id` of an override, else its name.

    An override without a default that `values` leaves out gets a number to be tried with. Raises `OverrideError`.
    """
    found = {}
    for override in reflection.overrides:
        if override.name not in entry.overrides:
            continue
        key = override.name if override.id is None else str(override.id)
        if override.name in values:
            given = values[override.name]
            found[key] = _value(override, bool(given) if override.type == "bool" else given)
        elif override.default is None:
            found[key] = _TRIAL
    return found


def _value(override: Override, value: object) -> float:
    name, type = override.name, override.type
    if type is None:
        raise OverrideError(
            f"the override '{name}' is not given a value, as its type is not written",
            hint=f"Declare it, as `override {name}: f32 = …;`.",
        )
    if type == "bool":
        if not isinstance(value, bool):
            raise OverrideError(f"the override '{name}' takes true or false, not {_shown(value)}")
        return float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise OverrideError(f"the override '{name}' takes {type}, not {_shown(value)}")
    if not _fits(type, value):
        raise OverrideError(f"the override '{name}' takes {type}, which cannot hold {_shown(value)}")
    return float(value)


def _fits(type: str, value: float) -> bool:
    if type in _RANGES:
        low, high = _RANGES[type]
        return low <= value <= high and value == int(value)
    try:
        return math.isfinite(value) and math.isfinite(
            struct.unpack(_FORMS[type], struct.pack(_FORMS[type], value))[0]
        )
    except (OverflowError, struct.error):
        return False


def _shown(value: object) -> str:
    """A value for a message, cut short."""
    if isinstance(value, int) and value.bit_length() > 64:
        return "so large a number"
    return repr(value)[:60]
