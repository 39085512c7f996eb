"""How a type is written in a stub.

Owns the way from an annotation, as it stands in our code, to a name that scripts know, and what a stub needs for it at
its head. What scripts cannot name is `Any`, if nothing better is told. Must not know functions or modules.
"""

from __future__ import annotations

import builtins
import collections.abc
import re
import sys
import types
import typing
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, TypeVar

from ops.loose import Loose

_ABSTRACT = {getattr(collections.abc, name): name for name in collections.abc.__all__}


def standard(module: str) -> bool:
    """Whether `module` is of the standard library."""
    return module.split(".")[0] in sys.stdlib_module_names


def home_of(cls: type) -> str:
    """The module of the standard library that has `cls`; "" if none does, whatever the class says of itself."""
    module = sys.modules.get(cls.__module__)
    is_there = standard(cls.__module__) and getattr(module, cls.__name__, None) is cls
    return cls.__module__ if is_there else ""


def _is_alias(names: Mapping[str, Any], word: str) -> bool:
    """Whether `word` means a type that would be long to write."""
    return typing.get_origin(names.get(word)) in (types.UnionType, typing.Union)


@dataclass(slots=True)
class Page:
    """One stub as it is written: its module's `names`, and what its text came to need.

    `public` are the classes that can be named, by module and name, of all pages. One that a function gives, and that no
    module has, becomes one of the page that meets it first (`met`).
    """

    module: str
    names: Collection[str]
    public: dict[type, tuple[str, str]]
    imports: set[str] = field(default_factory=set)
    aliases: dict[str, str] = field(default_factory=dict)
    met: list[type] = field(default_factory=list)

    def meet(self, cls: type) -> None:
        """Let this page have `cls`."""
        self.public[cls] = (self.module, cls.__name__.lstrip("_"))
        self.met.append(cls)


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes types for a page.

    A name that means something else where the type stands, as `int` does among the names of `torch`, or `dtype` in a
    class with such a member (`members`), is written with its module. `bound` are type variables that mean something.
    """

    page: Page
    members: Collection[str] = ()
    bound: Mapping[Any, str] = field(default_factory=dict)
    gives: bool = False

    def inside(self, members: Collection[str], bound: Mapping[Any, str]) -> Writer:
        """The writer in the body of a class with these members."""
        return replace(self, members=members, bound=bound)

    def of_results(self) -> Writer:
        """The writer of what comes to a script, which may be of a class that no module has."""
        return replace(self, gives=True)

    def annotation(self, written: object, names: Mapping[str, Any]) -> str:
        """An annotation where the globals are `names`, which may be text."""
        written = written.__forward_arg__ if isinstance(written, typing.ForwardRef) else written
        if not isinstance(written, str):
            return self.type(written)
        words = (word for word in re.findall(r"\w+", written) if _is_alias(names, word))
        aliases = {word: Annotated[names[word], word] for word in words}
        try:
            return self.type(eval(written, {**names, **aliases}))  # our own text: no script's comes here
        except (NameError, TypeError, AttributeError):
            return "Any"

    def type(self, value: Any) -> str:
        """A class, a union, a generic alias, a variable or a literal."""
        if value is Any:
            return "Any"
        if value is None or value is types.NoneType or value is typing.NoReturn:
            return "NoReturn" if value is typing.NoReturn else "None"
        if value is ...:
            return "..."
        if value is typing.Self:
            return "Self"
        if isinstance(value, list):  # the arguments of a callable
            return f"[{', '.join(map(self.type, value))}]"
        if isinstance(value, TypeVar):
            return self._variable(value)
        origin, args = typing.get_origin(value), typing.get_args(value)
        if origin is Annotated:
            return self._alias(value.__origin__, value.__metadata__[0])
        if origin is typing.Literal:
            return f"Literal[{', '.join(map(repr, args))}]"
        if origin in (types.UnionType, typing.Union):
            return self._union(list(dict.fromkeys(map(self.type, args))))
        if origin is not None:
            head = self.type(origin)
            return head if head == "Any" else f"{head}[{', '.join(map(self.type, args))}]"
        return self._class(value) if isinstance(value, type) else "Any"

    def named(self, cls: builtins.type) -> bool:
        """Whether scripts can name `cls`."""
        return replace(self, gives=False)._class(cls) != "Any"

    @staticmethod
    def _union(parts: list[str]) -> str:
        return "Any" if "Any" in parts else " | ".join(parts)

    def _alias(self, value: object, told: Loose | str) -> str:
        """The name of an alias, which stands at the page's head; its meaning where the name means something else."""
        if isinstance(told, Loose):
            name, definition = told.name, f"{told.name}: TypeAlias = {told.shown}  # {told.reason}"
            self.page.imports.update(re.findall(r"([a-z.]+)\.\w+", told.shown))
        else:
            name, shown = told, replace(self, members=(), bound={}).type(value)
            definition = f"{name}: TypeAlias = {shown}"
            if name in self.page.names or self.page.aliases.get(name, definition) != definition:
                return self.type(value)
        self.page.aliases[name] = definition
        return name

    def _variable(self, variable: TypeVar) -> str:
        if variable in self.bound:
            return self.bound[variable]
        name, bound = variable.__name__, variable.__bound__
        if name == "Self":  # of a function that becomes a method
            return name
        limit = "" if bound is None else f", bound={self.type(bound)}"
        self.page.aliases[name] = f'{name} = TypeVar("{name}"{limit})'
        return name

    def _class(self, cls: builtins.type) -> str:
        page = self.page
        if cls in _ABSTRACT:
            page.imports.add("collections.abc")
            return f"collections.abc.{_ABSTRACT[cls]}"
        if (
            cls not in page.public
            and (self.gives or getattr(cls, "_is_protocol", False))
            and not home_of(cls)
        ):
            page.meet(cls)
        if cls in page.public:
            module, name = page.public[cls]
            return self._from(module, name)
        home = home_of(cls)
        if not home:
            return "Any"
        if home != "builtins" or cls.__name__ in page.names or cls.__name__ in self.members:
            page.imports.add(home)
            return f"{home}.{cls.__name__}"
        return cls.__name__

    def _from(self, module: str, name: str) -> str:
        if module == self.page.module and name not in self.members:
            return name
        self.page.imports.add(module)
        return f"{module}.{name}"
