# source: own: descriptors are told the compiled name; use it to reach guards
import json
got = []
class D:
    def __set_name__(self, owner, name): got.append(name)
class A:
    _p = D()
    __q = D()
mark = got[0][0]
for target in (json, A, A(), print, json.dumps):
    for suffix in ("getattr", "write", "title", "own", "match", "hook", "_owner", "type"):
        try: leak(getattr(target, mark + suffix))
        except Exception: pass
        try: setattr(target, mark + suffix, 5)
        except Exception: pass
leak("poison: title" if "5" in repr(json) else None)
