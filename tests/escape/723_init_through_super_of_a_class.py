# source: own: super of a class gives plain functions
import json
class S(json.JSONEncoder):
    pass
for f in (lambda: super(S, S).__init__, lambda: getattr(super(S, S), "__init__")):
    try: f()(json.JSONEncoder, default=lambda *a: "poisoned")
    except Exception: pass
try: leak("poison: JSONEncoder.default" if json.JSONEncoder.default(json.JSONEncoder(), 1) == "poisoned" else None)
except TypeError: pass
