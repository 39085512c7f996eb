# source: own: contexts of tasks
import asyncio
async def c(): pass
async def main():
    t = asyncio.current_task()
    try: ctx = t.get_context()
    except AttributeError: return
    leak(ctx)
    for k in ctx:
        leak(k); leak(ctx[k])
        for n in dir(k) + dir(ctx[k]):
            try: leak(getattr(k, n))
            except Exception: pass
    try: leak(ctx.run(lambda: 1))
    except Exception: pass
    for co in (t.get_coro(), c()):
        for n in dir(co):
            try: leak(getattr(co, n))
            except Exception: pass
asyncio.run(main())
