"""What is done with each element of an op's result, in the kernel that makes it.

Owns it as a term, and as the text of a kernel. Must not know ops.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from ops import wgsl
from ops.expression import Term, input_term
from ops.lowering.builder import Params
from ops.lowering.operands import Source
from ops.wgsl import Function
from shaders.spec import Param


@dataclass(frozen=True, slots=True)
class Finish:
    """The text of a kernel's last step: the function `finish`, or nothing where results stay as they are.

    `finish` takes an element of the result and one of each extra operand, whose WGSL types are `types`, and reads the
    parameters `params`.
    """

    text: str = ""
    params: tuple[Param, ...] = ()
    types: tuple[str, ...] = ()

    @property
    def extras(self) -> list[str]:
        """The names of the extra operands."""
        return [f"e{number}" for number in range(len(self.types))]


class After(msgspec.Struct, frozen=True):
    """What is done with each element of an op's result of `dtype`: a term of it (input 0) and of `sources`.

    Input n is the element of `sources[n - 1]`, broadcast to the shape of the result.
    """

    term: Term
    dtype: str
    sources: tuple[Source, ...] = ()

    @classmethod
    def nothing(cls, dtype: str) -> After:
        """Results of `dtype` stay as they are."""
        return cls(input_term(0, dtype), dtype)

    @property
    def function(self) -> Function:
        """The WGSL function `finish(value, x0, …)` of an element of the result and of those of `sources`."""
        others = [(f"x{number}", source.dtype) for number, source in enumerate(self.sources)]
        return wgsl.function("finish", self.term, [("value", self.dtype), *others])

    @property
    def types(self) -> tuple[str, ...]:
        """The WGSL types of the elements of `sources`."""
        return tuple(wgsl.storage(source.dtype) for source in self.sources)

    @property
    def finish(self) -> Finish:
        """The part of it that a kernel's text depends on."""
        if self.term.function == "input" and self.term.value == 0:
            return Finish()
        return Finish(self.function.text, self.function.params, self.types)

    @property
    def values(self) -> Params:
        """The numbers that `function` reads."""
        return dict(self.function.values)
