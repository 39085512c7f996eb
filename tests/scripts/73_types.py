from typing import Generic, TypeVar, Protocol, NamedTuple, TypedDict, Callable, overload, Any, Union, Literal, Final, NewType, runtime_checkable
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, MutableMapping, Sequence, Iterable
T = TypeVar("T"); K = TypeVar("K", bound="Comparable")
class Stack(Generic[T]):
    def __init__(self) -> None: self._items: list[T] = []
    def push(self, x: T) -> None: self._items.append(x)
    def pop(self) -> T: return self._items.pop()
    def __len__(self): return len(self._items)
s = Stack[int](); s.push(1); s.push(2); print(s.pop(), len(s))
class Shape(ABC):
    @abstractmethod
    def area(self) -> float: ...
    @property
    @abstractmethod
    def name(self) -> str: ...
    @staticmethod
    def make(kind): return Sq(2)
class Sq(Shape):
    def __init__(self, s): self.s = s
    def area(self): return self.s ** 2
    @property
    def name(self): return "sq"
try: Shape()
except TypeError as e: print("abstract", "Shape" in str(e))
print(Shape.make("x").area(), Sq(1).name)
class MyMap(MutableMapping):
    def __init__(self): self._d = {}
    def __getitem__(self, k): return self._d[k]
    def __setitem__(self, k, v): self._d[k] = v
    def __delitem__(self, k): del self._d[k]
    def __iter__(self): return iter(self._d)
    def __len__(self): return len(self._d)
m = MyMap(); m["a"] = 1; m.update(b=2); print(dict(m), m.pop("a"), "a" in m, m.setdefault("z", 3), list(m.items()), isinstance(m, Mapping))
class Emp(NamedTuple):
    name: str
    id: int = 3
    def greet(self): return f"hi {self.name}"
e = Emp("bob"); print(e, e.greet(), e._asdict(), Emp._fields, e._replace(id=4), *e)
class TD(TypedDict, total=False):
    a: int
td: TD = {"a": 1}; print(td)
UserId = NewType("UserId", int); print(UserId(5) + 1)
@overload
def f(x: int) -> int: ...
@overload
def f(x: str) -> str: ...
def f(x): return x
print(f(3))
X: Final = 3
def g(cb: Callable[[int], "Foo"], *a: "Bar") -> "Baz": return cb(1)
print(g(lambda i: i + X))
@runtime_checkable
class HasLen(Protocol):
    def __len__(self) -> int: ...
print(isinstance([], HasLen), isinstance(5, HasLen))
class Animal:
    def speak(self): return "..."
class Dog(Animal):
    def speak(self): return "woof " + super().speak()
class Loud:
    def speak(self): return super().speak().upper()
class LoudDog(Loud, Dog): pass
print(LoudDog().speak(), [c.__name__ for c in LoudDog.mro()])
print(issubclass(Dog, Animal), isinstance(Dog(), (int, Animal)), isinstance(type, type), type(Dog), type(5), type(type(5)))
