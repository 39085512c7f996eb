# source: own: a __deepcopy__ of the script, called by hand with a dict of the script
import asyncio, copy
class A:
    def __init__(self, thing): self.thing = thing
    def __deepcopy__(self, memo):
        try: copy.deepcopy(self.thing, memo)
        except Exception: pass
        return self
def walk(v, depth=0):
    leak(v)
    if depth < 5:
        for x in (list(v.values()) if isinstance(v, dict) else v if isinstance(v, (list, tuple)) else ()): walk(x, depth + 1)
async def main():
    lock = asyncio.Lock()
    async def hold():
        async with lock: await asyncio.sleep(0)
    await asyncio.gather(hold(), hold())
    mine = {}
    a = A(lock)
    for f in (lambda: a.__deepcopy__(mine), lambda: A.__deepcopy__(a, mine), lambda: a.__dict__.__deepcopy__(mine), lambda: copy.deepcopy(a, mine), lambda: copy.deepcopy(a.__dict__, mine), lambda: vars(A)["__deepcopy__"](a, mine), lambda: super(A, a).__deepcopy__(mine)):
        try: f()
        except Exception: pass
        walk(mine)
asyncio.run(main())
