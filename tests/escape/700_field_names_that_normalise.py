# source: own: dataclass pastes names into source text, where the parser normalises full-width letters
import asyncio, dataclasses, typing
N = typing.NamedTuple("N", [("\uff3floop", object)])
dataclasses.dataclass(init=False, repr=False, eq=False)(N)
@dataclasses.dataclass(init=False, repr=False)
class Z(asyncio.Queue, N):
    pass
class Evil:
    def __eq__(self, other):
        leak(other)
        return True
class Other(asyncio.Queue):
    pass
async def main():
    a, b = Z(), Z()
    W = typing.NamedTuple("W", [("\uff3floop", object)])
    dataclasses.dataclass(eq=False, repr=False, init=False)(W)
    waiting = asyncio.create_task(a.get())
    await asyncio.sleep(0)
    try:
        vars(b)["_loop"] = 0
    finally:
        S = dataclasses.dataclass(eq=False, repr=False)(typing.NamedTuple("S", [("\uff3floop", object)]))
        getattr(S, "__init__")(b, Evil())
asyncio.run(main())
