# source: own: the memo that hooks get, taken apart and made anew
import copy, asyncio
got = []
class Spy:
    def __deepcopy__(self, memo):
        got.append(memo)
        return self
q = asyncio.Queue()
copy.deepcopy([q, Spy(), {"a": q}])
m = got[0]
leak(m)
for n in dir(m) + ["_real", "real", "__dict__", "__slots__", "keys", "values", "items"]:
    try: leak(getattr(m, n))
    except Exception: pass
for k in range(0, 200000):
    if k in m: leak(m[k])
M = type(m)
for f in (lambda: M(), lambda: M({}), lambda: M.__new__(M), lambda: object.__new__(M), lambda: M.__init__(m, {}), lambda: type("X", (M,), {}), lambda: setattr(m, "_real", {}), lambda: m.__setitem__("x", 1), lambda: list(m), lambda: dict(m), lambda: copy.copy(m), lambda: {**m}, lambda: m.get(id(q)), lambda: m[id(q)], lambda: M.get(5, 1), lambda: vars(m), lambda: copy.deepcopy(q, M.__new__(M))):
    try: leak(f())
    except Exception: pass
