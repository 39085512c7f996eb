"""naga's own words, and how they are said here; and what to do about what it says.

Owns the two tables and the names that an author may have meant. Must not know where in a text a message is about.
"""

from __future__ import annotations

import re
from itertools import islice

from shaders.resolve import FOREIGN_TYPES
from shaders.suggestions import meant

_OPEN = "the array of a variable has a length"
_WORDS = [
    (re.compile(pattern), words)
    for pattern, words in (
        (r"Scalar \{ kind: Bool, width: 1 \}", "bool"),
        (r"Scalar \{ kind: Uint, width: 4 \}", "u32"),
        (r"Scalar \{ kind: Sint, width: 4 \}", "i32"),
        (r"Scalar \{ kind: Float, width: 4 \}", "f32"),
        (r"Scalar \{ kind: Float, width: 2 \}", "f16"),
        (r"Scalar \{ kind: (Abstract\w+), width: 8 \}", r"\1"),
        (r"(size|columns|rows): Bi\b", r"\1: 2"),
        (r"(size|columns|rows): Tri\b", r"\1: 3"),
        (r"(size|columns|rows): Quad\b", r"\1: 4"),
        (r"Scalar\((\w+)\)", r"\1"),
        (r"Vector \{ size: (\d), scalar: (\w+) \}", r"vec\1<\2>"),
        (r"Matrix \{ columns: (\d), rows: (\d), scalar: (\w+) \}", r"mat\1x\2<\3>"),
        (r"\[\d+\] \(of type ([^)]+)\)", r"`\1`"),
        (r"\{(Abstract\w+)\}", r"\1"),
        (r'found "([^"]*)"', r"found `\1`"),
        (r"\b[UI]32\((-?\d+)\)", r"\1"),
        (r"no definition in scope for identifier: (`\w+`)", r"\1 is not defined"),
        (r"type mismatch for reject and accept values in `select` call", "two values must be of one type"),
        (r"(?:accept|reject) value of type", "this one is of type"),
        (r"The `return` expression None does .*", "every path must return a value of the declared type"),
        (r"The `return` expression .* type None", "the function gives nothing, so nothing can be returned"),
        (r"The `return` expression .*", "what is returned is not of the declared type"),
        (r"Argument \d+ value \[\d+\] doesn't .*", "the argument is not of the parameter's type"),
        (r"Requires \d+ arguments, but \d+ are provided", "the call has too few or too many arguments"),
        (r"The pointer \[\d+\] doesn't relate to .* store", "this cannot be written"),
        (r"The `if` condition \[\d+\] is not a boolean scalar", "the condition is not a `bool`"),
        (r"Accessing index (\d+) is out of \[\d+\] bounds", r"the index is outside: there are \1 elements"),
        (r"Accessing with index \[\d+\] can't be done", "the index is no `i32` or `u32`"),
        (r"(Operation \w+) can't work with \[\d+\]$", r"\1 can't work with this value"),
        (r"Type flags TypeFlags.* TypeFlags\(DATA \| SIZED\)", _OPEN),
        (r"Local variable has a type \[\d+\] that can't be stored .*", _OPEN),
        (r"Array length of \[\d+\] can't be done", "this is no pointer to an array whose length is open"),
        (
            r"Incompatible operands: Logical(?:And|Or)\((\w+), _\)",
            r"`&&` and `||` take bools, and this is `\1`",
        ),
        (r"Abstract types may only appear in constant .*", "this number is not of the type that it meets"),
        (r"Loading of \[\d+\] can't be done", "this cannot be read as a value"),
        (r"The type of \[\d+\] doesn't match the .*", "the value is not of the type that is needed here"),
        (r"function '\w+' is declared with `@must_use` attribute", ""),
        (r" for expression \[\d+\]", ""),
        (r" \[\d+\]", ""),
    )
]
"""What naga says by numbers and types of its own, and how it is said here; in this order, all that are found."""

