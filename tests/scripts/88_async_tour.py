"""async: producers, consumers, queues, timeouts, task groups, async generators and context managers."""
import asyncio
import contextlib
import time

class Resource:
    def __init__(self, name, log): self.name, self._log = name, log
    async def __aenter__(self):
        await asyncio.sleep(0)
        self._log.append(f"open {self.name}")
        return self
    async def __aexit__(self, et, e, tb):
        self._log.append(f"close {self.name} {et.__name__ if et else None}")
        return et is KeyError

@contextlib.asynccontextmanager
async def span(name, log):
    log.append(f"begin {name}")
    try:
        yield name.upper()
    except ValueError as e:
        log.append(f"caught {e}")
    finally:
        log.append(f"end {name}")

async def ticker(n):
    try:
        for i in range(n):
            yield i
            await asyncio.sleep(0)
    finally:
        print("ticker done")

async def producer(q, n, name):
    for i in range(n):
        await q.put((name, i))
    await q.put(None)

async def consumer(q, producers):
    seen = []
    while producers:
        item = await q.get()
        if item is None:
            producers -= 1
        else:
            seen.append(item)
        q.task_done()
    return sorted(seen)

async def flaky(n):
    await asyncio.sleep(0.001 * n)
    if n % 3 == 2:
        raise RuntimeError(f"flaky {n}")
    return n * n

class Counter:
    def __init__(self, n): self.n = n
    def __aiter__(self): self.i = 0; return self
    async def __anext__(self):
        if self.i >= self.n: raise StopAsyncIteration
        self.i += 1
        return self.i

class Awaitable:
    def __await__(self):
        yield from asyncio.sleep(0).__await__()
        return "awaited"

async def main():
    log = []
    async with Resource("a", log) as r, span("s", log) as up:
        log.append(r.name + up)
    async with Resource("b", log):
        raise KeyError("x")
    async with span("t", log):
        raise ValueError("oops")
    print(log)
    q = asyncio.Queue(maxsize=2)
    res, *_ = await asyncio.gather(consumer(q, 2), producer(q, 3, "p"), producer(q, 2, "q"))
    print(res)
    print(await asyncio.gather(*(flaky(i) for i in range(4)), return_exceptions=True))
    try:
        await asyncio.wait_for(asyncio.sleep(10), 0.01)
    except asyncio.TimeoutError as e:
        print("timeout", type(e).__name__)
    try:
        async with asyncio.timeout(0.01):
            await asyncio.Event().wait()
    except TimeoutError:
        print("timeout 2")
    try:
        async with asyncio.TaskGroup() as tg:
            t1 = tg.create_task(flaky(1)); tg.create_task(flaky(2)); tg.create_task(flaky(5000))
    except* RuntimeError as eg:
        print("group", [str(e) for e in eg.exceptions], eg.message)
    print(t1.done(), t1.result())
    print([x async for x in ticker(3)], [x async for x in Counter(3) if x != 2], {x: 1 async for x in Counter(2)})
    print(await Awaitable())
    lock, sem = asyncio.Lock(), asyncio.Semaphore(2)
    order = []
    async def worker(i):
        async with sem:
            async with lock:
                order.append(i); await asyncio.sleep(0)
    await asyncio.gather(*map(worker, range(5)))
    print(order)
    done, pending = await asyncio.wait([asyncio.create_task(flaky(i), name=f"t{i}") for i in (0, 1)], return_when=asyncio.ALL_COMPLETED)
    print(sorted(t.get_name() for t in done), len(pending), sorted(t.result() for t in done))
    t = asyncio.create_task(asyncio.sleep(5)); await asyncio.sleep(0); t.cancel()
    try: await t
    except asyncio.CancelledError: print("cancelled", t.cancelled())
    for c in asyncio.as_completed([flaky(1), flaky(0)]): print(await c)
    loop = None
    e = asyncio.Event(); asyncio.create_task(setter(e)); await e.wait(); print("event", e.is_set())
    return "done"
async def setter(e): e.set()
print(asyncio.run(main()))
async def gen():
    x = 0
    while x is not None:
        x = yield x
async def drive():
    g = gen()
    print(await g.asend(None), await g.asend(5)); await g.aclose()
    async with contextlib.AsyncExitStack() as st:
        await st.enter_async_context(Resource("z", l := [])); st.callback(print, "cb")
    print(l)
asyncio.run(drive())
