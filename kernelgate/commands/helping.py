"""What the help says of the form of arguments: the metavar of an option's value, and nothing else.

Owns that in place of typer's way, which is to show types of Python: `<list[Pair]>` beside `NAME=VALUE`, and `<bool>`
behind a flag, as if something had to be typed there. Must not know the commands.
"""

from __future__ import annotations

from typing import Any

from typer.core import TyperArgument, TyperOption


def show_metavars() -> None:
    """Let the help of all commands of this process be so."""
    TyperArgument.display_type_rich = _nothing  # type: ignore[assignment, method-assign]
    TyperOption.display_type_rich = _metavar  # type: ignore[assignment, method-assign]


def _nothing(_argument: TyperArgument, ctx: Any) -> str:
    """An argument is called by its metavar."""
    return ""


def _metavar(option: TyperOption, ctx: Any) -> str:
    return option.metavar or ""
