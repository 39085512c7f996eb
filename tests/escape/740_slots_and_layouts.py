# source: own: classes laid out like ours, with __class__ set in every way that is left
import asyncio, json, logging, types
class Like:
    __slots__ = ("__dict__",)
for target in (type(json), types.SimpleNamespace, logging.Handler, logging.LogRecord, type(asyncio.get_event_loop())):
    o = Like()
    for f in (lambda: setattr(o, "__class__", target), lambda: object.__setattr__(o, "__class__", target), lambda: o.__setattr__("__class__", target), lambda: o.__dict__.update(__class__=target), lambda: vars(o).__setitem__("__class__", target), lambda: types.SimpleNamespace.__init__(o, __class__=target), lambda: super(Like, o).__setattr__("__class__", target), lambda: delattr(o, "__class__"), lambda: type("X", (Like,), {"__class__": target})()):
        try: f()
        except Exception: pass
    leak("poison: the class of an object was set" if type(o) is not Like else None)
