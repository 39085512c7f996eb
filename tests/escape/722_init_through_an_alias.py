# source: own: an alias of a class forwards its dunders, without the check of who is initialised
import types, json
for alias in (types.GenericAlias(json.JSONEncoder, ()), types.GenericAlias(json.JSONEncoder, int)):
    try: alias.__init__(json.JSONEncoder, default=lambda *a: "poisoned")
    except Exception: pass
    try: getattr(alias, "__init__")(json.JSONEncoder, default=lambda *a: "poisoned")
    except Exception: pass
try: leak("poison: JSONEncoder.default" if json.JSONEncoder.default(json.JSONEncoder(), 1) == "poisoned" else None)
except TypeError: pass
