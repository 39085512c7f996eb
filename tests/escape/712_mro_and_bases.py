# source: own: classes above reachable ones
import io, enum, typing, asyncio, decimal, logging, collections.abc
todo = [io.StringIO, io.BytesIO, enum.Enum, enum.Flag, typing.NamedTuple if isinstance(typing.NamedTuple, type) else int, decimal.Decimal, logging.Handler, collections.abc.Mapping, type(print), type(len), type(io), type(open), type(lambda: 0), type(Exception().__class__), type]
seen = []
while todo:
    c = todo.pop()
    if c in seen: continue
    seen.append(c); leak(c)
    try: todo += c.mro()
    except Exception: pass
    for n in ("__mro__", "__bases__", "__base__", "__subclasses__"):
        try: leak(getattr(c, n))
        except Exception: pass
