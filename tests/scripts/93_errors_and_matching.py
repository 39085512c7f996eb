import sys
if sys.version_info >= (3, 12):
    src = None
try:
    raise ExceptionGroup("eg", [ValueError(1), TypeError("t"), ExceptionGroup("in", [KeyError("k")])])
except* ValueError as e: print("V", e.exceptions)
except* (TypeError, KeyError) as e: print("TK", repr(e))
try:
    try: raise ExceptionGroup("x", [OSError(2, "no"), ValueError("v")])
    except* OSError as e: print(e.exceptions[0].errno, str(e))
except ExceptionGroup as e: print("left", e.exceptions, e.subgroup(ValueError), e.split(TypeError)[0], e.derive([ValueError()]).message)
def f():
    try: return "try"
    finally: print("finally")
print(f())
def g():
    for i in range(3):
        try:
            if i == 1: continue
            if i == 2: break
        finally: print("f", i)
    else: print("else")
g()
class E1(Exception): pass
class E2(E1):
    def __init__(self, a, b): super().__init__(a, b); self.a = a
try:
    try: raise E1("one")
    except E1 as e: raise E2(1, 2) from e
except E1 as e: print(type(e), e.args, e, repr(e.__cause__), e.a, isinstance(e, E1))
try:
    try: 1 / 0
    except ZeroDivisionError: undefined
except NameError as e: print(repr(e.__context__), e.name)
try:
    try: 1 / 0
    except ZeroDivisionError as e: raise KeyError("x") from None
except KeyError as e: print(e.__cause__, e.__suppress_context__, type(e.__context__).__name__)
e = ValueError("a", 1); e.extra = {"k": 1}; e.add_note("n1"); print(e.args, e.extra, e.__notes__, e.with_traceback(None) is e if False else "")
def gen():
    try: yield 1
    except GeneratorExit: print("closing"); raise
    finally: print("fin")
x = gen(); next(x); x.close()
x = gen(); next(x)
try: x.throw(KeyError, "k") if sys.version_info < (3, 12) else x.throw(KeyError("k"))
except KeyError as e: print(repr(e))
try: list(map(lambda v: 1 / v, [1, 0]))
except ZeroDivisionError as e: print(e)
match {"type": "circle", "r": 2, "x": 1}:
    case {"type": "circle", "r": int(r), **rest} if r > 1: print(r, rest)
match [1, [2, 3, (4, 5)]]:
    case [a, [b, *c]]: print(a, b, c)
match "cmd arg1 arg2".split():
    case ["quit"]: print("q")
    case ["cmd", *args] if len(args) > 5: print("many")
    case [("cmd" | "run") as name, first, *_]: print(name, first)
for v in (1, "s", 2.5, [1], (1, 2), {"a": 1}, None, True, b"x", {1}, 3j, range(3)):
    match v:
        case bool(): r = "bool"
        case int(n): r = f"int {n}"
        case str() | bytes(): r = "text"
        case float(): r = "float"
        case None: r = "none"
        case [x]: r = f"one {x}"
        case (x, y): r = "pair"
        case {"a": q}: r = f"a={q}"
        case set(): r = "set"
        case complex(real=0.0, imag=im): r = f"imag {im}"
        case [_, *_]: r = "seq"
        case _: r = "other"
    print(r, end="; ")
print()
class Pt:
    __match_args__ = ("x", "_y")
    def __init__(self, x, y): self.x, self._y = x, y
match Pt(1, 2):
    case Pt(1, y): print("y", y)
match Pt(0, 3):
    case Pt(x=0, _y=q): print("q", q)
