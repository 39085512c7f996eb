# source: own: the library hands itself to number protocols
import fractions, decimal, statistics, random, datetime, itertools, math
got = []
class N:
    def __getattr__(self, n): got.append(n); raise AttributeError(n)
    def _any(self, *a): got.extend(a); return NotImplemented
    __add__ = __radd__ = __mul__ = __rmul__ = __eq__ = __lt__ = __gt__ = __sub__ = __rsub__ = __truediv__ = __rtruediv__ = __pow__ = __rpow__ = __mod__ = __rmod__ = __divmod__ = __rdivmod__ = _any
    def __hash__(self): return 1
for f in (lambda: fractions.Fraction(N()), lambda: fractions.Fraction(1, 2) + N(), lambda: decimal.Decimal(1) + N(), lambda: statistics.mean([N(), 1]), lambda: statistics.NormalDist(0, 1) + N(), lambda: datetime.timedelta(1) * N(), lambda: datetime.date.today() - N(), lambda: sum([N()]), lambda: math.prod([N()]), lambda: random.choice(N()), lambda: torch.ones(2) + N(), lambda: N() + torch.ones(2), lambda: math.fsum([N()]), lambda: range(N()), lambda: itertools.accumulate([1, N()]), lambda: list(itertools.accumulate([1, N()])), lambda: pow(2, N()), lambda: round(N()), lambda: complex(N()), lambda: torch.ones(2) == N()):
    try: leak(f())
    except Exception: pass
for v in got: leak(v)
