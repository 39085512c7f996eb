from __future__ import annotations
import functools, itertools, collections, contextlib, operator, string, time
from types import TracebackType, SimpleNamespace
from typing import Any, Callable, ClassVar, Deque, Final, Generic, Iterator, Literal, NamedTuple, Optional, ParamSpec, Protocol, Type, TypeVar, Union, get_args, get_origin, cast, Pattern, Match, TextIO, KeysView
P = ParamSpec("P"); R = TypeVar("R"); T = TypeVar("T", bound="Comparable"); Mode = Literal["r", "w"]
class EventBus:
    _subs: ClassVar[dict[str, list[Callable[..., Any]]]] = collections.defaultdict(list)
    @classmethod
    def on(cls, name: str):
        def deco(fn: Callable[P, R]) -> Callable[P, R]:
            cls._subs[name].append(fn); fn._event = name
            return fn
        return deco
    @classmethod
    def emit(cls, name, *a, **k): return [fn(*a, **k) for fn in cls._subs[name]]
@EventBus.on("greet")
def hi(who: str, *, loud: bool = False) -> str: return f"hi {who}".upper() if loud else f"hi {who}"
@EventBus.on("greet")
def yo(who, **_): return "yo " + who
print(EventBus.emit("greet", "al", loud=True), hi._event, EventBus.emit("none"))
class Plugin:
    registry: dict[str, type[Plugin]] = {}
    def __init_subclass__(cls, **kw):
        super().__init_subclass__(**kw); Plugin.registry[cls.__name__.lower()] = cls
    def run(self, x): raise NotImplementedError(f"{type(self).__name__}.run")
class Double(Plugin):
    def run(self, x): return x * 2
class Broken(Plugin): pass
for n, c in Plugin.registry.items():
    try: print(n, c().run(4))
    except NotImplementedError as e: print("NotImplementedError", e)
class JsonMixin:
    def to_json(self): import json; return json.dumps({k.lstrip("_"): v for k, v in self.__dict__.items()}, sort_keys=True)
class ReprMixin:
    def __repr__(self): return f"{self.__class__.__name__}({', '.join(f'{k}={v!r}' for k, v in sorted(vars(self).items()))})"
class User(JsonMixin, ReprMixin):
    def __init__(self, name, age): self.name = name; self._age = age
print(User("a", 3), User("a", 3).to_json(), [c.__name__ for c in User.mro()] if hasattr(User, "mro") else "")
class Timer:
    def __init__(self, log: list[str]): self.log = log
    def __enter__(self) -> Timer: self.t = time.perf_counter(); return self
    def __exit__(self, et: Optional[Type[BaseException]], ev: Optional[BaseException], tb: Optional[TracebackType]) -> bool:
        self.log.append(f"{et.__name__ if et else None}:{ev}"); return et is ValueError
log = []
with Timer(log): pass
with Timer(log): raise ValueError("v")
print(log)
class Machine:
    TRANSITIONS: Final = {("idle", "start"): "run", ("run", "pause"): "paused", ("paused", "start"): "run", ("run", "stop"): "idle"}
    def __init__(self): self.state = "idle"; self._hooks = collections.defaultdict(list); self.history: Deque[str] = collections.deque(maxlen=3)
    def on(self, state): return lambda f: (self._hooks[state].append(f), f)[1]
    def fire(self, ev):
        try: new = self.TRANSITIONS[self.state, ev]
        except KeyError: raise RuntimeError(f"cannot {ev} while {self.state}") from None
        self.history.append(self.state); self.state = new
        for h in self._hooks[new]: h(self)
    def __getattr__(self, name):
        if name.startswith("do_"): return functools.partial(self.fire, name[3:])
        raise AttributeError(name)
m = Machine()
@m.on("run")
def started(mm): print("running after", mm.history[-1])
m.do_start(); m.do_pause(); m.do_start(); print(m.state, m.history)
try: m.do_jump()
except RuntimeError as e: print(e)
try: m.nothing
except AttributeError as e: print(e)
class Pipe:
    def __init__(self, *fns): self.fns = fns
    def __or__(self, f): return Pipe(*self.fns, f)
    def __call__(self, x): return functools.reduce(lambda acc, f: f(acc), self.fns, x)
    def __rrshift__(self, x): return self(x)
