"""What a script's exception becomes as the run's error.

Owns that translation. Never raises, whatever the script's exception does. Must not know sockets.
"""

from __future__ import annotations

import msgspec

from sandbox.advice import advice
from sandbox.policy import tracebacks
from sandbox.policy.compiler import FILENAME
from sandbox.policy.denials import BadScript, HostError, PermissionDenied, record_behind
from sandbox.policy.keys import DeniedAttribute
from sandbox.policy.views import DeniedImport
from shaders.errors import ErrorRecord, KernelgateError

MAX_TEXT = 8000
_TEXTS = ("code", "message", "hint", "snippet")


def record_of(error: BaseException) -> ErrorRecord:
    """The record of an exception that left a script; its texts short and whole Unicode, so that they can be sent."""
    record = _record(error)
    texts = {name: text for name in _TEXTS if isinstance(text := getattr(record, name), str)}
    return msgspec.structs.replace(record, **{name: _whole(text) for name, text in texts.items()})


def _whole(text: str) -> str:
    """`text` with lone surrogates, which no message can carry, as their escapes."""
    return text[:MAX_TEXT].encode("utf-8", "backslashreplace").decode()


def _record(error: BaseException) -> ErrorRecord:
    if isinstance(error, BadScript) and isinstance(error.record, ErrorRecord):
        return error.record
    if isinstance(error, KernelgateError) and error.line is not None:
        return _own(error.record())
    code, hint = _code(error), _hint(error)
    places = tracebacks.places(error.__traceback__)
    if len(places) > 1:
        calls = " → ".join(f"{place.function} ({_where(place)})" for place in places)
        hint = f"{hint} Calls: {calls}" if hint else f"Calls: {calls}"
    message = tracebacks.describe(error)
    if not places:
        return ErrorRecord(code, message, hint)
    last = places[-1]
    if last.filename != FILENAME:
        message = f"{message} (in {tracebacks.script_name(last.filename)})"
    return ErrorRecord(code, message, hint, last.line, last.column, tracebacks.snippet(last))


def _where(place: tracebacks.Place) -> str:
    line = f"line {place.line}"
    return line if place.filename == FILENAME else f"{tracebacks.script_name(place.filename)}, {line}"


def _own(record: ErrorRecord) -> ErrorRecord:
    """An error of ours that names a line, with that line shown."""
    if record.snippet is not None:
        return record
    place = tracebacks.Place(FILENAME, record.line or 1, record.column or 1, "main")
    return msgspec.structs.replace(record, column=place.column, snippet=tracebacks.snippet(place))


def _code(error: BaseException) -> str:
    if isinstance(error, KernelgateError):
        return error.code
    if isinstance(error, HostError):
        return error.record.code
    if (record := record_behind(error)) is not None:
        return record.code
    if isinstance(error, PermissionDenied):
        return "permission_denied"
    if isinstance(error, DeniedAttribute | DeniedImport):
        return "script_denied"
    if isinstance(error, MemoryError) and is_limit(error):
        return "memory_limit"
    return "script_error"


def is_limit(error: MemoryError) -> bool:
    """Whether the system refused memory, to the interpreter or to NumPy, rather than the script raised the error."""
    return not error.args or type(error).__module__.startswith("numpy.")


def _hint(error: BaseException) -> str | None:
    known = (
        error if isinstance(error, HostError | PermissionDenied | KernelgateError) else record_behind(error)
    )
    if known is None:
        return _advice(error)
    hint = getattr(known, "hint", None)
    return hint if isinstance(hint, str) else None


def _advice(error: BaseException) -> str | None:
    try:
        return advice(error)
    except BaseException:  # what it looks at may be the script's
        return None
