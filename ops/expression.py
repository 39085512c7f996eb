"""Expressions: Python syntax to an untyped tree, and the tree with dtypes to `Term`s.

Owns the language. A row of the op table says what its op computes as one Python expression over the names of its
inputs and attributes; `parse` turns that into a small tree (for derivatives), and `bind` types the tree into terms,
with every conversion written out. Fusion is function application: the terms bound to an op's inputs may be the terms
of other ops. `ops/wgsl.py` writes terms as WGSL, `ops/reference/` computes them with NumPy. Must not know ops or
tensors.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

import msgspec

from ops import dtypes
from ops.functions import FUNCTIONS
from shaders.errors import KernelgateError
from shaders.spec import Hole

Value = int | float | bool


class ExpressionError(KernelgateError):
    """An expression of a row that the language does not have. Only a row's author can cause it."""

    code = "expression_invalid"
    title = "An expression of the op table is malformed"


@dataclass(frozen=True, slots=True)
class Name:
    """An input or an attribute, or `index`, the position of the element in row-major order."""

    name: str


@dataclass(frozen=True, slots=True)
class Number:
    """A literal. An integer takes the dtype of what it meets; a float makes it f32."""

    value: Value


@dataclass(frozen=True, slots=True)
class Text:
    """A string, to compare an attribute with: such a comparison is decided when the tree is bound."""

    value: str


@dataclass(frozen=True, slots=True)
class Call:
    """A function of `ops/functions.py` applied to trees; operators are calls too."""

    function: str
    args: tuple[Tree, ...]


Tree = Name | Number | Text | Call


class Term(msgspec.Struct, frozen=True, eq=False):
    """A typed expression. Terms are compared by identity: one that is used twice is computed once.

    `function` names a row of `ops/functions.py`, or one of: `input` (`value` is the operand's number), `scalar`
    (`value` travels as a parameter, or what fills the `hole` does, so that the text does not depend on it), `number`
    (a literal), `index` (the element's row-major position, u32), `cast` (of its one argument to `dtype`).
    """

    function: str
    dtype: str
    args: tuple[Term, ...] = ()
    value: Value = 0
    hole: Hole | None = None


