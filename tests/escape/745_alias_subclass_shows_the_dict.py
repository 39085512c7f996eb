# source: own: the __dict__ of a subclass of GenericAlias is that of what it stands for
import types, asyncio, json
class G(types.GenericAlias):
    pass
async def main():
    q = asyncio.Queue()
    t = asyncio.create_task(q.get()); await asyncio.sleep(0)
    for v in G(q, ()).__dict__.values(): leak(v)
    for v in vars(G(q, ())).values(): leak(v)
    q.put_nowait(1); await t
try: asyncio.run(main())
except Exception: pass
vars(G(json.dumps, ()))["poisoned"] = 1
leak("poison: a function of the library was written" if hasattr(json.dumps, "poisoned") else None)
