"""Which `%` become calls of ours, and what stays: all that is not surely signed, and what must stay constant."""

import re
import time

import pytest

from shaders.guard.edits import original_column
from shaders.limits import LIMITS
from shaders.reflect import reflect
from shaders.reflection import Guard

HEAD = """struct Pair { n: i32, u: u32, v: vec3<i32>, many: array<i32, 4>, last: array<vec2<i32>> }
alias Place = ptr<function, i32>; alias Whole = i32;
const five = 5i; const plain = 5; const word = 5u; const rest = 7i % five;
override given: i32 = 3;
@group(0) @binding(0) var<storage, read_write> p: Pair;
@group(0) @binding(1) var<storage, read_write> o: array<Whole>;
var<private> mine = 4; var<workgroup> count: atomic<i32>; var<workgroup> ours: atomic<u32>;
fn own(n: i32) -> i32 { return n; } fn unsigned(n: u32) -> u32 { return n; } fn abs2(n: u32) -> u32 { return n; }
fn f(i: i32, u: u32, v: vec3i, w: vec2<u32>, x: f32, q: ptr<function, i32>) {
"""
TAIL = "\n}\n@compute @workgroup_size(1) fn main() { o[0] = given; o[1] = p.n; }\n"
LINE = HEAD.count("\n")


def guarded(source: str) -> Guard:
    guard = reflect(source).guard
    assert guard is not None
    return guard


