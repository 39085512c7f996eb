"""Types that no annotation can tell: `Any`, each with a name and a reason.

Owns these names. An annotation of what scripts see has one of them in place of a bare `Any`, so that the typed stubs
can say why. Must not know tensors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any


@dataclass(frozen=True, slots=True)
class Loose:
    """The name of a type in stubs, and why it is `Any`, at least to us: `shown` is what scripts are told."""

    name: str
    reason: str
    shown: str = "Any"


Nested = Annotated[
    Any, Loose("Nested", "nested lists of numbers as deep as there are axes; a number for none")
]
_DATA = "torch.Tensor | numpy.ndarray | numpy.generic | builtins.float | collections.abc.Sequence[Data]"
Data = Annotated[Any, Loose("Data", "what becomes a tensor", _DATA)]
OneOrMore = Annotated[Any, Loose("OneOrMore", "one tensor, or several if the arguments ask for more")]
Hidden = Annotated[Any, Loose("Hidden", "the state of a cell: a tensor, or of LSTM a pair of them")]
Passed = Annotated[Any, Loose("Passed", "what a module takes and gives is said by its own forward()")]
Value = Annotated[
    Any, Loose("Value", "what a stored script, a kernel or an operation takes and gives is its own")
]
Piece = Annotated[Any, Loose("Piece", "text, or bytes of a file that was opened so")]
Target = Annotated[Any, Loose("Target", "what is read into", "builtins.bytearray | builtins.memoryview")]
Option = Annotated[Any, Loose("Option", "what json.loads takes by that name")]
Json = Annotated[Any, Loose("Json", "whatever JSON can say")]
