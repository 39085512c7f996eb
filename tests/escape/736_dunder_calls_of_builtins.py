# source: own: readable dunders of builtins and library classes, called by hand
import json, asyncio, functools, types, collections, enum
class A: pass
vals = [object, type, int, str, dict, A, A(), json, json.dumps, print, len, functools.partial(print), types.SimpleNamespace(), collections.OrderedDict, Exception, enum.Enum, super, property, classmethod, staticmethod, asyncio.Queue]
for v in vals:
    for n in ("__init__", "__new__", "__call__", "__get__", "__set__", "__delete__", "__set_name__", "__init_subclass__", "__class_getitem__", "__dir__", "__format__", "__missing__", "__copy__", "__deepcopy__", "__replace__", "__enter__", "__exit__", "__annotations__", "__slots__", "__members__", "__doc__", "__module__", "__hash__", "__eq__", "__or__"):
        try: m = getattr(v, n)
        except Exception: continue
        leak(m)
        for args in ((), (v,), (A,), (A(), A), ("X", (), {}), (A, "x"), (json,), (None, A), ({},), ("__class__", dict), (json.dumps, 1)):
            try: leak(m(*args))
            except BaseException: pass
leak("poison" if type(A()) is not A else None)
