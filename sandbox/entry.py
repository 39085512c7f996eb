"""How a script's result comes to be: its `main` is called with the inputs, or its `result` is taken.

Of a notebook's cell it is the value of the last expression.

Owns the calling convention and its errors. Must not know sockets or the policy.
"""

from __future__ import annotations

import asyncio
import dis
import inspect
import keyword
import re
import types
from collections.abc import Iterator
from typing import Any

from sandbox.errors import ScriptError
from sandbox.policy import names
from shaders.suggestions import meant

_VAR_KEYWORD = inspect.CO_VARKEYWORDS
_MISSPELT = re.compile(r".?main|main.|m.ain|ma.in|mai.n|m.in|ma.n|mian|mani|mai|ain", re.IGNORECASE)
"""`main` with a letter too many, a wrong one inside, two that changed places, or without its first or last; not `min`,
`mean` or `gain`, which are names in their own right."""


def result_of(
    space: dict[str, Any], inputs: dict[str, Any], main_ran: bool, code: types.CodeType | None = None
) -> Any:
    """The result of a script whose module has run in `space`.

    `result` when the script assigned it; else what `main(**inputs)` returns, awaited when it is a coroutine. A
    script that called its own `main` already (`main_ran`) and gets no inputs is not called a second time. Raises
    `ScriptError` when the inputs do not fit, and where the module's `code`, if it is known, has neither but misspells
    `main`.
    """
    main = space.get("main")
    if not callable(main):
        if code is not None and "result" not in space:
            _check_spelling(space, code)
        if inputs:
            raise _without_main(space, inputs, code)
        return space.get("result")
    if not inputs and (main_ran or "result" in space):
        return space.get("result")
    _check_inputs(main, inputs)
    result = main(**inputs)
    return asyncio.run(_awaited(result)) if inspect.isawaitable(result) else result


def value_of(code: types.CodeType, space: dict[str, Any], inputs: dict[str, Any]) -> Any:
    """The value of a cell, which runs in `space` with `inputs` as variables; None if it ends in no expression. A cell
    that awaits is a coroutine.

    Raises `ScriptError` for an input whose name is none that a script may give.
    """
    for name in inputs:
        if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_") or names.MARK in name:
            raise ScriptError(f"the input {name[:60]!r} cannot be a variable", hint="Use letters and digits.")
    space.update(inputs)
    try:
        running = eval(code, space)
        if inspect.isawaitable(running):
            asyncio.run(_awaited(running))
        value = space.get(names.VALUE)
        return asyncio.run(_awaited(value)) if inspect.isawaitable(value) else value
    finally:
        space.pop(names.VALUE, None)


def _without_main(space: dict[str, Any], inputs: dict[str, Any], code: types.CodeType | None) -> ScriptError:
    """The error of inputs that nothing takes; if the script has one function, that may be meant."""
    given = ", ".join(inputs)
    message = f"the run gives inputs ({given}), but the script defines no main"
    functions = dict(_functions(space, code)) if code is not None else {}
    if len(functions) != 1:
        return ScriptError(message, hint=f"Define main({given}).")
    ((name, function),) = functions.items()
    hint = f"Call {name} main, or define main({given})."
    return ScriptError(message, hint=hint, line=function.__code__.co_firstlineno)


def _functions(space: dict[str, Any], code: types.CodeType) -> Iterator[tuple[str, types.FunctionType]]:
    """The plain functions of the script, by name."""
    for name, value in space.items():
        if type(value) is types.FunctionType and value.__code__ in code.co_consts:
            yield name, value


def _check_spelling(space: dict[str, Any], code: types.CodeType) -> None:
    """Raise `ScriptError` for a plain function of the script that nothing mentions and that was to be `main`."""
    for name, function in _functions(space, code):
        if _MISSPELT.fullmatch(name) and name not in _mentioned(code):
            raise ScriptError(
                f"the script defines {name}, which nothing calls, and no main",
                hint="Did you mean main?",
                line=function.__code__.co_firstlineno,
            )


def _mentioned(code: types.CodeType) -> set[str]:
    """The names, and texts, that `code` reads anywhere."""
    read = {
        each.argval
        for each in dis.get_instructions(code)
        if each.opname.startswith("LOAD_") and isinstance(each.argval, str)
    }
    inner = (_mentioned(each) for each in code.co_consts if isinstance(each, types.CodeType))
    return read.union(*inner)


async def _awaited(result: Any) -> Any:
    return await result


_UNEXPECTED = "Leave them out of the inputs, add them to main's parameters, or accept **inputs."


def _check_inputs(main: Any, inputs: dict[str, Any]) -> None:
    if type(main) is not types.FunctionType:
        return
    code = main.__code__
    count = code.co_argcount + code.co_kwonlyargcount
    parameters = code.co_varnames[:count]
    positional = code.co_varnames[: code.co_argcount]
    defaulted = {*positional[len(positional) - len(main.__defaults__ or ()) :], *(main.__kwdefaults__ or ())}
    shape = f"main({', '.join(parameters)})"
    if code.co_posonlyargcount:
        raise ScriptError(
            f"{shape} takes {', '.join(positional[: code.co_posonlyargcount])} by position, but inputs come by name",
            hint="Leave out the / among main's parameters.",
            line=code.co_firstlineno,
        )
    missing = [name for name in parameters if name not in inputs and name not in defaulted]
    if missing:
        raise ScriptError(
            f"{shape} needs the inputs {', '.join(missing)}",
            hint=f'Give {{"inputs": {{"{missing[0]}": …}}}}, or on the command line {missing[0]}=….',
            line=code.co_firstlineno,
        )
    unexpected = [name for name in inputs if name not in parameters]
    if unexpected and not code.co_flags & _VAR_KEYWORD:
        raise ScriptError(
            f"{shape} takes no inputs {', '.join(unexpected)}",
            hint=meant(unexpected[0], parameters, _UNEXPECTED),
            line=code.co_firstlineno,
        )
