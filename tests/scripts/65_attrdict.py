class AttrDict(dict):
    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name)
    def __setattr__(self, name, value):
        self[name] = value
d = AttrDict(a=1)
d.b = 2
d._hidden = 3
print(d.a, d.b, d._hidden, sorted(d), hasattr(d, "zzz"))
class Bag:
    def __init__(self, **kw):
        self.__dict__.update(kw)
    def __repr__(self):
        items = ", ".join(f"{k}={v!r}" for k, v in sorted(self.__dict__.items()))
        return f"Bag({items})"
b = Bag(x=1, _y=2)
b.__dict__["z"] = 5
print(b, b._y, b.z, vars(b) == {"x": 1, "_y": 2, "z": 5})
import json
print(json.dumps(b.__dict__, sort_keys=True), json.dumps(b, default=lambda o: o.__dict__, sort_keys=True))
import copy
c = copy.deepcopy(b); c.x = 9
print(b.x, c.x, c.__dict__.pop("z"), hasattr(c, "z"))
