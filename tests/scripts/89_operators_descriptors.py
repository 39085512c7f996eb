"""Matrix, complex number, vector classes with operator overloading, descriptors, metaclass-free registries, decorators."""
import math, functools, time, operator
from numbers import Number
class Matrix:
    def __init__(self, rows): self._r = [list(map(float, r)) for r in rows]; self.shape = (len(self._r), len(self._r[0]))
    @classmethod
    def identity(cls, n): return cls([[1 if i == j else 0 for j in range(n)] for i in range(n)])
    def __getitem__(self, ij):
        if isinstance(ij, tuple): i, j = ij; return self._r[i][j]
        return self._r[ij]
    def __setitem__(self, ij, v): self._r[ij[0]][ij[1]] = v
    def __add__(self, o): return Matrix([[a + b for a, b in zip(x, y)] for x, y in zip(self._r, o._r)])
    def __mul__(self, k): return Matrix([[a * k for a in r] for r in self._r]) if isinstance(k, Number) else NotImplemented
    __rmul__ = __mul__
    def __matmul__(self, o): return Matrix([[sum(a * b for a, b in zip(r, c)) for c in zip(*o._r)] for r in self._r])
    def __neg__(self): return self * -1
    def __pow__(self, n):
        out, base = Matrix.identity(self.shape[0]), self
        while n:
            if n & 1: out = out @ base
            base, n = base @ base, n >> 1
        return out
    def __iadd__(self, o):
        for i, r in enumerate(o._r):
            for j, v in enumerate(r): self[i, j] += v
        return self
    def __eq__(self, o): return isinstance(o, Matrix) and self._r == o._r
    def __bool__(self): return any(any(r) for r in self._r)
    def __iter__(self): return iter(self._r)
    def __repr__(self): return f"Matrix({self._r})"
    def __format__(self, spec): return "\n".join(" ".join(format(v, spec or "g") for v in r) for r in self._r)
    @property
    def T(self): return Matrix(zip(*self._r))
    def det(self):
        m = [r[:] for r in self._r]; d = 1.0
        for i in range(len(m)):
            p = max(range(i, len(m)), key=lambda k: abs(m[k][i]))
            if abs(m[p][i]) < 1e-12: return 0.0
            if p != i: m[i], m[p] = m[p], m[i]; d = -d
            d *= m[i][i]
            for k in range(i + 1, len(m)):
                f = m[k][i] / m[i][i]; m[k] = [a - f * b for a, b in zip(m[k], m[i])]
        return d
m = Matrix([[1, 2], [3, 4]])
print(m @ m, m ** 5, -m, 2 * m, m.T, m.det(), m == Matrix([[1, 2], [3, 4]]), bool(Matrix([[0, 0]])), f"{m:6.1f}", m[1, 0], m[0])
m += Matrix.identity(2); print(m)
for bad in (lambda: m * "x", lambda: m + 3, lambda: m @ 3):
    try: bad()
    except Exception as e: print(type(e).__name__, e)
try: hash(m)
except TypeError as e: print(e)
class Typed:
    def __init__(self, kind, default=None): self.kind, self.default = kind, default
    def __set_name__(self, owner, name): self.name = name; self.slot = "_" + name
    def __get__(self, obj, owner=None): return self if obj is None else getattr(obj, self.slot, self.default)
    def __set__(self, obj, v):
        if not isinstance(v, self.kind): raise TypeError(f"{self.name} must be {self.kind.__name__}, not {type(v).__name__}")
        setattr(obj, self.slot, v)
    def __delete__(self, obj): delattr(obj, self.slot)
class Person:
    name = Typed(str, "nobody"); age = Typed(int)
    registry = {}
    def __init_subclass__(cls, /, tag=None, **kw): super().__init_subclass__(**kw); Person.registry[tag or cls.__name__] = cls
    def __getattr__(self, n):
        if n.startswith("x_"): return n[2:]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {n!r}")
class Emp(Person, tag="emp"): pass
class Boss(Emp): 
    def __call__(self, *a, **k): return (a, k)
p = Emp(); p.name = "Al"; print(p.name, p.age, p._name, p.x_foo, Person.registry, Emp.name.kind)
try: p.age = "x"
except TypeError as e: print(e)
try: p.nope
except AttributeError as e: print(e, e.name)
del p.name; print(p.name, p.__dict__, Boss()(1, a=2), callable(Boss()), [c.__name__ for c in (Boss, Emp)])
def timed(fn=None, *, repeat=1):
    if fn is None: return lambda f: timed(f, repeat=repeat)
    @functools.wraps(fn)
    def wrapper(*a, **k):
        wrapper.calls += 1
        for _ in range(repeat): r = fn(*a, **k)
        return r
    wrapper.calls = 0
    return wrapper
@timed(repeat=2)
def add(a, b=1, *args, c, **kw):
    "Adds."
    return a + b + c
print(add(1, c=2), add(1, 2, c=3), add.calls, add.__name__, add.__doc__)
def retry(n, exc=Exception):
    def deco(f):
        def w(*a):
            for i in range(n):
                try: return f(*a)
                except exc as e: last = e
            raise RuntimeError(f"failed after {n}") from last
        return w
    return deco
@retry(3, ZeroDivisionError)
def bad(): return 1 / 0
try: bad()
except RuntimeError as e: print(e, repr(e.__cause__))
class Meta:
    def __class_getitem__(cls, k): return f"{cls.__name__}[{k}]"
print(Meta[int], operator.itemgetter(1, 2)("abc"), operator.attrgetter("a.b")(type("O", (), {"a": type("P", (), {"b": 7})()})()), operator.methodcaller("upper")("x"))
class V(tuple):
    def __new__(cls, *xs): return super().__new__(cls, xs)
    def __abs__(self): return math.hypot(*self)
    def __add__(self, o): return V(*map(operator.add, self, o))
    def __divmod__(self, k): return V(*(x // k for x in self)), V(*(x % k for x in self))
print(V(3, 4) + V(1, 1), abs(V(3, 4)), divmod(V(7, 9), 4), isinstance(V(1), tuple), V(1, 2) < V(1, 3))
class Money(float):
    def __repr__(self): return f"${float(self):.2f}"
    def __add__(self, o): return Money(float(self) + o)
    __radd__ = __add__
print(sum([Money(1.5), Money(2)]), Money(3) * 2, round(Money(2.567), 1), f"{Money(3):.1f}")
class Temp:
    def __init__(self): self._c = 0
    @property
    def f(self): "Fahrenheit"; return self._c * 9 / 5 + 32
    @f.setter
    def f(self, v): self._c = (v - 32) * 5 / 9
    @f.deleter
    def f(self): self._c = None
t = Temp(); t.f = 212; print(t._c, t.f); del t.f; print(t._c, Temp.f.__doc__)
