"""Expression parser: tokenizer with re, Pratt parser, match statement, visitor."""
import re
from enum import Enum, auto, IntEnum, Flag
from typing import NamedTuple, Union
import math

class Kind(Enum):
    NUM = auto(); NAME = auto(); OP = auto(); END = auto()
    def __str__(self): return self.name.lower()

class Token(NamedTuple):
    kind: Kind
    text: str
    pos: int

TOKEN = re.compile(r"""
    \s*(?:
      (?P<num>\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)
    | (?P<name>[A-Za-z_]\w*)
    | (?P<op>\*\*|[-+*/()^%,=<>!]=?)
    )""", re.VERBOSE)

class ParseError(SyntaxError):
    def __init__(self, msg, pos):
        super().__init__(msg)
        self.pos = pos

def tokenize(text):
    pos = 0
    while pos < len(text.rstrip()):
        m = TOKEN.match(text, pos)
        if not m:
            raise ParseError(f"bad character {text[pos]!r}", pos)
        kind = {"num": Kind.NUM, "name": Kind.NAME, "op": Kind.OP}[m.lastgroup]
        yield Token(kind, m.group(m.lastgroup), m.start(m.lastgroup))
        pos = m.end()
    yield Token(Kind.END, "", pos)

class Prec(IntEnum):
    NONE = 0
    ADD = 10
    MUL = 20
    POW = 30
    NEG = 25

class Num:
    __match_args__ = ("value",)
    __slots__ = ("value",)
    def __init__(self, value): self.value = value
class Var:
    __match_args__ = ("name",)
    def __init__(self, name): self.name = name
class Bin:
    __match_args__ = ("op", "left", "right")
    def __init__(self, op, left, right): self.op, self.left, self.right = op, left, right
class Call:
    __match_args__ = ("fn", "args")
    def __init__(self, fn, args): self.fn, self.args = fn, args

class Parser:
    BP = {"+": Prec.ADD, "-": Prec.ADD, "*": Prec.MUL, "/": Prec.MUL, "%": Prec.MUL, "**": Prec.POW, "^": Prec.POW}
    def __init__(self, text):
        self._toks = list(tokenize(text)); self._i = 0
    @property
    def cur(self): return self._toks[self._i]
    def advance(self):
        t = self.cur; self._i += 1; return t
    def expect(self, text):
        if self.cur.text != text:
            raise ParseError(f"expected {text!r}, got {self.cur.text!r}", self.cur.pos)
        return self.advance()
    def parse(self):
        e = self.expr(0)
        if self.cur.kind is not Kind.END:
            raise ParseError(f"trailing {self.cur.kind}", self.cur.pos)
        return e
    def expr(self, bp):
        left = self.atom()
        while (op := self.cur.text) in self.BP and self.BP[op] > bp:
            self.advance()
            right = self.expr(self.BP[op] - (1 if op in ("**", "^") else 0))
            left = Bin("**" if op == "^" else op, left, right)
        return left
    def atom(self):
        match self.advance():
            case Token(Kind.NUM, text): return Num(float(text))
            case Token(Kind.NAME, name) if self.cur.text == "(":
                self.advance(); args = []
                while self.cur.text != ")":
                    args.append(self.expr(0))
                    if self.cur.text == ",": self.advance()
                self.expect(")")
                return Call(name, args)
            case Token(kind=Kind.NAME, text=name): return Var(name)
            case Token(text="-"): return Bin("*", Num(-1.0), self.expr(Prec.NEG))
            case Token(text="("):
                e = self.expr(0); self.expect(")"); return e
            case Token(text=t, pos=p): raise ParseError(f"unexpected {t!r}", p)

def evaluate(node, env):
    match node:
        case Num(v): return v
        case Var("pi"): return math.pi
        case Var(n) if n in env: return env[n]
        case Var(n): raise NameError(n)
        case Bin("+", a, b): return evaluate(a, env) + evaluate(b, env)
        case Bin("-", a, b): return evaluate(a, env) - evaluate(b, env)
        case Bin("*", Num(0.0), _) | Bin("*", _, Num(0.0)): return 0.0
        case Bin("*", a, b): return evaluate(a, env) * evaluate(b, env)
        case Bin("/", a, b): return evaluate(a, env) / evaluate(b, env)
        case Bin("**", a, b): return evaluate(a, env) ** evaluate(b, env)
        case Call("max" | "min" as f, args): return {"max": max, "min": min}[f](evaluate(a, env) for a in args)
        case Call(fn, [arg]): return getattr(math, fn)(evaluate(arg, env))
        case _: raise TypeError(f"no rule for {type(node).__name__}")

def unparse(node):
    match node:
        case Num(v): return f"{v:g}"
        case Var(n): return n
        case Bin(op, l, r): return f"({unparse(l)} {op} {unparse(r)})"
        case Call(f, args): return f"{f}({', '.join(map(unparse, args))})"

for text in ["1+2*3", "2**3**2", "-2**2", "(1+2)*-3", "sin(pi/2)", "max(1,x,3)*2", "1 +", "foo(1,2)", "y", "1/0", "3 $ 4", "x^2 - 4*x + 4"]:
    try:
        tree = Parser(text).parse()
        print(f"{text:20} {unparse(tree):32} = {evaluate(tree, {'x': 5.0}):.6g}")
    except ParseError as e:
        print(f"{text:20} ParseError at {e.pos}: {e.msg}")
    except (ArithmeticError, NameError, TypeError, AttributeError) as e:
        print(f"{text:20} {type(e).__name__}: {e}")
class Perm(Flag):
    R = auto(); W = auto(); X = auto()
    RW = R | W
print(Perm.RW, Perm.R | Perm.X, Perm.R in Perm.RW, list(Perm), Perm(5), ~Perm.R)
print(Kind.NUM, repr(Kind.NUM), Kind["OP"], Kind(2), [k.value for k in Kind], Prec.ADD + 1, Prec.MUL > Prec.ADD, Kind.__members__)
