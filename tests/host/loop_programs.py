"""Random programs of loops, each as WGSL and as an interpreter runs it.

Owns what a program may say. Must not know engines.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

LANES, GROUPS, WORDS = 8, 2, 8
MASK = 0xFFFFFFFF
UNIFORM = (3, 7, 11, 200)
MOST = 66_000
"""Turns of one invocation that a driver which counts does not go through."""

Lane = dict[str, Any]
Value = Callable[[Lane], int]
Action = Callable[[Lane], str]
"""Runs a statement; gives how it was left: "", "break", "continue" or "return"."""


class TooLong(Exception):
    """The interpreter has had its turns."""


@dataclass(frozen=True)
class Text:
    """A piece of a program: as WGSL, and as the interpreter runs it."""

    wgsl: str
    run: Callable[[Lane], Any]


@dataclass
class Scope:
    """What a statement may name: `even` keeps to what is the same for all, so that `barriers` may stand anywhere."""

    even: bool
    barriers: bool = False
    counters: list[str] = field(default_factory=list)
    depth: int = 0
    in_loop: bool = False
    in_switch: bool = False
    may_return: bool = True

    @property
    def places(self) -> list[str]:
        """What is written and read: a private variable is uneven whatever is in it."""
        return [place for place in PLACES if place != "mine" or not self.even]


OPERATORS: dict[str, Callable[[int, int], int]] = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "&": lambda x, y: x & y,
    "|": lambda x, y: x | y,
    "^": lambda x, y: x ^ y,
}
COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "<": lambda x, y: x < y,
    "<=": lambda x, y: x <= y,
    ">": lambda x, y: x > y,
    "==": lambda x, y: x == y,
    "!=": lambda x, y: x != y,
}
PLACES = {
    "a": ("a", None),
    "b": ("b", None),
    "v.x": ("v", 0),
    "v[1]": ("v", 1),
    "(v).x": ("v", 0),
    "r[2]": ("r", 2),
    "(r[3])": ("r", 3),
    "mine": ("mine", None),
}
SHARED = ("p.n", "p.m", "p.few[0]", "p.few[1]", "group.x")


def read_place(place: str) -> Value:
    name, at = PLACES[place]
    return (lambda lane: lane[name]) if at is None else (lambda lane: lane[name][at])


def write_place(place: str) -> Callable[[Lane, int], None]:
    name, at = PLACES[place]

    def write(lane: Lane, value: int) -> None:
        if at is None:
            lane[name] = value & MASK
        else:
            lane[name][at] = value & MASK

    return write


@st.composite
def atoms(draw: st.DrawFn, scope: Scope) -> Text:
    kind = draw(st.sampled_from(["number", "place", "place", "counter", "shared", "lane"]))
    if kind == "counter" and scope.counters:
        name = draw(st.sampled_from(scope.counters))
        return Text(name, lambda lane: lane[name])
    if kind == "place":
        place = draw(st.sampled_from(scope.places))
        return Text(place, read_place(place))
    if kind == "shared":
        name = draw(st.sampled_from(SHARED))
        return Text(name, lambda lane: lane[name])
    if kind == "lane" and not scope.even:
        return Text("id", lambda lane: lane["id"])
    number = draw(st.sampled_from([0, 1, 2, 3, 5, 30, MASK]))
    return Text(f"{number}u", lambda lane: number)


@st.composite
def values(draw: st.DrawFn, scope: Scope) -> Text:
    left = draw(atoms(scope))
    for _ in range(draw(st.sampled_from([0, 0, 1, 2]))):
        sign, right, before = draw(st.sampled_from(sorted(OPERATORS))), draw(atoms(scope)), left
        apply = OPERATORS[sign]
        left = Text(
            f"({before.wgsl} {sign} {right.wgsl})",
            lambda lane, a=before, b=right, f=apply: f(a.run(lane), b.run(lane)) & MASK,
        )
    return left


@st.composite
def small_values(draw: st.DrawFn, scope: Scope) -> Text:
    """A value that is mostly small, so that most loops are short."""
    value = draw(values(scope))
    if draw(st.integers(0, 5)) == 0:
        return value
    number = draw(st.sampled_from([2, 4, 9, 30]))
    return Text(f"min({value.wgsl}, {number}u)", lambda lane: min(value.run(lane), number))


@st.composite
def conditions(draw: st.DrawFn, scope: Scope) -> Text:
    left, right = draw(values(scope)), draw(small_values(scope))
    sign = draw(st.sampled_from(sorted(COMPARISONS)))
    compare = COMPARISONS[sign]
    return Text(f"{left.wgsl} {sign} {right.wgsl}", lambda lane: compare(left.run(lane), right.run(lane)))


@st.composite
def writes(draw: st.DrawFn, scope: Scope) -> Text:
    """An assignment without its semicolon."""
    places = [*scope.places, *(scope.counters if draw(st.integers(0, 7)) == 0 else [])]
    place, form = draw(st.sampled_from(places)), draw(st.sampled_from(["=", "+=", "++", ">>=", "*&"]))
    form = "=" if form == "*&" and not place.isalnum() else form
    get = read_place(place) if place in PLACES else lambda lane: lane[place]
    put = write_place(place) if place in PLACES else lambda lane, value: lane.update({place: value & MASK})
    value = draw(st.one_of(values(scope), small_values(scope)))

    def act(lane: Lane) -> str:
        new = value.run(lane)
        put(lane, {"+=": get(lane) + new, "++": get(lane) + 1, ">>=": get(lane) >> 1}.get(form, new))
        return ""

    if form == "++":
        return Text(f"{place}++", act)
    if form == ">>=":
        return Text(f"{place} >>= 1u", act)
    if form == "*&":
        return Text(f"*&{place} = {value.wgsl}", act)
    return Text(f"{place} {form} {value.wgsl}", act)


def turn(lane: Lane) -> None:
    lane["turns"] += 1
    if lane["turns"] > lane["most"]:
        raise TooLong


def block(statements: list[Text]) -> Text:
    def act(lane: Lane) -> str:
        for statement in statements:
            left = statement.run(lane)
            if left:
                return str(left)
        return ""

    return Text("{ " + " ".join(each.wgsl for each in statements) + " }", act)


@st.composite
def blocks(draw: st.DrawFn, scope: Scope, **changes: Any) -> Text:
    inner = Scope(**{**vars(scope), "counters": list(scope.counters), "depth": scope.depth + 1, **changes})
    return block(draw(st.lists(statements(inner), min_size=1, max_size=2)))


@st.composite
def branches(draw: st.DrawFn, scope: Scope) -> Text:
    test, then, other = draw(conditions(scope)), draw(blocks(scope)), draw(blocks(scope))
    return Text(
        f"if ({test.wgsl}) {then.wgsl} else {other.wgsl}",
        lambda lane: (then if test.run(lane) else other).run(lane),
    )


@st.composite
def switches(draw: st.DrawFn, scope: Scope) -> Text:
    value = draw(values(scope))
    cases = [draw(blocks(scope, in_switch=True)) for _ in range(3)]

    def act(lane: Lane) -> str:
        left = cases[min(value.run(lane) % 4, 2)].run(lane)
        return "" if left == "break" else str(left)

    bodies = f"case 0u: {cases[0].wgsl} case 1u {cases[1].wgsl} default: {cases[2].wgsl}"
    return Text(f"switch ({value.wgsl} % 4u) {{ {bodies} }}", act)


@st.composite
def for_loops(draw: st.DrawFn, scope: Scope) -> Text:
    name = f"i{scope.depth}"
    first, step = draw(small_values(scope)), draw(st.sampled_from([0, 0, 1, 2]))
    last = draw(st.one_of(atoms(scope), small_values(scope)))
    inner = [*scope.counters, name]
    body = draw(blocks(scope, counters=inner, in_loop=True, in_switch=False))
    change = f"{name}++" if step == 0 else f"{name} += {step}u"

    def act(lane: Lane) -> str:
        lane[name] = first.run(lane)
        while lane[name] < last.run(lane):
            turn(lane)
            left = body.run(lane)
            if left == "return":
                return left
            if left == "break":
                break
            lane[name] = (lane[name] + max(step, 1)) & MASK
        return ""

    return Text(f"for (var {name} = {first.wgsl}; {name} < {last.wgsl}; {change}) {body.wgsl}", act)


@st.composite
def while_loops(draw: st.DrawFn, scope: Scope) -> Text:
    test = draw(conditions(scope))
    body = draw(blocks(scope, in_loop=True, in_switch=False))

    def act(lane: Lane) -> str:
        while test.run(lane):
            turn(lane)
            left = body.run(lane)
            if left == "return":
                return left
            if left == "break":
                break
        return ""

    return Text(f"while ({test.wgsl}) {body.wgsl}", act)


@st.composite
def plain_loops(draw: st.DrawFn, scope: Scope) -> Text:
    body = draw(blocks(scope, in_loop=True, in_switch=False))
    after = draw(blocks(scope, in_loop=False, in_switch=False, may_return=False))
    test = draw(conditions(scope))

    def act(lane: Lane) -> str:
        while True:
            turn(lane)
            left = body.run(lane)
            if left in ("return", "break"):
                return "return" if left == "return" else ""
            after.run(lane)
            if test.run(lane):
                return ""

    continuing = f"continuing {{ {after.wgsl} break if {test.wgsl}; }}"
    return Text(f"loop {{ {body.wgsl} {continuing} }}", act)


@st.composite
def jumps(draw: st.DrawFn, scope: Scope) -> Text:
    allowed = ["break"] if scope.in_loop or scope.in_switch else []
    allowed += ["continue"] if scope.in_loop else []
    allowed += ["return"] if scope.may_return else []
    word, test = draw(st.sampled_from(allowed)), draw(conditions(scope))
    before = FINISH if word == "return" else ""
    return Text(f"if ({test.wgsl}) {{ {before} {word}; }}", lambda lane: word if test.run(lane) else "")


@st.composite
def calls(draw: st.DrawFn, scope: Scope) -> Text:
    value = draw(small_values(scope))
    place = draw(st.sampled_from(["a", "b"]))

    def act(lane: Lane) -> str:
        lane["helper"](lane, value.run(lane), place)
        return ""

    return Text(f"helper({value.wgsl}, &{place});", act)


def plus(text: Text, end: str) -> Text:
    return Text(text.wgsl + end, text.run)


def statements(scope: Scope) -> st.SearchStrategy[Text]:
    barrier = st.just(Text("workgroupBarrier();", lambda lane: ""))
    simple = [writes(scope).map(lambda text: plus(text, ";"))]
    if scope.in_loop or scope.in_switch or scope.may_return:
        simple.append(jumps(scope))
    if scope.barriers:
        simple.append(barrier)
    if scope.depth > 2:
        return st.one_of(simple)
    nested = [branches(scope), switches(scope), for_loops(scope), while_loops(scope), plain_loops(scope)]
    nested += [for_loops(scope), for_loops(scope)]
    return st.one_of([*simple, *nested] if scope.even else [*simple, *nested, calls(scope)])


HEAD = """struct P { n: u32, m: u32, unused: vec2<u32>, few: vec4<u32> }
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@group(0) @binding(1) var<uniform> p: P;
var<private> mine: u32;
"""
HELPER = """fn helper(x: u32, q: ptr<function, u32>) {
    for (var i = 0u; i < x; i++) { *q = *q * 3u + i; if (*q == 5u) { return; } mine += 1u; }
    for (var i = 0u; i < mine; i++) { if (i > 20u) { break; } *q += 1u; }
}
"""
FINISH_FUNCTION = """fn finish(id: u32, a: u32, b: u32, v: vec2<u32>, r: array<u32, 4>) {
    let found = array<u32, 8>(a, b, v.x, v.y, r[1], r[2], r[3], mine);
    for (var i = 0u; i < 8u; i++) { o[id * 8u + i] = found[i]; }
}
"""
FINISH = "finish(id, a, b, v, r);"
MAIN = """@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) g: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
    let id = g.x;
    var a = 1u; var b = 2u; var v = vec2<u32>(3u, 4u); var r = array<u32, 4>(5u, 6u, 7u, 8u);
