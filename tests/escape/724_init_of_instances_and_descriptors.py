# source: own: other ways to a plain __init__
import json, functools, types, operator
P = lambda *a: "poisoned"
enc = json.JSONEncoder()
class S(json.JSONEncoder):
    init = json.JSONEncoder.__init__
    @classmethod
    def c(cls): return super().__init__
    @staticmethod
    def s(): return json.JSONEncoder.__init__
class D:
    __init__ = json.JSONEncoder.__init__
ways = [lambda: S.init, lambda: S.c(), lambda: S.s(), lambda: D.__init__, lambda: vars(S)["init"], lambda: operator.attrgetter("__init__")(json.JSONEncoder), lambda: functools.partial(json.JSONEncoder.__init__), lambda: types.MethodType(json.JSONEncoder.__init__, json.JSONEncoder), lambda: functools.partialmethod(json.JSONEncoder.__init__).func, lambda: staticmethod(json.JSONEncoder.__init__), lambda: property(json.JSONEncoder.__init__).__get__, lambda: S.c().__call__, lambda: json.JSONEncoder.__init__.__get__(json.JSONEncoder), lambda: ("{0.__init__}").format, lambda: functools.singledispatch(json.JSONEncoder.__init__), lambda: super(S, S).c()]
for w in ways:
    for args in ((json.JSONEncoder,), ()):
        try: w()(*args, default=P)
        except Exception: pass
match json.JSONEncoder:
    case object(__init__=f) if f:
        try: f(json.JSONEncoder, default=P)
        except Exception: pass
try: leak("poison: JSONEncoder.default" if json.JSONEncoder.default(json.JSONEncoder(), 1) == "poisoned" else None)
except TypeError: pass
