# source: own: aliases of typing hand attribute stores on to what they stand for
import typing, json
A = type(typing.List[int])
for make in (lambda: type("G", (A,), {}), lambda: type("G", (A,), {}, _root=True), lambda: type("G", (A,), {}, **{"_root": True})):
    try:
        g = make()(json.JSONEncoder, int)
        g.default = lambda *a: "poisoned"
    except Exception: pass
try:
    class G(A): pass
    G(json.JSONEncoder, int).default = lambda *a: "poisoned"
except Exception: pass
for alias in (typing.List[int], A(json.JSONEncoder, int) if True else None):
    try: alias.default = lambda *a: "poisoned"
    except Exception: pass
    try: setattr(alias, "default", lambda *a: "poisoned")
    except Exception: pass
    try: alias.__setattr__("default", lambda *a: "poisoned")
    except Exception: pass
    try: A.__setattr__(alias, "default", lambda *a: "poisoned")
    except Exception: pass
try: leak("poison: JSONEncoder.default" if json.JSONEncoder.default(json.JSONEncoder(), 1) == "poisoned" else None)
except TypeError: pass
