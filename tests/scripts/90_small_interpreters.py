# typical LLM: mini interpreter + JSON parser + INI + template engine
import re, sys
from typing import Any, Callable, Dict, List, Optional, Tuple, Union
from functools import reduce
class JSONParser:
    WS = re.compile(r"\s*"); NUM = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?"); STR = re.compile(r'"((?:[^"\\]|\\.)*)"')
    ESC = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "r": "\r"}
    def __init__(self, text: str): self.text, self.pos = text, 0
    def _ws(self): self.pos = self.WS.match(self.text, self.pos).end()
    def error(self, msg): raise ValueError(f"{msg} at {self.pos}: {self.text[self.pos:self.pos + 5]!r}")
    def parse(self):
        v = self.value(); self._ws()
        if self.pos != len(self.text): self.error("trailing data")
        return v
    def value(self) -> Any:
        self._ws()
        ch = self.text[self.pos:self.pos + 1]
        dispatch: Dict[str, Callable[[], Any]] = {"{": self.obj, "[": self.arr, '"': self.string}
        if ch in dispatch: return dispatch[ch]()
        for lit, v in (("true", True), ("false", False), ("null", None)):
            if self.text.startswith(lit, self.pos): self.pos += len(lit); return v
        if m := self.NUM.match(self.text, self.pos):
            self.pos = m.end(); return float(m[0]) if m[2] or m[3] else int(m[0])
        self.error("unexpected")
    def string(self):
        m = self.STR.match(self.text, self.pos) or self.error("bad string")
        self.pos = m.end()
        return re.sub(r"\\(u[0-9a-fA-F]{4}|.)", lambda k: chr(int(k[1][1:], 16)) if k[1][0] == "u" else self.ESC[k[1]], m[1])
    def arr(self):
        self.pos += 1; out = []; self._ws()
        if self.text[self.pos] == "]": self.pos += 1; return out
        while True:
            out.append(self.value()); self._ws(); c = self.text[self.pos:self.pos + 1]; self.pos += 1
            if c == "]": return out
            if c != ",": self.pos -= 1; self.error("expected , or ]")
    def obj(self):
        self.pos += 1; out = {}; self._ws()
        if self.text[self.pos] == "}": self.pos += 1; return out
        while True:
            self._ws(); k = self.string(); self._ws()
            if self.text[self.pos] != ":": self.error("expected :")
            self.pos += 1; out[k] = self.value(); self._ws(); c = self.text[self.pos]; self.pos += 1
            if c == "}": return out
            if c != ",": self.error("expected , or }")
for t in ['{"a": [1, -2.5e3, "x\\n\\u00e9"], "b": {"c": null, "d": true}}', "[]", "[1 2]", '{"a" 1}', "nope", '"abc']:
    try: print(JSONParser(t).parse())
    except (ValueError, IndexError, TypeError, AttributeError) as e: print(type(e).__name__, e)
class Lisp:
    class Proc:
        def __init__(self, params, body, env): self.params, self.body, self.env = params, body, env
        def __call__(self, *args): return Lisp.eval(self.body, Lisp.Env(self.params, args, self.env))
    class Env(dict):
        def __init__(self, params=(), args=(), outer=None): self.update(zip(params, args)); self.outer = outer
        def find(self, k):
            if k in self: return self
            if self.outer is None: raise LookupError(f"unbound: {k}")
            return self.outer.find(k)
    @staticmethod
    def parse(src):
        toks = src.replace("(", " ( ").replace(")", " ) ").split()
        def read():
            if not toks: raise SyntaxError("unexpected EOF")
            t = toks.pop(0)
            if t == "(":
                out = []
                while toks[0] != ")": out.append(read())
                toks.pop(0); return out
            if t == ")": raise SyntaxError("unexpected )")
            for conv in (int, float):
                try: return conv(t)
                except ValueError: continue
            return t
        return read()
    @classmethod
    def eval(cls, x, env):
        match x:
            case str(): return env.find(x)[x]
            case int() | float(): return x
            case ["quote", e]: return e
            case ["if", c, a, b]: return cls.eval(a if cls.eval(c, env) else b, env)
            case ["define", str(n), e]: env[n] = cls.eval(e, env); return None
            case ["lambda", [*params], body]: return cls.Proc(params, body, env)
            case ["let", [*pairs], body]: return cls.eval(body, cls.Env([p[0] for p in pairs], [cls.eval(p[1], env) for p in pairs], env))
            case ["begin", *es, last]:
                for e in es: cls.eval(e, env)
                return cls.eval(last, env)
            case [f, *args]: return cls.eval(f, env)(*(cls.eval(a, env) for a in args))
            case []: raise SyntaxError("empty")
import operator as op
G = Lisp.Env(); G.update({"+": lambda *a: sum(a), "*": lambda *a: reduce(op.mul, a, 1), "-": op.sub, "<": op.lt, "=": op.eq, "list": lambda *a: list(a), "map": lambda f, x: [*map(f, x)]})
for src in ["(begin (define fact (lambda (n) (if (< n 2) 1 (* n (fact (- n 1)))))) (fact 20))", "(map (lambda (x) (* x x)) (list 1 2 3))", "(let ((a 1) (b 2.5)) (+ a b))", "(foo 1)", "(quote (a b))", ")", "((lambda (x) x) 7)", "(- 1)"]:
    try: print(Lisp.eval(Lisp.parse(src), G))
    except Exception as e: print(f"{type(e).__name__}: {e}")
class Template:
    TOK = re.compile(r"({{.*?}}|{%.*?%})")
    def __init__(self, text): self.parts = self.TOK.split(text)
    def render(self, **ctx):
        out, stack, i = [], [], 0
        def lookup(expr):
            name, *filters = [p.strip() for p in expr.split("|")]
            v = ctx
            for part in name.split("."): v = v[part] if isinstance(v, dict) else getattr(v, part)
            for f in filters: v = {"upper": str.upper, "len": len, "join": ", ".join}[f](v)
            return v
        while i < len(self.parts):
            p = self.parts[i]
            if p.startswith("{{"): out.append(str(lookup(p[2:-2])))
            elif p.startswith("{%"):
                words = p[2:-2].split()
                if words[0] == "for": items = list(lookup(words[3])); stack.append([i, words[1], items, 0]); ctx[words[1]] = items[0]
                elif words[0] == "endfor":
                    top = stack[-1]; top[3] += 1
                    if top[3] < len(top[2]): ctx[top[1]] = top[2][top[3]]; i = top[0]
                    else: stack.pop()
            else: out.append(p)
            i += 1
        return "".join(out)
class U: name = "bob"; tags = ["x", "y"]
print(Template("Hi {{ u.name | upper }} {% for t in u.tags %}<{{ t }}>{% endfor %} {{ u.tags | join }} {{ d.k }}").render(u=U(), d={"k": 3}))
def parse_ini(text):
    cfg, sec = {}, None
    for n, line in enumerate(map(str.strip, text.splitlines()), 1):
        if not line or line[0] in "#;": continue
        if line.startswith("[") and line.endswith("]"): sec = cfg.setdefault(line[1:-1], {})
        elif "=" in line and sec is not None: k, _, v = line.partition("="); sec[k.strip()] = v.strip()
        else: raise SyntaxError(f"line {n}: {line!r}")
    return cfg
print(parse_ini("[a]\nx = 1\n# c\n[b]\ny=z=1"))
try: parse_ini("x")
except SyntaxError as e: print(e, e.msg, e.lineno)
try: int.from_bytes(b"\x01\x02", "big"), (258).to_bytes(2, "little"), (5).bit_length(), (255).bit_count(), 3.5.is_integer(), (0.1).hex(), float.fromhex("0x1p-1"), (0.5).as_integer_ratio(), complex(1, 2).conjugate()
finally: print(int.from_bytes(b"\x01\x02", "big"), (258).to_bytes(2, "little"), bytes.fromhex("0a ff"), b"\x01".hex(), "x".encode().hex("-"), bytearray(b"ab").decode(), memoryview(b"abc")[1], memoryview(b"abc").tobytes(), bytes(3), bytes([1, 2]), b"a,b".split(b","), b"ab".find(b"b"))