NO_CONDITION = "the condition is not a `bool`"
_SCALAR = r"`(?:[iuf]32|f16|Abstract\w+)`"
_CONVERT = "Numbers keep their type: write f32(x), i32(x) or u32(x), and numbers as 2.0, 2i or 2u."
_ADVICE = {
    re.compile(pattern): hint
    for pattern, hint in (
        (rf"Operation \w+ can't work with {_SCALAR} and {_SCALAR}", _CONVERT),
        (rf"cannot convert elements of {_SCALAR} to {_SCALAR}", _CONVERT),
        (rf"is expected to be {_SCALAR}, but got {_SCALAR}", _CONVERT),
        (
            r"two values must be of one type|this number is not of|is not of the (?:parameter's|declared)",
            _CONVERT,
        ),
        (
            r"^this cannot be written",
            "What a kernel writes is var<storage, read_write>, or var in a function.",
        ),
        (rf"^{NO_CONDITION}|take bools, and this", "Compare it, as x != 0."),
        (r"^this cannot be read as a value", "Of an array take elements, as x[i]; arrayLength takes &x."),
        (rf"^{_OPEN}", "As array<f32, 64>: a binding alone may leave it open."),
        (
            r"^the function gives nothing",
            "What it gives stands in its head, as fn f() -> f32; main gives nothing.",
        ),
        (
            r"^Unexpected runtime-expression|in a const context",
            "A const is known before the kernel runs: for what is not, write let.",
        ),
        (r"^expected .*, found `(?:and|or|not)`", "Write && for and, || for or, ! for not."),
        (r"^expected expression, found `\[`", "An array is written array(1, 2, 3)."),
        (r"^this is no pointer to an array", "As arrayLength(&x), of an array<T> in a binding."),
        (r"^increment/decrement operation requires", "What changes is declared with var, of i32 or u32."),
        (r"^the operand of the `\*` operator must be", "A power is pow(x, y)."),
        (r"^expected assignment or .*, found `\w", "What is declared begins with let or var, as var i = 3;."),
        (r"^expected .*, found `(?:\+\+|--)`", "Write i++ or i--: they stand behind, as statements."),
        (
            r"^Cannot apply the unary op|work with this value$",
            "`-` takes i32 and floats, `~` whole numbers, `!` bool.",
        ),
        (
            r"^invalid field accessor",
            "A vector has x, y, z and w as far as it is long, a struct its members.",
        ),
        (
            r"^expected `;`, found `(?:[dDFLU]|[uU]?[lL]+)`",
            "Numbers end in f, h, i or u, as 1.0f and 2u, or in nothing.",
        ),
        (
            r"^expected `;`, found `{`",
            "A block stands behind if, else if, else, for, while, loop, switch; none else.",
        ),
        (r"^expected `;`", "The statement before it ends with `;`."),
        (r"^expected `\)`, found `=`", "Values are compared by `==`; `=` is a statement."),
        (r"^expected `\)`", "What stands in parentheses has `,` between, and `)` behind."),
    )
}
"""What to do about a message of which naga says nothing more."""
_UNDEFINED = re.compile(r"`(\w+)` is not defined")
_NAMED = re.compile(r"\b([A-Za-z]\w*)(?=\s*[:=(])")
"""What is declared, assigned or called."""
_LOOKED_AT = 500
"""Names of a text that are looked at."""
_FUNCTIONS = re.findall(
    r"\w+",
    "abs acos all any asin atan atan2 atomicAdd atomicAnd atomicLoad atomicMax atomicMin atomicOr atomicStore "
    "atomicXor bitcast ceil clamp cos countOneBits cross degrees determinant distance dot exp exp2 floor fma fract "
    "inverseSqrt length log log2 max min mix modf normalize pow radians reverseBits round select sign sin smoothstep "
    "sqrt step storageBarrier tan tanh transpose trunc workgroupBarrier",
)
"""Functions of WGSL that one may have meant."""


def worded(text: str) -> str:
    """What naga says, in the words of a kernel's author."""
    for pattern, words in _WORDS:
        text = pattern.sub(words, text)
    return text


def advice(message: str, source: str) -> str | None:
    """What to do where naga does not say: by the kind of message, or the names that the text has."""
    if undefined := _UNDEFINED.fullmatch(message):
        if undefined[1] in FOREIGN_TYPES:
            return f"Write {FOREIGN_TYPES[undefined[1]]}."
        names = dict.fromkeys(found[1] for found in islice(_NAMED.finditer(source), _LOOKED_AT))
        return meant(undefined[1], [*(name for name in names if name != undefined[1]), *_FUNCTIONS]) or None
    return next((hint for pattern, hint in _ADVICE.items() if pattern.search(message)), None)
