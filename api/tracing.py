"""Traces by OpenTelemetry: spans of runs and of device work, below those that FastAPI makes of requests.

Owns what spans are called and what stands on them: the marks of the log, never an error's text. Must not know what a
span is around.
"""

from __future__ import annotations

import contextlib
import contextvars
import importlib.util
from collections.abc import Iterator, Mapping

from fastapi.telemetry import TelemetryConfig
from opentelemetry import trace
from opentelemetry.trace import Span, StatusCode, Tracer

from api.errors import ExtraMissing
from api.logs import marks
from shaders.errors import KernelgateError

Value = str | int | float | bool
PREFIX = "kernelgate."
_tracer: contextvars.ContextVar[Tracer | None] = contextvars.ContextVar("tracer", default=None)


def telemetry(on: bool) -> TelemetryConfig:
    """What FastAPI is told: spans of requests, sent where OpenTelemetry's environment says, and nothing else."""
    return {
        "tracing": on,
        "metrics": False,
        "logs": False,
        "operation_spans": False,
        "auto_configure": on,
    }


def tracer_of(on: bool) -> Tracer | None:
    """What makes a server's spans; None if it makes none. Raises `ExtraMissing`."""
    if not on:
        return None
    if importlib.util.find_spec("opentelemetry.sdk") is None:
        raise ExtraMissing(
            "otel needs OpenTelemetry's SDK, which is not installed",
            hint="Install it with pip install 'kernelgate[server,otel]', or leave KERNELGATE_OTEL unset.",
        )
    return trace.get_tracer("kernelgate")


def use(tracer: Tracer | None) -> None:
    """From now on, in this task and those that begin in it, spans are made by `tracer`."""
    _tracer.set(tracer)


def mark() -> None:
    """Put the marks of what is under way on the span of the request."""
    if _tracer.get() is not None:
        trace.get_current_span().set_attributes(_attributes({}))


@contextlib.contextmanager
def span(name: str, details: Mapping[str, Value]) -> Iterator[Span]:
    """A span around what is inside, with the marks of what is under way, and the code of an error that leaves it."""
    tracer = _tracer.get()
    if tracer is None:
        yield trace.INVALID_SPAN
        return
    with tracer.start_as_current_span(
        name, attributes=_attributes(details), record_exception=False, set_status_on_exception=False
    ) as current:
        try:
            yield current
        except KernelgateError as error:
            fail(current, error.code)
            raise
        except Exception as error:
            fail(current, type(error).__name__)
            raise


def describe(current: Span, details: Mapping[str, Value]) -> None:
    """Put what is known by now on a span."""
    current.set_attributes({PREFIX + name: value for name, value in details.items()})


def fail(current: Span, code: str) -> None:
    """Say on a span that it ended in an error with this code."""
    current.set_attribute("error.type", code)
    current.set_status(StatusCode.ERROR)


def _attributes(details: Mapping[str, Value]) -> dict[str, Value]:
    return {PREFIX + name: value for name, value in {**marks(), **details}.items()}