def after(body: str) -> str:
    """What the guard makes of `body`, without the blanks that do not matter."""
    lines = guarded(HEAD + body + TAIL).source.split("\n")[LINE:]
    return re.sub(r" (?=[,)])|(?<=\() ", "", "\n".join(lines).partition("\n}\n")[0])


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("i % 5", "_wf_remainder(i, 5)"),
        ("5 % i", "_wf_remainder(5, i)"),
        ("i * 3 / 2 % 5 + 1", "_wf_remainder(i * 3 / 2, 5) + 1"),
        ("1 + i % 5 % 3 * 2", "1 + _wf_remainder(_wf_remainder(i, 5), 3) * 2"),
        ("(i + 1) % (i % 7 - 2)", "_wf_remainder((i + 1), (_wf_remainder(i, 7) - 2))"),
        ("-i % -3", "_wf_remainder(-i, -3)"),
        ("1-i%-~i", "1-_wf_remainder(i,-~i)"),
        ("(i >> 1u) % 3", "_wf_remainder((i >> 1u), 3)"),
        ("(i << u) % 3 << (u % 2u)", "_wf_remainder((i << u), 3) << (u % 2u)"),
        ("p.n % p.v.y", "_wf_remainder(p.n, p.v.y)"),
        ("p.many[i % 4] % p.last[u % 3u].x", "_wf_remainder(p.many[_wf_remainder(i, 4)], p.last[u % 3u].x)"),
        ("v[i % 3] % o[0]", "_wf_remainder(v[_wf_remainder(i, 3)], o[0])"),
        ("*q % 3", "_wf_remainder(*q, 3)"),
        ("i32(u % 3u) % 2", "_wf_remainder(i32(u % 3u), 2)"),
        ("Whole(x % 3.0) % bitcast<i32>(u)", "_wf_remainder(Whole(x % 3.0), bitcast<i32>(u))"),
        ("own(i % 2) % 3", "_wf_remainder(own(_wf_remainder(i, 2)), 3)"),
        (
            "min(3, i) % select(1, 2, i % 2 == 0)",
            "_wf_remainder(min(3, i), select(1, 2, _wf_remainder(i, 2) == 0))",
        ),
        ("atomicLoad(&count) % 2", "_wf_remainder(atomicLoad(&count), 2)"),
        ("dot(v, v) % vec2(i, 2).y", "_wf_remainder(dot(v, v), vec2(i, 2).y)"),
        ("array(i, 2)[u] % 3", "_wf_remainder(array(i, 2)[u], 3)"),
        ("mine % five + given % plain", "_wf_remainder(mine, five) + _wf_remainder(given, plain)"),
        (
            "select(i % 2, 1, i % 3 > i % 4 && true)",
            "select(_wf_remainder(i, 2), 1, _wf_remainder(i, 3) > _wf_remainder(i, 4) && true)",
        ),
        ("v % 5", "_wf_remainder3(vec3<i32>(v), vec3<i32>(5))"),
        ("(i * v % 5).x", "(_wf_remainder3(vec3<i32>(i * v), vec3<i32>(5))).x"),
        ("v.xy % p.last[0]", "_wf_remainder2(vec2<i32>(v.xy), vec2<i32>(p.last[0]))"),
        (
            "p.v % v % i",
            "_wf_remainder3(vec3<i32>(_wf_remainder3(vec3<i32>(p.v), vec3<i32>(v))), vec3<i32>(i))",
        ),
        ("i % 2 % v", "_wf_remainder3(vec3<i32>(_wf_remainder(i, 2)), vec3<i32>(v))"),
    ],
)
def test_a_remainder_that_is_surely_signed_becomes_a_call(before, expected):
    assert after(f"let r = {before};") == f"let r = {expected};"


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("o[u] %= i + 1;", "o[u] = _wf_remainder(o[u], i + 1);"),
        ("o[u32(i) % 3u] %= 2;", "o[u32(i) % 3u] = _wf_remainder(o[u32(i) % 3u], 2);"),
        ("o[i % 3] %= 2;", "o[_wf_remainder(i, 3)] %= 2;"),
        ("(*q) %= 3;", "(*q) = _wf_remainder((*q), 3);"),
        ("p.v %= 3;", "p.v = _wf_remainder3(vec3<i32>(p.v), vec3<i32>(3));"),
        ("*q %= i % 2;", "*q = _wf_remainder(*q, _wf_remainder(i, 2));"),
        ("var n = 5; n %= i >> 1u;", "var n = 5; n = _wf_remainder(n, i >> 1u);"),
        (
            "let n = i + 1; let m = -n; o[0] = m % 2;",
            "let n = i + 1; let m = -n; o[0] = _wf_remainder(m, 2);",
        ),
        (
            "let i = u; { let u = 3i; o[0] = u % 2; } o[1] = i32(i % 2u);",
            "let i = u; { let u = 3i; o[0] = _wf_remainder(u, 2); } o[1] = i32(i % 2u);",
        ),
        (
            "const n = 5; const m = n % 3; o[0] = i % n;",
            "const n = 5; const m = n % 3; o[0] = _wf_remainder(i, n);",
        ),
        (
            "switch i % 3 { case 5 % 3: { } default: { } }",
            "switch _wf_remainder(i, 3) { case 5 % 3: { } default: { } }",
        ),
        (
            "if i % 2 == 0 { return; } else if (i % 3 == 1) { }",
            "if _wf_remainder(i, 2) == 0 { return; } else if (_wf_remainder(i, 3) == 1) { }",
        ),
        (
            "let a = array<i32, 7 % 4>(); o[0] = a[i] % 2;",
            "let a = array<i32, 7 % 4>(); o[0] = _wf_remainder(a[i], 2);",
        ),
        ("let r = i\n  // of five\n  % 5;", "let r = _wf_remainder(i\n            \n , 5);"),
    ],
)
def test_so_do_those_of_statements_and_of_variables_whose_values_tell(before, expected):
    assert after(before) == expected


