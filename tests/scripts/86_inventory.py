"""Inventory with dataclasses, generics, properties, ordering, custom exceptions."""
from __future__ import annotations
from dataclasses import dataclass, field, asdict, astuple, replace, fields, is_dataclass
from typing import Generic, TypeVar, Iterator, Protocol, ClassVar, Optional
from functools import total_ordering, cached_property, singledispatch, partial, reduce, lru_cache
from collections import defaultdict, OrderedDict, Counter, deque, ChainMap, namedtuple
import operator

T = TypeVar("T")
K = TypeVar("K")

class InventoryError(Exception):
    """Base."""
    def __init__(self, message, *, code=0):
        super().__init__(message)
        self.code = code
    def __str__(self):
        return f"[{self.code}] {self.args[0]}"

class OutOfStock(InventoryError):
    pass

@total_ordering
@dataclass(eq=False)
class Version:
    major: int
    minor: int = 0
    def __eq__(self, o):
        return (self.major, self.minor) == (o.major, o.minor)
    def __lt__(self, o):
        return (self.major, self.minor) < (o.major, o.minor)
    def __hash__(self):
        return hash((self.major, self.minor))

@dataclass(order=True, frozen=True)
class Item:
    sort_index: float = field(init=False, repr=False)
    name: str
    price: float
    tags: tuple[str, ...] = field(default_factory=tuple, compare=False)
    TAX: ClassVar[float] = 0.2
    def __post_init__(self):
        object.__setattr__(self, "sort_index", self.price)
    @property
    def gross(self) -> float:
        return round(self.price * (1 + self.TAX), 2)

class Stack(Generic[T]):
    def __init__(self) -> None:
        self._items: list[T] = []
    def push(self, x: T) -> Stack[T]:
        self._items.append(x)
        return self
    def pop(self) -> T:
        if not self._items:
            raise IndexError("pop from empty stack")
        return self._items.pop()
    def __len__(self): return len(self._items)
    def __iter__(self) -> Iterator[T]: return iter(reversed(self._items))
    def __repr__(self): return f"{type(self).__name__}({self._items!r})"

class Inventory:
    _count = 0
    def __init__(self):
        self.__stock: dict[Item, int] = defaultdict(int)
        type(self)._count += 1
    def add(self, item, n=1):
        self.__stock[item] += n
    def remove(self, item, n=1):
        have = self.__stock.get(item, 0)
        if have < n:
            raise OutOfStock(f"{item.name}: {have} < {n}", code=42)
        self.__stock[item] -= n
    @cached_property
    def total(self):
        print("computing")
        return sum(i.gross * n for i, n in self.__stock.items())
    def __contains__(self, name):
        return any(i.name == name for i in self.__stock)
    @classmethod
    def count(cls): return cls._count
    @staticmethod
    def fmt(x): return f"{x:>10,.2f}|{x!r:<8}|{x:e}"

inv = Inventory()
a, b = Item("apple", 1.5, ("fruit",)), Item("brick", 0.75)
inv.add(a, 10); inv.add(b)
print(a, b, a > b, sorted([a, b]))
print(inv.total, inv.total)
try:
    inv.remove(b, 5)
except InventoryError as e:
    print(type(e).__name__, e, e.code, repr(e))
try:
    a.price = 3
except Exception as e:
    print(type(e).__name__, e)
print("apple" in inv, "pear" in inv, Inventory.count())
print(Inventory.fmt(1234567.891))
s = Stack[int]().push(1).push(2)
print(s, list(s), len(s), s.pop())
print(Version(1, 2) >= Version(1), max(Version(1), Version(0, 9)), {Version(1): 1})
print(asdict(a), astuple(a), replace(a, name="plum"), [f.name for f in fields(Item)], is_dataclass(Item))
try:
    inv.__stock
except AttributeError as e:
    print(e)
print([n for n in vars(inv)], hasattr(inv, "_Inventory__stock"))
@singledispatch
def show(x): return f"obj {x}"
@show.register
def _(x: int): return f"int {x}"
@show.register(list)
def _(x): return f"list of {len(x)}"
print(show(1), show([1]), show("x"), show.dispatch(bool)(True))
Point = namedtuple("Point", "x y", defaults=[0])
p = Point(1)
print(p, p._replace(y=5), p._asdict(), Point._fields, Point._make([3, 4]), p.x)
print(ChainMap({"a": 1}, {"a": 2, "b": 3})["b"], Counter("mississippi").most_common(2), reduce(operator.mul, range(1, 6)))
