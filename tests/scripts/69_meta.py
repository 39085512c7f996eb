class Registry:
    _items = {}
    def __init_subclass__(cls, /, name=None, **kw):
        super().__init_subclass__(**kw)
        Registry._items[name or cls.__name__] = cls
class A(Registry, name="a"): pass
class B(Registry): pass
print(sorted(Registry._items), Registry._items["a"].__name__)
Foo = type("Foo", (Registry,), {"x": 1, "hello": lambda self: f"hi {self.x}", "_p": 2})
print(Foo().hello(), Foo.__name__, Foo()._p, isinstance(Foo(), Registry), type(Foo()) is Foo)
class Desc:
    def __set_name__(self, owner, name): self._name = f"_{name}"
    def __get__(self, o, t=None):
        return self if o is None else o.__dict__.get(self._name, "unset")
    def __set__(self, o, v): o.__dict__[self._name] = v * 2
class H:
    d = Desc()
h = H(); print(h.d); h.d = 4; print(h.d, h._d)
class Meta:
    def __class_getitem__(cls, item): return f"{cls.__name__}[{item}]"
print(Meta["x"])
class Slots:
    __slots__ = ("a", "_b")
    def __init__(self): self.a, self._b = 1, 2
s = Slots()
try: s.c = 1
except AttributeError as e: print("no c")
print(s.a, s._b)
class Ctx:
    def __enter__(self): print("in"); return self
    def __exit__(self, *a): print("out", a[0]); return True
with Ctx() as c, Ctx():
    raise ValueError("x")
class V:
    def __init__(self, *c): self.c = c
    def __iter__(self): return iter(self.c)
    def __add__(self, o): return V(*(a + b for a, b in zip(self, o)))
    def __mul__(self, k): return V(*(a * k for a in self))
    __rmul__ = __mul__
    def __matmul__(self, o): return sum(a * b for a, b in zip(self, o))
    def __neg__(self): return self * -1
    def __eq__(self, o): return self.c == o.c
    def __hash__(self): return hash(self.c)
    def __getitem__(self, i): return self.c[i]
    def __len__(self): return len(self.c)
    def __bool__(self): return any(self.c)
    def __format__(self, spec): return "<" + ",".join(format(x, spec) for x in self.c) + ">"
    def __call__(self, i): return self.c[i]
    def __contains__(self, x): return x in self.c
    def __abs__(self): return sum(x * x for x in self.c) ** 0.5
v = V(3, 4)
print(f"{v + 2 * v:.1f}", v @ v, abs(v), bool(V(0)), v(1), 3 in v, list(-v), len({v, V(3, 4)}))