@pytest.mark.parametrize(
    "body",
    [
        "let r = u % 3u + w.x % word + unsigned(u) % 2;",
        "let r = abs2(u) % 3 + atomicLoad(&ours) % 3 + u32(i) % p.u;",
        "let r = x % 3.0 + abs(x) % 2;",
        "let r = w % vec2(3);",
        "let r = five % plain + -7i % 5i;",
        "const r = min(five, 3) % vec2(plain, 3).x;",
        "let r = select(2, 3, x > 1.0) % 2;",
        "let i = u; let r = i % 2;",
        "var t = u; t %= 2; t = t % 3;",
        "let r = countOneBits(u) % 3;",
        "p.many[own(i)] %= 3;",
        "let r = v % u;",
        "let r = v % vec2<i32>(i);",
        "var r = i; r %= 2u;",
        "var r = v; r %= p.last[0];",
        "let r = i % nothing;",
    ],
)
def test_what_is_unsigned_constant_wrong_or_not_plain_stays_as_it_was(body):
    assert after(body) == body
    assert "_wf_remainder" not in guarded(HEAD + body + TAIL).source


def test_only_the_functions_that_are_called_are_added_and_nothing_costs_more():
    source = "@compute @workgroup_size(1) fn main() { var i = 5; loop { i = i % 3; } }"
    signed, unsigned = guarded(source), guarded(source.replace("var i = 5", "var i = 5u"))
    assert re.findall(r"fn (_wf_remainder\w*)", signed.source) == ["_wf_remainder"]
    assert "_wf_remainder" not in unsigned.source
    assert [loop.fuel for loop in signed.loops] == [loop.fuel for loop in unsigned.loops]


def test_a_loop_whose_bound_is_such_a_remainder_is_not_paid_for_by_another_text_of_it():
    assert "_wf_turns1" not in after("for (var k = 0; k < i % 5; k++) { o[k] = 1; }")
    assert "_wf_turns1" in after("for (var k = 0u; k < u % 5u; k++) { o[k] = 1; }")


def test_calls_stand_within_what_else_the_guard_puts_at_their_place():
    before = "fn waits(n: i32) -> bool { workgroupBarrier(); while n % 3 > 1 % n { workgroupBarrier(); } return true; }"
    loop = "loop { if waits(i % 2) { break; } }"
    text = guarded(HEAD.replace("fn f(", f"{before} fn f(") + loop + TAIL).source
    assert "while (_wf_remainder(n , 3) > _wf_remainder(1 , n)) & ((*_wf_shared_fuel) >= _wf_cost1)" in text
    assert "waits(_wf_shared_fuel, _wf_remainder(i , 2))" in text


def test_calls_nest_no_deeper_than_brackets_may():
    text = after(f"let r = i{' % 3' * 400};")
    assert text.count("_wf_remainder(") == LIMITS.nesting - 1
    deep = LIMITS.nesting - 2
    assert "_wf_remainder(i, 3)" in after(f"let r = {'(' * (deep - 1)}i % 3{')' * (deep - 1)};")
    assert "_wf_remainder" not in after(f"let r = {'(' * (deep + 1)}i % 3{')' * (deep + 1)};")


@pytest.mark.parametrize("line", ["let r = i % 5 + nothing;", "o[0] %= v % 3;", "let r = (i % 5 % u) * x;"])
def test_each_letter_leads_back_to_its_column(line):
    guard = guarded(HEAD + line + TAIL)
    written = guard.source.split("\n")[LINE]
    last = {original_column(guard.shifts, LINE + 1, at + 1, written, line): at for at in range(len(written))}
    for column, letter in enumerate(line, 1):
        assert letter in "%=" or written[last[column]] == letter


@pytest.mark.parametrize(
    "body",
    [
        "let r = i" + " % o[i % 3]" * 450 + ";",
        "let r = " + "own(" * 40 + "i % 3" + ", i % 3" * 2000 + ")" * 40 + ";",
        "let r0 = i;" + "".join(f"let r{n + 1} = r{n} % 3;" for n in range(1500)),
        "let r = " + "x(1) % 2 + " * 300 + "1;",
        "let r = bitcast<" + "ptr<function, " * 250 + "i32" + ">" * 251 + "(i) % 3;",
    ],
)
def test_long_kernels_are_read_in_time_that_grows_with_their_length(body):
    started = time.process_time()
    guarded(HEAD + body + TAIL)
    assert time.process_time() - started < 3
