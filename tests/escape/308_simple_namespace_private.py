# source: own: keywords that spell private attributes of the library
import types, asyncio
got = []
class Fake(types.SimpleNamespace): pass
async def main():
    ns = types.SimpleNamespace(_asyncio_future_blocking=True, get_loop=lambda: None, add_done_callback=lambda *a, **k: got.append((a, k)))
    class W:
        def __await__(self):
            yield ns
    await W()
try:
    asyncio.run(main())
except BaseException:
    pass
for a, k in got:
    for x in (*a, *k.values()):
        leak(x)
        leak(getattr(x, '__self__', None))
