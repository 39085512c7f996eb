"""Calls as steps, so that one description serves a client that blocks and one that awaits.

Owns the steps (a request, a pause), when a request is tried again, and `method`, which makes a method of a generator
of steps. Must not know any route, nor how a request is sent.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine, Generator, Mapping
from dataclasses import dataclass, field
from types import MethodType
from typing import Any, Concatenate, Generic, ParamSpec, TypeAlias, TypeVar, overload

import httpx2

from kernelgate.errors import ApiError, NoServer

P = ParamSpec("P")
T = TypeVar("T")

_REPEATABLE = frozenset({"GET", "HEAD", "PUT", "DELETE"})
_FIRST_PAUSE = 0.1  # seconds after a broken connection; each further pause is twice as long
_SHOWN = 80  # characters of an answer that is no problem document
_LONGEST_PAUSE = 30.0  # seconds that a server may ask for with Retry-After


@dataclass(frozen=True, slots=True)
class Ask:
    """A request, whose answer is a response, or `NoServer` when there came none.

    `wait` is how many seconds the server was asked to wait. `repeatable` says that to do it twice is to do it once,
    as with any `Idempotency-Key`.
    """

    method: str
    path: str
    wait: float = 0.0
    options: Mapping[str, Any] = field(default_factory=dict)
    repeatable: bool = False


@dataclass(frozen=True, slots=True)
class Pause:
    """Seconds to let pass."""

    seconds: float


Step: TypeAlias = Ask | Pause
Steps: TypeAlias = Generator[Step, Any, T]


class Blocking:
    """What does steps by blocking."""

    def drive(self, steps: Steps[T]) -> T:
        """What `steps` return. Raises what they raise."""
        raise NotImplementedError


class Awaiting:
    """What does steps in an event loop."""

    async def drive(self, steps: Steps[T]) -> T:
        """What `steps` return. Raises what they raise."""
        raise NotImplementedError


class Method(Generic[P, T]):
    """A method that is described by steps: of a `Blocking` object it returns T, of an `Awaiting` one an awaitable T."""

    def __init__(self, steps: Callable[Concatenate[Any, P], Steps[T]]) -> None:
        @functools.wraps(steps)
        def called(instance: Any, *args: P.args, **kwargs: P.kwargs) -> Any:
            return instance.drive(steps(instance, *args, **kwargs))

        self._called = called
        functools.update_wrapper(self, steps)  # type: ignore[arg-type]

    @overload
    def __get__(self, instance: None, owner: type) -> Method[P, T]: ...
    @overload
    def __get__(self, instance: Blocking, owner: type) -> Callable[P, T]: ...
    @overload
    def __get__(self, instance: Awaiting, owner: type) -> Callable[P, Coroutine[Any, Any, T]]: ...
    def __get__(self, instance: Any, owner: type) -> Any:
        return self if instance is None else MethodType(self._called, instance)


def method(steps: Callable[Concatenate[Any, P], Steps[T]]) -> Method[P, T]:
    """The method that does the steps which a function of the same arguments gives."""
    return Method(steps)


def request(
    method: str, path: str, *, wait: float = 0.0, repeatable: bool = False, **options: Any
) -> Steps[httpx2.Response]:
    """The response to a request. Raises `ApiError` from status 400 up, and `NoServer`."""
    answer = yield Ask(method, path, wait, options, repeatable)
    return checked(answer)


def checked(answer: httpx2.Response | NoServer) -> httpx2.Response:
    """A response of success. Raises `ApiError` for any other, whose content must be there."""
    if isinstance(answer, NoServer):
        raise answer
    if answer.status_code >= 400:
        raise ApiError(_problem(answer), answer.status_code)
    return answer


def retried(steps: Steps[T], retries: int) -> Steps[T]:
    """`steps`, of which each request is tried again, at most `retries` times, where that is safe and may help."""
    answer = None
    while True:
        try:
            step = steps.send(answer)
        except StopIteration as done:
            result: T = done.value
            return result
        answer = yield step
        for attempt in range(retries if isinstance(step, Ask) else 0):
            pause = _pause(step, answer, attempt)
            if pause is None:
                break
            yield Pause(pause)
            answer = yield step


def pause_after_break(attempt: int) -> float:
    """Seconds until a broken connection is tried again, for the `attempt`th time from 0."""
    return float(_FIRST_PAUSE * 2**attempt)


def _pause(ask: Any, answer: httpx2.Response | NoServer, attempt: int) -> float | None:
    """Seconds until `ask` may be tried again after `answer`; None where it may not, or needs not."""
    repeatable = ask.repeatable or ask.method in _REPEATABLE
    if isinstance(answer, NoServer):
        late = isinstance(answer.__cause__, httpx2.TimeoutException)
        return pause_after_break(attempt) if repeatable and not late else None
    if answer.status_code == 429 or (answer.status_code == 503 and repeatable):
        return _asked_for(answer.headers.get("Retry-After", ""))
    return None


def _asked_for(retry_after: str) -> float | None:
    seconds = float(retry_after) if retry_after.isascii() and retry_after.isdigit() else None
    return seconds if seconds is not None and seconds <= _LONGEST_PAUSE else None


def _problem(response: httpx2.Response) -> Mapping[str, Any]:
    try:
        problem = response.json()
    except ValueError:
        problem = None
    if isinstance(problem, dict):
        return problem
    begins = " ".join(response.text[:_SHOWN].split())
    address = response.url.copy_with(path="/", query=None)
    return {
        "code": "unknown",
        "detail": f"the answer, of status {response.status_code}, is none of Kernelgate's: {begins}",
        "hint": f"KERNELGATE_URL names a Kernelgate; is {address} the address of one?",
    }
