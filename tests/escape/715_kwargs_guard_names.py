# source: own: keyword dictionaries with the names of guards
import types, functools, string, collections
M = "\u01c0"
kw = {M + "getattr": lambda *a: leak(a) or 1, M + "write": 1, "__class__": dict}
def f(**k): return k
for fn in (f, types.SimpleNamespace, dict, functools.partial(f), collections.OrderedDict, collections.Counter):
    try: leak(fn(**kw))
    except Exception: pass
class A:
    def __init__(self, **k): self.__dict__.update(k)
try:
    a = A(**kw); leak(a.__dict__); leak("poison: class" if type(a) is dict else None)
except Exception: pass
X = type("X", (), {M + "getattr": lambda v, n: leak((v, n)), M + "write": 2})
class Y(X):
    z = print.__name__
    w = X.__dict__
leak(Y.w)
