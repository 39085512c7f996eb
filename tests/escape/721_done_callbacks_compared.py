# source: own: removing a callback compares it with those of the library
import asyncio
class Evil:
    def __eq__(self, other): leak(other); return False
    def __ne__(self, other): leak(other); return True
    def __call__(self, *a): pass
async def sub(): await asyncio.sleep(0.001)
async def main():
    me = asyncio.current_task()
    me.remove_done_callback(Evil())
    t = asyncio.create_task(sub()); g = asyncio.gather(t, sub()); s = asyncio.shield(t); w = asyncio.create_task(asyncio.wait([t])); f = asyncio.create_task(asyncio.wait_for(t, 1))
    async with asyncio.TaskGroup() as tg:
        u = tg.create_task(sub())
        await asyncio.sleep(0)
        for x in (t, g, s, w, f, u, me): x.remove_done_callback(Evil())
    await asyncio.gather(g, s, w, f)
asyncio.run(main())
