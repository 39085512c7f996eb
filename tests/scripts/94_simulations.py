import random, heapq, math, itertools, time
from collections import defaultdict, deque
from dataclasses import dataclass, field
from enum import Enum
class State(Enum):
    IDLE = "idle"; BUSY = "busy"; DOWN = "down"
@dataclass(order=True)
class Event:
    at: float
    seq: int = field(compare=True)
    kind: str = field(compare=False)
    payload: dict = field(default_factory=dict, compare=False, repr=False)
class Simulation:
    def __init__(self, seed):
        self._rng = random.Random(seed); self._q = []; self._seq = itertools.count(); self.now = 0.0
        self.stats = defaultdict(float); self.machines = {i: State.IDLE for i in range(3)}; self.waiting = deque()
        self._handlers = {n[4:]: getattr(self, n) for n in dir(self) if n.startswith("_on_")}
    def at(self, delay, kind, **p): heapq.heappush(self._q, Event(self.now + delay, next(self._seq), kind, p))
    def _on_arrive(self, n):
        self.stats["arrived"] += 1
        self.waiting.append((n, self.now)); self._dispatch()
        if n < 50: self.at(self._rng.expovariate(1.2), "arrive", n=n + 1)
    def _on_done(self, m, n):
        self.machines[m] = State.DOWN if self._rng.random() < 0.1 else State.IDLE
        if self.machines[m] is State.DOWN: self.at(self._rng.uniform(1, 5), "repair", m=m); self.stats["breaks"] += 1
        self.stats["done"] += 1; self._dispatch()
    def _on_repair(self, m): self.machines[m] = State.IDLE; self._dispatch()
    def _dispatch(self):
        for m, s in self.machines.items():
            if s is State.IDLE and self.waiting:
                n, t = self.waiting.popleft(); self.stats["wait"] += self.now - t; self.machines[m] = State.BUSY
                self.at(max(0.1, self._rng.normalvariate(2, 0.5)), "done", m=m, n=n)
    def run(self):
        self.at(0, "arrive", n=1)
        while self._q:
            e = heapq.heappop(self._q); self.now = e.at
            if e.kind not in self._handlers: raise KeyError(e.kind)
            self._handlers[e.kind](**e.payload)
        return {k: round(v, 3) for k, v in sorted(self.stats.items())} | {"end": round(self.now, 3)}
print(Simulation(1).run(), sorted(Simulation(2)._handlers))
class Grid:
    DIRS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0)]
    def __init__(self, cells): self.cells = set(cells)
    def step(self):
        n = defaultdict(int)
        for x, y in self.cells:
            for dx, dy in self.DIRS: n[x + dx, y + dy] += 1
        return Grid(c for c, k in n.items() if k == 3 or (k == 2 and c in self.cells))
    def __str__(self):
        xs = [x for x, _ in self.cells]; ys = [y for _, y in self.cells]
        return "\n".join("".join(".#"[(x, y) in self.cells] for x in range(min(xs), max(xs) + 1)) for y in range(min(ys), max(ys) + 1))
g = Grid({(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)})
for _ in range(4): g = g.step()
print(g)
def astar(walls, start, goal, size):
    h = lambda p: abs(p[0] - goal[0]) + abs(p[1] - goal[1])
    openq = [(h(start), 0, start, None)]; came = {}
    while openq:
        f, cost, p, parent = heapq.heappop(openq)
        if p in came: continue
        came[p] = parent
        if p == goal:
            path = []
            while p: path.append(p); p = came[p]
            return path[::-1]
        for d in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            q = (p[0] + d[0], p[1] + d[1])
            if 0 <= q[0] < size and 0 <= q[1] < size and q not in walls and q not in came: heapq.heappush(openq, (cost + 1 + h(q), cost + 1, q, p))
print(astar({(1, 0), (1, 1), (1, 2)}, (0, 0), (3, 0), 5))
def queens(n, row=0, cols=frozenset(), d1=frozenset(), d2=frozenset()):
    if row == n: yield (); return
    for c in range(n):
        if c not in cols and row + c not in d1 and row - c not in d2:
            for rest in queens(n, row + 1, cols | {c}, d1 | {row + c}, d2 | {row - c}): yield (c, *rest)
print(sum(1 for _ in queens(6)), next(queens(8)))
class Bank:
    class Insufficient(Exception):
        def __init__(self, need, have): super().__init__(f"need {need}, have {have}"); self.need, self.have = need, have
    class _Account:
        __slots__ = ("_owner", "_balance", "__history")
        def __init__(self, owner): self._owner, self._balance, self.__history = owner, 0, []
        def apply(self, amt):
            if self._balance + amt < 0: raise Bank.Insufficient(-amt, self._balance)
            self._balance += amt; self.__history.append(amt)
        @property
        def history(self): return tuple(self.__history)
    def __init__(self): self._acc = {}
    def open(self, o): return self._acc.setdefault(o, self._Account(o))
    def transfer(self, a, b, amt):
        snap = self._acc[a]._balance
        try: self._acc[a].apply(-amt); self._acc[b].apply(amt)
        except KeyError as e: self._acc[a]._balance = snap; raise LookupError(f"no account {e}") from None
        else: return True
        finally: print("transfer", a, b, amt)
b = Bank(); b.open("x").apply(100); b.open("y")
print(b.transfer("x", "y", 30), b._acc["x"].history, b._acc["y"]._balance)
for args in (("y", "x", 1000), ("x", "zz", 5)):
    try: b.transfer(*args)
    except (Bank.Insufficient, LookupError) as e: print(type(e).__qualname__, e, e.__cause__, e.__suppress_context__)
def collatz():
    cache = {1: 1}
    def length(n):
        nonlocal calls; calls += 1
        if n not in cache: cache[n] = 1 + length(n // 2 if n % 2 == 0 else 3 * n + 1)
        return cache[n]
    calls = 0
    best = max(range(1, 3000), key=length)
    return best, cache[best], calls
print(collatz())
total = 0
def bump():
    global total, newglobal
    total += 1; newglobal = total * 2
for _ in range(3): bump()
print(total, newglobal)
squares = [[(i, j) for j in range(i)] for i in range(4)]; print(squares, {k: v for k, v in zip("abc", range(3))}, {x % 3 for x in range(9)}, sum(x for x in range(5) if x % 2), [y := 5, y ** 2], (lambda *a, **k: (a, k))(1, *[2, 3], x=1, **{"y": 2}))
if (n := len("hello")) > 3: print(f"{n=} {n!r:>4} {n + 1 = } {'nested ' + f'{n:{n}d}'}")
for i in range(3):
    if i == 5: break
else: print("no break")
i = 0
while True:
    i += 1
    if i % 2: continue
    if i > 5: break
print(i); a, (b, *c), d = 1, (2, 3, 4), 5; print(a, b, c, d); x = y = []; x.append(1); print(y); a, b = b, a; print(a, b); del c[0]; print(c); print(1 < 2 < 3 != 4, not None or 0, [] or "d", 0 and 1, "yes" if total else "no", 7 // -2, -7 % 3, 2 ** -1, 5 & 3 | 4 ^ 1, ~5, 1 << 10, 0x1F, 0b101, 0o17, 1_000_000, 1e3, .5, 3j * 2, r"\n", b"\x00a", "a" "b", """tri
ple""", "\N{SNOWMAN}\u00e9\x41", ..., __name__, __debug__)
