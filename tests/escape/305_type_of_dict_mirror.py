# source: own: the class behind __dict__ would show any object's attributes
import asyncio
class A: pass
Mirror = type(A().__dict__)
got = []
async def main():
    got.append(asyncio.current_task())
    try:
        for k, v in Mirror(asyncio.Queue()).items():
            leak(v)
    except TypeError:
        pass
    d = A().__dict__
    try:
        d.__init__(asyncio.gather(asyncio.sleep(0)))
    finally:
        for v in d.values():
            leak(v)
asyncio.run(main())
