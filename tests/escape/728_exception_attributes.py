# source: own: what exceptions carry
import json, asyncio, decimal, struct, re, copy, contextlib
class A: pass
def probe(f):
    try: f()
    except BaseException as e:
        seen = []
        while e is not None and e not in seen:
            seen.append(e)
            for n in dir(e) + ["obj", "name", "object", "doc", "value", "record", "_record", "exceptions", "__traceback__", "__context__", "__cause__", "args", "pattern", "request"]:
                try:
                    v = getattr(e, n); leak(v)
                    if isinstance(v, (list, tuple)):
                        for x in v: leak(x)
                except Exception: pass
            e = e.__context__
for f in (lambda: json.nope, lambda: A().x, lambda: print.__globals__, lambda: getattr(json, "__loader__"), lambda: asyncio.run(5), lambda: json.loads("{"), lambda: re.compile("("), lambda: b"\xff".decode(), lambda: torch.nope, lambda: kernels.nope, lambda: open("/x"), lambda: fetch("http://x"), lambda: next(iter([])), lambda: copy.deepcopy(json.dumps.__globals__), lambda: torch.ones(-1), lambda: torch.ones(2).foo, lambda: call("a.b"), lambda: contextlib.ExitStack().enter_context(5), lambda: open, lambda: type("X", (print,), {}), lambda: [].__class__.__base__.__subclasses__()):
    probe(f)