print("hello world" >> (Pipe() | str.split | (lambda w: [s.capitalize() for s in w]) | " ".join), get_args(Mode), get_origin(dict[str, int]), get_args(Union[int, str]), get_origin(Optional[int]) is Union)
def memo(fn):
    cache = {}
    @functools.wraps(fn)
    def w(*a): 
        if a not in cache: cache[a] = fn(*a)
        return cache[a]
    w.cache = cache; w.clear = cache.clear
    return w
@memo
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(80), len(fib.cache), fib.__name__, fib.__wrapped__(3))
def count_calls(cls):
    for k, v in list(vars(cls).items()):
        if callable(v) and not k.startswith("__"):
            def make(v=v, k=k):
                @functools.wraps(v)
                def w(self, *a): self.calls[k] = self.calls.get(k, 0) + 1; return v(self, *a)
                return w
            setattr(cls, k, make())
    return cls
@count_calls
class Calc:
    def __init__(self): self.calls = {}
    def add(self, a, b): return a + b
    def _secret(self): return 42
c = Calc(); c.add(1, 2); c.add(3, 4); c._secret(); print(c.calls)
class Singleton:
    _inst = None
    def __new__(cls, *a):
        if cls._inst is None: cls._inst = super().__new__(cls)
        return cls._inst
print(Singleton() is Singleton())
class Lazy:
    def __init__(self, f): self.f = f
    def __set_name__(self, o, n): self.n = n
    def __get__(self, obj, owner):
        if obj is None: return self
        v = obj.__dict__[self.n] = self.f(obj); return v
class Big:
    @Lazy
    def data(self): print("loading"); return [1, 2, 3]
b = Big(); print(b.data, b.data, "data" in vars(b))
class Frac:
    def __init__(self, n, d=1): self.n, self.d = n, d
    def __eq__(self, o): return isinstance(o, Frac) and self.n * o.d == o.n * self.d
    def __hash__(self): return hash((self.n, self.d))
    def __lt__(self, o): return self.n * o.d < o.n * self.d
    def __add__(self, o): return Frac(self.n * o.d + o.n * self.d, self.d * o.d) if isinstance(o, Frac) else NotImplemented
    def __radd__(self, o): return self if o == 0 else NotImplemented
    def __iter__(self): yield from (self.n, self.d)
    def __bool__(self): return self.n != 0
    def __index__(self): return self.n // self.d
    def __str__(self): return f"{self.n}/{self.d}"
    __repr__ = __str__
    def __contains__(self, x): return x in (self.n, self.d)
    def __len__(self): return 2
    def __reversed__(self): return iter((self.d, self.n))
    def __int__(self): return self.n // self.d
    def __round__(self, k=None): return round(self.n / self.d, k)
print(sum([Frac(1, 2), Frac(1, 3)]), sorted([Frac(3, 4), Frac(1, 2)]), [10, 20, 30][Frac(4, 2)], *Frac(1, 2), {Frac(1, 2)}, 2 in Frac(1, 2), list(reversed(Frac(1, 2))), int(Frac(7, 2)), round(Frac(2, 3), 2), bool(Frac(0)), hex(Frac(255)), "%s" % Frac(1, 2), max(Frac(1, 2), Frac(2, 3)))
try: Frac(1) + 5
except TypeError as e: print(e)
def chunks(it, n):
    it = iter(it)
    while batch := list(itertools.islice(it, n)): yield batch
print(list(chunks(range(7), 3)), dict(itertools.groupby("aabbb", key=str)) .keys(), [*map(operator.itemgetter("k"), [{"k": 1}])])
def coroutine(f):
    @functools.wraps(f)
    def w(*a): g = f(*a); next(g); return g
    return w
@coroutine
def avg():
    total = n = 0; r = None
    while True: x = yield r; total += x; n += 1; r = total / n
g = avg(); print(g.send(10), g.send(20)); g.close()
