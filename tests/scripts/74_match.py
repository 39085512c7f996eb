def f(x):
    match x:
        case 0 | 1: return "small"
        case int() if x > 100: return "big"
        case str("a" | "b" as s): return f"ab {s}"
        case []: return "empty"
        case [1, *rest, 9]: return f"1..9 {rest}"
        case [[a, b], c]: return a, b, c
        case (_, _): return "pair"
        case {"k": {"n": n}, "t": [t, *_]}: return n, t
        case {"only": 1, **kw} if not kw: return "only"
        case {"x": _}: return "has x"
        case bool(): return "bool"
        case float(v): return v
        case None: return "none"
        case str(): return "str"
        case complex(real=r, imag=i): return r, i
        case bytes(b): return b
        case _: return "other"
for x in [0, 1, 500, "a", "zz", [], [1, 2, 3, 9], [1, 9], [[1, 2], 3], (5, 6), {"k": {"n": 1}, "t": [2, 3]}, {"only": 1}, {"only": 1, "z": 2}, {"x": 3}, True, 2.5, None, 1+2j, b"q", {1}, 50]:
    print(repr(x), "->", f(x))
class P:
    __match_args__ = ("x", "_y")
    def __init__(self, x, y): self.x, self._y = x, y
match P(1, 2):
    case P(a, b): print(a, b)
match P(1, 2):
    case P(x=5): print("no")
    case P(_y=b): print("y", b)
match (1, 2, 3):
    case (a, *_) | [a]: print(a)
import enum
class K(enum.Enum): A = 1
def h(cmd):
    match cmd.split():
        case ["go", ("north" | "south") as d]: return d
        case ["get", obj, *extra]: return obj, extra
        case [cmd]: return cmd
    return None
print(h("go north"), h("get lamp now"), h("look"), h("a b"))