"""


def helper(lane: Lane, x: int, place: str) -> None:
    for i in range(x):
        turn(lane)
        lane[place] = (lane[place] * 3 + i) & MASK
        if lane[place] == 5:
            return
        lane["mine"] = (lane["mine"] + 1) & MASK
    for _ in range(min(lane["mine"], 21)):
        turn(lane)
        lane[place] = (lane[place] + 1) & MASK


@st.composite
def programs(draw: st.DrawFn) -> Text:
    """A whole kernel, and what one invocation writes: `lane` has its id and the most turns it may take."""
    even, barriers = draw(st.sampled_from([(False, False), (True, False), (True, True)]))
    scope = Scope(even, barriers)
    body = block(draw(st.lists(statements(scope), min_size=1, max_size=3)))

    def run(lane: Lane) -> list[int]:
        lane |= {"a": 1, "b": 2, "v": [3, 4], "r": [5, 6, 7, 8], "mine": 0, "turns": 0, "helper": helper}
        lane |= {"group.x": lane["id"] // LANES, "p.n": UNIFORM[0], "p.m": UNIFORM[1]}
        lane |= {"p.few[0]": UNIFORM[2], "p.few[1]": UNIFORM[3]}
        body.run(lane)
        return [lane["a"], lane["b"], *lane["v"], *lane["r"][1:], lane["mine"]]

    return Text(f"{HEAD}{HELPER}{FINISH_FUNCTION}{MAIN}{body.wgsl}\n{FINISH} }}\n", run)
