# source: own: the memo of deepcopy shows what a library object holds
import asyncio, copy
async def main():
    q = asyncio.Queue()
    t = asyncio.create_task(q.get())
    await asyncio.sleep(0)
    q.put_nowait(1)
    await t
    lock = asyncio.Lock()
    async def hold():
        async with lock: await asyncio.sleep(0)
    await asyncio.gather(hold(), hold())
    event = asyncio.Event(); w = asyncio.create_task(event.wait()); await asyncio.sleep(0); event.set(); await w
    async with asyncio.TaskGroup() as tg: pass
    async with asyncio.timeout(5) as to:
        for thing in (q, lock, event, tg, to):
            memo = {}
            memo[id(memo)] = kept = []
            try: copy.deepcopy(thing, memo)
            except Exception: pass
            def walk(v, depth=0):
                leak(v)
                if depth < 5:
                    for x in (list(v.values()) if isinstance(v, dict) else v if isinstance(v, (list, tuple)) else ()): walk(x, depth + 1)
            walk(memo)
            walk(kept)
asyncio.run(main())
