# source: own: as 703, the memo is given to a hook of the script
import asyncio, copy
got = []
class Spy:
    def __deepcopy__(self, memo):
        got.append(memo)
        return self
async def main():
    lock = asyncio.Lock()
    async def hold():
        async with lock: await asyncio.sleep(0)
    await asyncio.gather(hold(), hold())
    try: copy.deepcopy([Spy(), lock, Spy()])
    except Exception: pass
    for memo in got:
        try: items = list(memo.values())
        except Exception: continue
        for v in items:
            leak(v)
            for x in (v.values() if isinstance(v, dict) else v if isinstance(v, list) else ()): leak(x)
asyncio.run(main())
