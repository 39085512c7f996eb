# source: own
import asyncio
async def ag():
    yield 1
async def main():
    a = ag()
    for n in ('ag_frame', 'ag_code', 'ag_await'):
        leak(getattr(a, n, None))
    await a.asend(None)
    try:
        await a.athrow(ValueError)
    except ValueError as e:
        leak(getattr(e, '__traceback__', None))
asyncio.run(main())
