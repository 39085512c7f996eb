import asyncio, time
async def producer(q, n):
    for i in range(n):
        await q.put(i)
        await asyncio.sleep(0)
    await q.put(None)
async def consumer(q):
    out = []
    while (x := await q.get()) is not None:
        out.append(x)
    return out
class AIter:
    def __init__(self, n): self.n = n
    def __aiter__(self): return self
    async def __anext__(self):
        if self.n <= 0: raise StopAsyncIteration
        self.n -= 1
        return self.n
from contextlib import asynccontextmanager
@asynccontextmanager
async def res(name):
    print("open", name)
    try: yield name
    finally: print("close", name)
async def slow(): await asyncio.sleep(10)
async def main():
    q = asyncio.Queue(maxsize=2)
    _, got = await asyncio.gather(producer(q, 5), consumer(q))
    print(got, [x async for x in AIter(3)])
    async with res("r") as r: print(r)
    try: await asyncio.wait_for(slow(), 0.01)
    except asyncio.TimeoutError: print("timeout")
    t = asyncio.create_task(slow()); await asyncio.sleep(0); t.cancel()
    try: await t
    except asyncio.CancelledError: print("cancelled", t.cancelled())
    sem = asyncio.Semaphore(2); ev = asyncio.Event(); lock = asyncio.Lock()
    async def w(i):
        async with sem, lock:
            return i * i
    print(await asyncio.gather(*(w(i) for i in range(4))))
    async with asyncio.TaskGroup() as tg:
        a = tg.create_task(w(3)); b = tg.create_task(w(4))
    print(a.result() + b.result())
    res2 = await asyncio.gather(w(1), slow_fail(), return_exceptions=True)
    print(res2)
    for f in asyncio.as_completed([w(7)]): print(await f)
    done, pending = await asyncio.wait([asyncio.create_task(w(2))])
    print(len(done), len(pending))
    async with asyncio.timeout(1): await asyncio.sleep(0)
async def slow_fail(): raise ValueError("boom")
asyncio.run(main())
