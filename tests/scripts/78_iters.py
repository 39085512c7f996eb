class Tree:
    def __init__(self, v, l=None, r=None): self.v, self.l, self.r = v, l, r
    def __iter__(self):
        if self.l: yield from self.l
        yield self.v
        if self.r: yield from self.r
    def __reversed__(self): return iter(list(self)[::-1])
    def __lt__(self, o): return self.v < o.v
t = Tree(2, Tree(1), Tree(3))
print(list(t), list(reversed(t)), sorted([Tree(3), Tree(1)])[0].v)
class Fib:
    def __init__(self): self._a, self._b = 0, 1
    def __iter__(self): return self
    def __next__(self):
        r = self._a
        self._a, self._b = self._b, self._a + self._b
        if r > 50: raise StopIteration
        return r
print(list(Fib()))
def chunks(l, n):
    for i in range(0, len(l), n): yield l[i:i + n]
print(list(chunks([1, 2, 3, 4, 5], 2)))
g = (i for i in range(3)); print(next(g), list(g), next(g, None))
def sub():
    r = yield 1
    return r
def top():
    v = yield from sub()
    print("v", v)
    yield v
q = top(); next(q); print(q.send(5))
print(dict([(1, 2)]), list(map(lambda a, b: a + b, [1], [2])), [*range(3)], {*"aa"}, sum(x for x in (1, 2)))
class Matrix:
    def __init__(self, rows): self._rows = [list(r) for r in rows]
    def __getitem__(self, ij):
        i, j = ij
        return self._rows[i][j]
    def __setitem__(self, ij, v):
        i, j = ij; self._rows[i][j] = v
    def __delitem__(self, i): del self._rows[i]
    @property
    def T(self): return Matrix(zip(*self._rows))
    @classmethod
    def eye(cls, n): return cls([[int(i == j) for j in range(n)] for i in range(n)])
    def __str__(self): return "\n".join(" ".join(map(str, r)) for r in self._rows)
    def __iadd__(self, o):
        for i, r in enumerate(o._rows):
            for j, v in enumerate(r): self._rows[i][j] += v
        return self
m = Matrix([[1, 2], [3, 4]]); m[0, 1] = 9; m += Matrix.eye(2); print(m); print(m.T); m[0, 0] += 5; print(m[0, 0])
class Temp:
    def __init__(self): self._c = 0
    @property
    def f(self): return self._c * 9 / 5 + 32
    @f.setter
    def f(self, v): self._c = (v - 32) * 5 / 9
    @f.deleter
    def f(self): self._c = None
t = Temp(); t.f = 212; print(t._c); del t.f; print(t._c)
class Node:
    __slots__ = "val", "next"
    def __init__(self, val, next=None): self.val, self.next = val, next
class LL:
    def __init__(self): self._head = None; self.__size = 0
    def push(self, v): self._head = Node(v, self._head); self.__size += 1
    def __len__(self): return self.__size
    def __iter__(self):
        n = self._head
        while n: yield n.val; n = n.next
l = LL(); l.push(1); l.push(2); print(list(l), len(l), l._LL__size)
from types import SimpleNamespace, MappingProxyType, MethodType
ns = SimpleNamespace(a=1, _b=2); ns.c = 3; print(ns, ns._b, vars(ns)["c"], ns == SimpleNamespace(a=1, _b=2, c=3))
print(MappingProxyType({"a": 1})["a"])
class Z: pass
z = Z(); z.hi = MethodType(lambda self: "bound", z); print(z.hi())
