"""Attribute names that a script computes, in the spelling of compiled code.

Owns what may be read and set by name, and the error for what may not. Must not know objects.
"""

from __future__ import annotations

from sandbox.policy import names


class DeniedAttribute(AttributeError):
    """An attribute that exists, but not for scripts."""


DeniedAttribute.__name__ = DeniedAttribute.__qualname__ = "AttributeError"


def denied(name: str) -> DeniedAttribute:
    """The error for an attribute that scripts may not have."""
    return DeniedAttribute(f"attribute {name!r} is not available to scripts")


def plain_name(name: object) -> str:
    """An attribute's name given at run time, as a real `str`: a subclass could lie about what it is."""
    if isinstance(name, str):
        return str.__str__(name)
    raise TypeError(f"attribute name must be string, not '{type(name).__name__}'")


def load_key(name: object) -> str:
    """The compiled spelling of an attribute that a script asks for by name. Raises `AttributeError`."""
    text = plain_name(name)
    if text in names.DENIED:
        raise denied(text)
    if not names.is_private(text) or text in names.TUPLE_ATTRIBUTES or text in names.SUNDER:
        return text
    if names.is_dunder(text):
        if text in names.READABLE:
            return text
        if text in names.DENIED_DUNDERS:
            raise denied(text)
    return names.mangle(text)


def store_key(name: object) -> str:
    """The compiled spelling of an attribute that a script sets by name. Raises `AttributeError`."""
    text = plain_name(name)
    if text in names.DENIED:
        raise denied(text)
    if names.is_dunder(text):
        if text in names.STORABLE:
            return text
        if text in names.DENIED_DUNDERS | names.READABLE:
            raise denied(text)
    return names.mangle(text) if names.is_private(text) and text not in names.SUNDER else text
