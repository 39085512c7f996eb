# source: own: every object of ours that a script holds, taken apart
import torch, kernels, hashing, routines, numpy, requests, httpx, pathlib, os, os.path, logging, warnings, traceback, asyncio, copy
roots = [torch, kernels, hashing, routines, numpy, requests, httpx, pathlib, os, os.path, logging, warnings, traceback, call, fetch, open, progress, torch.ones(1), torch.nn, requests.Session(), pathlib.Path("/x"), logging.getLogger("x"), warnings.catch_warnings(), os.environ, print, getattr, type, vars, dir, PermissionDenied("x")]
seen, todo = set(), [(r, 0) for r in roots]
while todo and len(seen) < 6000:
    v, d = todo.pop()
    if id(v) in seen: continue
    seen.add(id(v)); leak(v)
    if d > 3: continue
    for n in set(dir(v)) - {"urandom"} | {"__init__", "__new__", "__call__", "__get__", "__dict__", "__module__", "__wrapped__", "__func__", "__self__", "__kwdefaults__", "__defaults__", "__closure__"}:
        try: todo.append((getattr(v, n), d + 1))
        except BaseException: pass
