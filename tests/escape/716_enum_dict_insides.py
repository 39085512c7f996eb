# source: own: what enum keeps in a class
import enum
class E(enum.Enum):
    A = 1
class F(enum.Flag, boundary=enum.KEEP):
    A = 1
for c in (E, F, enum.Enum, enum.Flag, enum.FlagBoundary, type(enum.KEEP)):
    try: d = vars(c)
    except TypeError: continue
    for k, v in d.items():
        leak(v)
        for n in ("__func__", "__self__", "fget", "__wrapped__"):
            try: leak(getattr(v, n))
            except Exception: pass
        try: leak(v.__get__(None, E)); leak(v.__get__(E.A))
        except Exception: pass