ABSENT = "is None"
"""The function of a call that asks whether an attribute was left out; decided when the tree is bound."""
_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.Pow: "pow",
    ast.FloorDiv: "floor_divide", ast.Mod: "remainder",
    ast.BitAnd: "bit_and", ast.BitOr: "bit_or", ast.BitXor: "bit_xor", ast.LShift: "shl", ast.RShift: "shr",
}  # fmt: skip
_UNARY: dict[type[ast.unaryop], str] = {ast.USub: "neg", ast.Not: "not", ast.Invert: "bit_not"}
_COMPARE = {ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge"}


@cache
def parse(text: str) -> Tree:
    """The tree of the Python expression `text`, in which equal parts are one object.

    Raises `ExpressionError` on syntax that the language lacks.
    """
    try:
        return _shared(_tree(ast.parse(text, mode="eval").body), {})
    except (SyntaxError, KeyError) as error:
        raise ExpressionError(f"the expression {text!r} does not parse: {error}") from None


def _shared(tree: Tree, seen: dict[Tree, Tree]) -> Tree:
    if isinstance(tree, Call):
        tree = Call(tree.function, tuple(_shared(arg, seen) for arg in tree.args))
    return seen.setdefault(tree, tree)


def _tree(node: ast.expr) -> Tree:
    match node:
        case ast.Name(id=name):
            return Name(name)
        case ast.Constant(value=str(text)):
            return Text(text)
        case ast.Constant(value=bool() | int() | float() as value):
            return Number(value)
        case ast.BinOp(left=left, op=op, right=right):
            return _call(_BINARY[type(op)], left, right)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return Number(-value)
        case ast.UnaryOp(op=op, operand=operand):
            return _call(_UNARY[type(op)], operand)
        case ast.Compare(left=ast.Name(id=name), ops=[ast.Is()], comparators=[ast.Constant(value=None)]):
            return Call(ABSENT, (Name(name),))
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _call(_COMPARE[type(op)], left, right)
        case ast.BoolOp(op=op, values=[left, right]):
            return _call("and" if isinstance(op, ast.And) else "or", left, right)
        case ast.IfExp(test=test, body=body, orelse=otherwise):
            return _call("where", test, body, otherwise)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
            return _call(name, *args)
    raise ExpressionError(f"expressions have no {type(node).__name__}: {ast.unparse(node)!r}")


def _call(function: str, *args: ast.expr) -> Call:
    row = FUNCTIONS.get(function)
    if row is None or row.arity != len(args):
        raise ExpressionError(f"there is no function {function}() of {len(args)} arguments")
    return Call(function, tuple(_tree(arg) for arg in args))


@cache
def input_term(index: int, dtype: str) -> Term:
    """The element of operand `index`, of `dtype`."""
    return Term("input", dtype, (), index)


def scalar_term(value: Value, hole: Hole | None = None) -> Term:
    """A number that travels as a parameter: a bool is bool, an integer i32 or u32 as it fits, all else f32.

    With a `hole`, the number may be another one of the same dtype each time that the kernel runs.
    """
    return Term("scalar", scalar_dtype(value), (), value, hole)


def constant(value: Value, dtype: str) -> Term:
    """A literal of `dtype`."""
    return _literal(Number(value), dtype)


def scalar_dtype(value: Value) -> str:
    """The dtype of `scalar_term`."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int) and -(1 << 31) <= value < 1 << 32:
        return "i32" if value < 1 << 31 else "u32"
    return "f32"


def cast(term: Term, dtype: str) -> Term:
    """`term` converted to `dtype`; itself when it is of that dtype."""
    return term if term.dtype == dtype else Term("cast", dtype, (term,))


Names = Mapping[str, Term | str | None]


def bind(tree: Tree, names: Names) -> Term:
    """The typed term of `tree`, where `names` gives the terms of inputs and attributes, texts and None as they are.

    Raises `ExpressionError` for a name that is not given.
    """
    bound = _bind(tree, names, {})
    return (
        _literal(bound, "f32" if isinstance(bound.value, float) else "i32")
        if isinstance(bound, Number)
        else bound
    )


@lru_cache(maxsize=1024)
def applied(text: str, **args: Term) -> Term:
    """The term of the expression `text` of `args` by name: the same one for the same arguments."""
    return bind(parse(text), args)


def _bind(tree: Tree, names: Names, done: dict[int, Term | Number]) -> Term | Number:
    match tree:
        case Number():
            return tree
        case Name(name):
            term = Term("index", "u32") if name == "index" else names.get(name)
            if isinstance(term, Term):
                return term
        case Call("where", (test, yes, no)) if (chosen := _decide(test, names)) is not None:
            return _bind(yes if chosen else no, names, done)
        case Call(function, args):
            if id(tree) not in done:
                done[id(tree)] = _apply(function, [_bind(arg, names, done) for arg in args])
            return done[id(tree)]
    raise ExpressionError(f"{tree} has no value here")


def _decide(test: Tree, names: Names) -> bool | None:
    """The answer to a test of an attribute: whether it equals a text, or was left out; None if it is no such test."""
    match test:
        case Call("eq", (Name(name), Text(text))):
            return names.get(name) == text
        case Call("is None", (Name(name),)) if name in names:
            return names[name] is None
    return None


def _apply(function: str, args: list[Term | Number]) -> Term:
    row = FUNCTIONS[function]
    head = args[:1] if row.takes == "choice" else []
    rest = args[len(head) :]
    dtype = {"float": "f32", "bool": "bool"}.get(row.takes) or _common(rest, row.takes == "number")
    terms = tuple([_as(arg, "bool") for arg in head] + [_as(arg, dtype) for arg in rest])
    return Term(function, "bool" if row.gives == "bool" else dtype, terms)


def _common(args: list[Term | Number], number: bool) -> str:
    """The dtype in which `args` meet; literals count for little, as in PyTorch."""
    names = [arg.dtype for arg in args if isinstance(arg, Term)]
    literals = [arg.value for arg in args if isinstance(arg, Number)]
    if any(isinstance(value, float) for value in literals):
        names.append("f32")
    if (number or any(not isinstance(value, bool) for value in literals)) and not set(names) - {"bool"}:
        names.append("i32")
    return dtypes.promote(*(dtypes.dtype(name) for name in names)).name


def _as(arg: Term | Number, dtype: str) -> Term:
    return _literal(arg, dtype) if isinstance(arg, Number) else cast(arg, dtype)


def _literal(number: Number, dtype: str) -> Term:
    convert = {"f32": float, "bool": bool}.get(dtype, int)
    return Term("number", dtype, (), convert(number.value))


def postorder(term: Term) -> Iterator[Term]:
    """Each distinct term under `term` after its arguments, without recursion."""
    seen: set[int] = set()
    stack = [(term, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            yield node
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            stack.extend((arg, False) for arg in reversed(node.args))


def inputs_of(term: Term) -> set[int]:
    """The numbers of the inputs that a term reads."""
    return {int(node.value) for node in postorder(term) if node.function == "input"}


def substituted(term: Term, inputs: Mapping[int, Term]) -> Term:
    """`term` with other terms for its inputs, by number; what it shares within itself stays shared."""
    done: dict[int, Term] = {}
    for node in postorder(term):
        made = node
        if node.function == "input":
            made = inputs[int(node.value)]
        elif node.args:
            args = tuple(done[id(arg)] for arg in node.args)
            made = Term(node.function, node.dtype, args, node.value, node.hole)
        done[id(node)] = made
    return done[id(term)]
