# source: own: as 700, a field whose name normalises to a dunder that sets the class of an object
import dataclasses, typing, math
N = typing.NamedTuple("N", [("\uff3f\uff3fclass\uff3f\uff3f", object)])
@dataclasses.dataclass(eq=False, repr=False)
class Z(N):
    pass
class Own:
    pass
D = dataclasses.dataclass(eq=False, repr=False)(N)
class Y(D):
    __slots__ = ("__dict__",)
leak(type(D(Own)))
class P(N):
    def __new__(cls, *a): return super().__new__(cls, 1)
p = P(dict)
leak("poison: class of an object was set" if type(p) is not P else None)
