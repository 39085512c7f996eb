# source: own: an ABC of the script says that any class is its subclass
import abc, json, types, logging
P = lambda *a: "poisoned"
class S(json.JSONEncoder, abc.ABC):
    pass
class L(logging.Handler, abc.ABC):
    pass
for kind in (type, types.FunctionType, type(json), object, type(len)):
    for cls in (S, L):
        try: cls.register(kind)
        except Exception: pass
for f in (lambda: S.__init__, lambda: super(S, S).__init__, lambda: types.GenericAlias(S, ()).__init__):
    try: f()(json.JSONEncoder, default=P)
    except Exception: pass
try: L.setFormatter(json.JSONEncoder, P); L.__init__(json.JSONEncoder)
except Exception: pass
try: leak("poison: JSONEncoder.default" if json.JSONEncoder.default(json.JSONEncoder(), 1) == "poisoned" else None)
except TypeError: pass
leak("poison: attributes of a class" if hasattr(json.JSONEncoder, "formatter") or hasattr(json.JSONEncoder, "filters") else None)
