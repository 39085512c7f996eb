import functools
from functools import lru_cache, cache, partial, reduce, singledispatch, wraps, cached_property, singledispatchmethod
@singledispatch
def show(x): return f"obj {x}"
@show.register
def _(x: int): return f"int {x}"
@show.register(list)
def _(x): return f"list {len(x)}"
@show.register
def _(x: float | complex): return "num"
print(show(1), show([1]), show(2.5), show("s"))
class Neg:
    @singledispatchmethod
    def neg(self, a): raise NotImplementedError
    @neg.register
    def _(self, a: int): return -a
    @neg.register
    def _(self, a: bool): return not a
print(Neg().neg(5), Neg().neg(True))
def deco(arg):
    def inner(fn):
        @wraps(fn)
        def wrapper(*a, **k):
            wrapper.calls += 1
            return arg, fn(*a, **k)
        wrapper.calls = 0
        return wrapper
    return inner
@deco("z")
def add(a, b=1):
    "docs"
    return a + b
print(add(1), add(2, b=3), add.calls, add.__name__, add.__doc__, add.__wrapped__(5))
class Count:
    def __init__(self, fn):
        functools.update_wrapper(self, fn)
        self.fn, self.n = fn, 0
    def __call__(self, *a):
        self.n += 1
        return self.fn(*a)
@Count
def sq(x): return x * x
print(sq(3), sq(4), sq.n, sq.__name__)
@cache
def fib(n): return n if n < 2 else fib(n-1) + fib(n-2)
print(fib(50), fib.cache_info().hits > 0)
print(partial(int, base=2)("101"), reduce(lambda a, b: a * b, range(1, 6)))
class C:
    def __init__(self): self.n = 0
    @cached_property
    def big(self):
        self.n += 1
        return self.n
c = C(); print(c.big, c.big, c.n)
del c.big
print(c.big)
def gen():
    x = yield 1
    print("got", x)
    try:
        yield 2
    finally:
        print("closed")
g = gen(); next(g); g.send("hi"); g.close()
def kwonly(a, /, b, *, c): return a, b, c
print(kwonly(1, b=2, c=3), kwonly.__name__, (lambda: 0).__name__)
try: kwonly(a=1, b=2, c=3)
except TypeError as e: print(e)
import operator
print(operator.attrgetter("real")(5), operator.itemgetter(1, 0)("ab"), operator.methodcaller("upper")("x"))
print(sorted([("b", 1), ("a", 2)], key=operator.itemgetter(0)))
