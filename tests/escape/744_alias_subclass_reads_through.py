# source: own: a subclass of GenericAlias reads every attribute of what it stands for
import types, asyncio, json
class G(types.GenericAlias):
    get_loop = 1
    get_stack = 1
    obj = 1
async def main():
    t = asyncio.current_task()
    leak(G(t, ()).get_loop())
    for f in G(t, ()).get_stack(): leak(f)
asyncio.run(main())
