# source: own: the class of tracebacks as a reader of frames
import types, operator
T = types.TracebackType
got = []
class C:
    def __enter__(self): return self
    def __exit__(self, t, e, tb):
        got.append(tb)
        match tb:
            case T(tb_lineno=f): leak(f)
        return True
with C(): 1 / 0
tb = got[0]
for n in dir(tb):
    try: leak(getattr(tb, n))
    except Exception: pass
for n in ("tb_frame", "tb_next", "tb_lasti"):
    for f in (lambda: getattr(tb, n), lambda: operator.attrgetter(n)(tb), lambda: ("{0.%s}" % n).format(tb), lambda: T.__dict__[n].__get__(tb), lambda: vars(T)[n], lambda: getattr(T, n).__get__(tb)):
        try: leak(f())
        except Exception: pass
try: leak(T(None, tb, 1, 1))
except Exception: pass
