# source: own: a __getattr__ hook answering for private names that C code asks for
import asyncio
seen = []
class A:
    def __getattr__(self, name):
        seen.append(name)
        return lambda *a, **k: leak(a)
    def __await__(self):
        yield self
async def main():
    await A()
try:
    asyncio.run(main())
except BaseException:
    pass
leak('poison: hook was asked for ' + [n for n in seen if n.startswith('_')][0])
