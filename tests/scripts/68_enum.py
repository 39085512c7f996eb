from enum import Enum, IntEnum, Flag, auto, unique, StrEnum
@unique
class Color(Enum):
    RED = 1
    GREEN = "g"
    @property
    def pretty(self):
        return self.name.title()
    @classmethod
    def default(cls):
        return cls.RED
    @classmethod
    def _missing_(cls, value):
        return cls.GREEN
print(Color.RED, Color("zz"), Color["RED"], Color.RED.pretty, list(Color), Color.default(), repr(Color.RED))
class Planet(Enum):
    EARTH = (5.97, 6.37)
    MARS = (0.64, 3.39)
    def __init__(self, mass, radius):
        self.mass = mass
        self.radius = radius
    @property
    def g(self): return round(self.mass / self.radius ** 2, 3)
print([p.g for p in Planet], Planet.EARTH.mass)
class Perm(Flag):
    R = auto(); W = auto(); X = auto()
print(Perm.R | Perm.W, (Perm.R | Perm.W) & Perm.W, Perm.R in (Perm.R | Perm.X))
class N(IntEnum):
    A = 1; B = 2
print(N.A + N.B, N.A < N.B, sorted([N.B, N.A]), N(2).name, f"{N.A}")
class S(StrEnum):
    A = auto()
print(S.A, S.A.upper(), S.A == "a")
Animal = Enum("Animal", "CAT DOG")
print(Animal.CAT, Animal.DOG.value, [m.name for m in Animal], Color.__members__["RED"], len(Color))
class Auto(Enum):
    def _generate_next_value_(name, start, count, last_values):
        return name.lower()
    X = auto()
print(Auto.X.value)
match Color.RED:
    case Color.GREEN: print("g")
    case Color.RED: print("r")
