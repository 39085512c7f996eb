# source: own: the __dict__ of an object of an own class shows what its library base keeps there
import asyncio, random, json, decimal, logging, contextlib, enum, abc, collections, string
class Q(asyncio.Queue): pass
class L(asyncio.Lock): pass
class T(asyncio.TaskGroup): pass
class S(contextlib.ExitStack): pass
class H(logging.StreamHandler): pass
def look(o):
    for d in (vars(o), o.__dict__, dict(vars(o)), vars(o).copy(), {**vars(o)}, vars(o) | {}):
        for v in d.values():
            leak(v)
            if isinstance(v, (list, tuple, collections.deque)):
                for x in v: leak(x); [leak(y) for y in (x if isinstance(x, tuple) else ())]
    for k in ("_loop", "_parent_task", "_exit_callbacks"):
        for f in (lambda: vars(o)[k], lambda: vars(o).get(k), lambda: vars(o).pop(k), lambda: getattr(o, k), lambda: vars(o).setdefault(k, 1)):
            try: leak(f())
            except Exception: pass
async def main():
    q, l = Q(), L()
    t = asyncio.create_task(q.get()); await asyncio.sleep(0); q.put_nowait(1); await t
    async def hold():
        async with l: await asyncio.sleep(0)
    await asyncio.gather(hold(), hold())
    async with T() as tg:
        look(tg)
        for o in (q, l): look(o)
    s = S(); s.enter_context(contextlib.redirect_stdout(5)); look(s); s.pop_all()
asyncio.run(main())
look(H())
class E(enum.Enum):
    A = 1
class A(abc.ABC): pass
for c in (E, A, Q):
    for k, v in vars(c).items(): leak(v)
