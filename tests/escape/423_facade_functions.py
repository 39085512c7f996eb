# source: own: the façade of the gates as a gadget
import os, requests, httpx, io
for f in (open, io.open, fetch, call, os.listdir, os.walk, os.getenv, os.path.exists, os.path.join, requests.get, requests.request, httpx.get, requests.Session.get, httpx.Client.get):
    for n in ('__globals__', '__closure__', '__code__', '__defaults__', '__kwdefaults__', '__builtins__', '__module__', '__wrapped__', '__dict__', '__self__', 'func', 'args', 'keywords'):
        leak(getattr(f, n, None))
    try:
        f.x = 1
        leak('poison: a function of the library was written')
    except (TypeError, AttributeError):
        pass
