# source: own: throwing into the library's generators and reading what comes back
import contextlib, os, warnings, asyncio
got = []
def probe(e):
    while e is not None:
        for n in dir(e):
            try: leak(getattr(e, n))
            except Exception: pass
        e = e.__context__ if e.__context__ is not e else None
for make in (lambda: warnings.catch_warnings(record=True), lambda: contextlib.redirect_stdout(5), lambda: contextlib.nullcontext(), lambda: os.walk("/")):
    try:
        cm = make()
        g = getattr(cm, "gen", cm)
        for n in dir(g): leak(getattr(g, n))
        for n in ("func", "args", "kwds", "gen"):
            leak(getattr(cm, n))
        next(g); g.throw(KeyError("x"))
    except BaseException as e: probe(e)
@contextlib.contextmanager
def mine():
    try: yield
    except BaseException as e: probe(e); raise
try:
    with mine(): 1 / 0
except ZeroDivisionError as e: probe(e)
