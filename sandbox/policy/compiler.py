"""A script's text into a code object, or the errors that say why not.

Owns `compile_script`. Runs in a worker only: parsing a stranger's text is a stranger's work. Must not know what the
code will do.
"""

from __future__ import annotations

import ast
import gc
import re
import types
from collections.abc import Iterator
from contextlib import contextmanager

from sandbox.errors import ScriptDeniedError, ScriptSyntaxError
from sandbox.policy import names
from sandbox.policy.base import Denial
from sandbox.policy.transformer import ScriptTransformer, StarNames
from shaders.errors import caret, lines_of

FILENAME = "<script>"
_A_FILE = re.compile(r"[^\s'\"()=#]+\.py")


def _no_star(_module: str) -> None:
    return None


def compile_script(
    source: str, star_names: StarNames = _no_star, filename: str = FILENAME, *, valued: bool = False
) -> types.CodeType:
    """The code of `source` under the policy; `valued` as in `keep_value`.

    Raises `ScriptSyntaxError` for text that is not Python, `ScriptDeniedError` for what the policy refuses (the
    first place in full, the others in the hint), both with line, column and caret.
    """
    try:
        with without_collector():
            return _compiled(source, star_names, filename, valued)
    except (SyntaxError, RecursionError, ValueError) as error:
        raise syntax_error(source, error) from None


def _compiled(source: str, star_names: StarNames, filename: str, valued: bool) -> types.CodeType:
    tree = ast.parse(source, filename, "exec")
    transformer = ScriptTransformer(tree, star_names)
    transformer.run()
    if transformer.denials:
        raise _denied(source, transformer.denials)
    flags = 0
    if valued:
        keep_value(tree)
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    return _code(tree, filename, flags)


def keep_value(tree: ast.Module) -> None:
    """Let the value of the last statement, if that is an expression, become the variable `names.VALUE`."""
    if tree.body and isinstance(last := tree.body[-1], ast.Expr):
        kept = ast.Name(names.VALUE, ast.Store())
        tree.body[-1] = ast.fix_missing_locations(ast.copy_location(ast.Assign([kept], last.value), last))


@contextmanager
def without_collector() -> Iterator[None]:
    """A tree is many objects and no garbage: the collector would look at all of them again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _code(tree: ast.Module, filename: str, flags: int) -> types.CodeType:
    """The compiled tree. To look for nodes without a place would take as long as to compile them."""
    try:
        code: types.CodeType = compile(tree, filename, "exec", flags, dont_inherit=True)
    except TypeError:
        code = compile(ast.fix_missing_locations(tree), filename, "exec", flags, dont_inherit=True)
    return code


def syntax_error(source: str, error: SyntaxError | RecursionError | ValueError) -> ScriptSyntaxError:
    """What the parser's `error` about `source` means; a `ValueError` is about a null byte."""
    if isinstance(error, RecursionError):
        return ScriptSyntaxError("the script is nested too deeply", hint="Give names to parts of it.")
    if not isinstance(error, SyntaxError):
        return ScriptSyntaxError(str(error), hint="A script is text: send none of its bytes as 0.")
    line, column = error.lineno or 1, max(1, error.offset or 1)
    kind = type(error).__name__
    return ScriptSyntaxError(
        f"{kind}: {error.msg}",
        hint=of_a_file(source),
        line=line,
        column=column,
        snippet=caret(source, line, column),
    )


def of_a_file(source: str) -> str | None:
    """What to do where the text of a script is but the name of a file."""
    name = source.strip()
    return f"Send the text of the file: Path({name!r}).read_text()." if _A_FILE.fullmatch(name) else None


def _denied(source: str, denials: list[Denial]) -> ScriptDeniedError:
    ordered = sorted(set(denials), key=lambda denial: (denial.line, denial.offset))
    first = ordered[0]
    column = character_column(source, first.line, first.offset)
    others = [f"line {denial.line}: {denial.message}" for denial in ordered[1:10]]
    hint = " ".join(filter(None, [first.hint, "Also " + "; ".join(others) + "." if others else None]))
    return ScriptDeniedError(
        first.message,
        hint=hint or None,
        line=first.line,
        column=column,
        snippet=caret(source, first.line, column),
    )


def character_column(source: str, line: int, offset: int) -> int:
    """The column (from 1) of UTF-8 byte `offset` (from 0) in line `line` (from 1)."""
    lines = lines_of(source)
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    return len(text.encode()[:offset].decode(errors="ignore")) + 1
