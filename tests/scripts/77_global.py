counter = 0
def inc():
    global counter
    counter += 1
inc(); inc(); print(counter)
_cache = {}
def memo(n):
    if n not in _cache:
        _cache[n] = n if n < 2 else memo(n - 1) + memo(n - 2)
    return _cache[n]
print(memo(30), len(_cache))
def make():
    fns = []
    for i in range(3):
        def f(i=i): return i
        fns.append(f)
    return [f() for f in fns], [g() for g in [lambda: i for i in range(3)]]
print(make())
x = 1
class K:
    x = 2
    def get(self): return x
    y = [x for _ in range(1)]
    z = x
print(K().get(), K.y, K.z)
del x
try: x
except NameError as e: print(e)
a = b = c = []
a.append(1); print(c, a is b)
n = 5
while n:
    n -= 1
    if n == 2: continue
    if n == 0: break
    print(n, end=" ")
else: print("else")
print()
lst = list(range(10)); lst[2:5] = ["x"]; del lst[0], lst[-1]; print(lst, lst[::-2], lst[1:][0])
d = {k: v for k, v in zip("abc", range(3))}; d |= {"z": 9}; print(d, {**d, "a": 5}, d.items() & {("a", 0)})
s = {1, 2} | {3}; s -= {1}; print(s, {1} ^ {2}, s <= {2, 3, 4})
print(1 < 2 < 3, not 1, 5 if 0 else 6, 1 or 2, [] and 3, 7 // -2, -7 % 3, 2 ** -1, 0.1 + 0.2, 1_000, 0b101, 0xff, 1e3, "a" "b", r"\n", b"\x00"[0], ..., None is None)
print(*[1, 2], *"ab", sep="|", end="!\n")
(lambda *a, **k: print(a, k))(1, x=2)
def ann(a: int = 3, *b: str, c: list[int] | None = None, **d: dict) -> None:
    y: int = a
    z: list[str]
    print(y, b, c, d)
ann(1, "b", c=[2], e=5)
class Lazy:
    attr: int
    other: "str" = "o"
print(Lazy.other, hasattr(Lazy, "attr"))
print([y := 5, y ** 2], (lambda q: (w := q) + w)(2))
assert (p := 3) == 3
import os.path as osp, collections.abc
print(osp.join("a", "b"), osp.splitext("f.tar.gz"), os.path.basename("/x/y") if "os" in dir() else "no os") if False else print(osp.join("a", "b"))
import os
print(os.path.dirname("/a/b"), os.environ.get("NOPE", "d"), os.getenv("NOPE"), os.sep)
