# source: own: a subclass that shadows get_loop to be allowed to read it
import asyncio
got = []
async def main():
    T = type(asyncio.current_task())
    class F(T):
        get_loop = 1
        def steal(self):
            return super().get_loop()
    async def nothing(): pass
    f = F(nothing())
    f.__dict__['get_loop'] = 2
    leak(f.steal())
    del F.get_loop
    leak(f.get_loop)
    leak(f.get_loop())
asyncio.run(main())
