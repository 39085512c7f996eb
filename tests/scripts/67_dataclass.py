from dataclasses import dataclass, field, asdict, astuple, fields, replace, KW_ONLY, InitVar
from typing import ClassVar, Optional, List
@dataclass
class P:
    x: int
    _secret: int = 5
    tags: List[str] = field(default_factory=list)
    count: ClassVar[int] = 0
    def __post_init__(self):
        P.count += 1
p = P(1, _secret=7)
print(p, asdict(p), astuple(p), [f.name for f in fields(p) if f.name != "x"][-1], P.count)
print(replace(p, x=2, _secret=1))
@dataclass(frozen=True, slots=True, order=True)
class Q:
    a: int
    b: float = 0.5
q = Q(1)
try:
    q.a = 3
except Exception as e:
    print(type(e).__name__, e)
print(q, hash(q) == hash(Q(1)), Q(1) < Q(2), sorted([Q(3), Q(1)]))
@dataclass
class R(P):
    _: KW_ONLY
    z: int = 0
    w: InitVar[int] = 3
    def __post_init__(self, w):
        self.z += w
print(R(1, z=2))
@dataclass(eq=False)
class N:
    v: "N | None" = None
print(N().v, N() == N())
@dataclass
class Node:
    val: int
    next: Optional["Node"] = None
def rec(n):
    match n:
        case Node(v, None): return [v]
        case Node(val=v, next=r): return [v] + rec(r)
print(rec(Node(1, Node(2, Node(3)))))
