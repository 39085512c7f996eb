# source: own: the class of tasks takes a loop of the script's own
import asyncio
got = []
class Loop:
    def __getattr__(self, n):
        def f(*a, **k):
            got.extend(a); got.extend(k.values()); got.append(n)
            return self
        return f
    def get_debug(self): return False
    def is_running(self): return True
async def c(): await asyncio.sleep(0)
async def main():
    T = type(asyncio.current_task())
    for make in (lambda: T(c(), loop=Loop()), lambda: asyncio.Queue(loop=Loop()), lambda: asyncio.ensure_future(c(), loop=Loop()), lambda: asyncio.gather(c(), loop=Loop()), lambda: T(c(), loop=Loop(), context=Loop()), lambda: T(c(), loop=Loop(), eager_start=True)):
        try: make()
        except Exception: pass
    for v in got:
        leak(v)
        for n in ("__self__", "run", "get", "items", "values", "copy", "__iter__", "_callback", "_loop", "_args"):
            try: x = getattr(v, n); leak(x); leak(x())
            except Exception: pass
asyncio.run(main())
