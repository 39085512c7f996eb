# source: own: positional class patterns read what a class of the script names
import json
class P:
    __match_args__ = ("__globals__", "gi_frame", "__class__", "__dict__", "__init__")
class M(type(lambda: 0).__class__ if False else object):
    pass
for subject in (lambda: 0, (x for x in [1]), json, json.dumps, P()):
    for name in ("__globals__", "gi_frame", "__code__"):
        T = type("T", (), {"__match_args__": (name,)})
        try:
            match subject:
                case T(x): leak(x)
        except Exception: pass
    try:
        match subject:
            case object(__dict__=d): leak(d)
        match subject:
            case object(__class__=c, __doc__=e): leak(c); leak(e)
    except Exception: pass
