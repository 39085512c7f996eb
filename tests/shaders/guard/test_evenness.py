"""Where a driver counts the turns of a whole group: only what is seen to turn together may take the large budget."""

import pytest

from shaders.reflect import reflect

HEAD = """struct P { n: u32, m: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> a: array<u32>;
@group(0) @binding(2) var<storage, read_write> o: array<u32>;
var<private> mine: u32;
var<workgroup> ours: u32;
fn even_loop() { for (var k = 0u; k < p.n; k++) { o[k] += 1u; } }
fn uneven_loop(x: u32) { for (var k = 0u; k < x; k++) { o[k] += 1u; } }
fn value(x: u32) -> u32 { return x; }
fn store(x: ptr<function, u32>) { *x = mine; }
fn some_leave(x: u32) { if (x > 1u) { return; } even_loop(); }
fn some_leave_late(x: u32) { uneven_loop(x); if (x > 1u) { return; } even_loop(); }
"""
MAIN = (
    "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) g: vec3<u32>,"
    " @builtin(workgroup_id) w: vec3<u32>, @builtin(num_workgroups) c: vec3<u32>) {\n"
)


def is_even(body: str) -> bool:
    guard = reflect(f"{HEAD}{MAIN}{body}\n}}\n").guard
    assert guard is not None
    return guard.entries["main"].even


@pytest.mark.parametrize(
    "body",
    [
        "o[g.x] = 1u;",
        "for (var i = 0u; i < p.n; i++) { for (var j = 0u; j < w.x + c.y; j++) { o[j] = i; } }",
        "if (g.x >= arrayLength(&o)) { return; } for (var i = 0u; i < p.n; i++) { while (o[0] > 1u) { } }"[
            :72
        ]
        + " o[g.x] = i; }",
        "let rows = a[w.x]; for (var i = 0u; i < rows; i++) { even_loop(); }",
        "for (var i = 0u; i < p.n; i++) { if (o[i] > 1u) { o[i] = 0u; } even_loop(); }",
        "for (var i = 0u; i < p.n; i++) { if (i > p.m) { break; } even_loop(); }",
        "var x = p.n; switch (p.m) { default: { if (p.m > 1u) { break; } x = 1u; } }"
        " for (var i = 0u; i < x; i++) { even_loop(); }",
        "while (o[g.x] > 1u) { o[g.x] /= 2u; } even_loop();",
        "uneven_loop(g.x); even_loop();",
        "for (var i = 0u; i < p.n; i++) { var x = g.x; for (var k = 0u; k < 8u; k++) { x *= 3u; } o[i] = x; }",
        "loop { if (o[g.x] > 1u) { break; } for (var k = 0u; k < 8u; k++) { o[k] = 1u; } }",
        "if (g.x > 1u) { return; } uneven_loop(g.x); even_loop();",
        "if (g.x > 1u) { some_leave(g.x); } even_loop();",
        "some_leave(g.x); even_loop();",
        "uneven_loop(g.x); if (g.x > 1u) { return; } o[g.x] = 1u;",
    ],
)
def test_loops_that_turn_together_are_even_and_one_that_stands_alone_is(body):
    assert is_even(body)


@pytest.mark.parametrize(
    "body",
    [
        "while (o[g.x] > 1u) { } while (o[g.x] > 2u) { }",
        "for (var i = 0u; i < p.n; i++) { while (o[g.x] > 1u) { } }",
        "for (var i = 0u; i < 4u; i++) { while (o[g.x] > 1u) { } }",
        "while (o[g.x] > 1u) { for (var i = 0u; i < p.n; i++) { o[i] = 1u; } }",
        "while (o[g.x] > 1u) { even_loop(); }",
        "if (g.x > 3u) { even_loop(); } else { even_loop(); }",
        "if (g.x > 3u) { o[0] = 1u; } else if (p.n > 1u) { even_loop(); } else { even_loop(); }",
        "switch (g.x) { case 1u: { even_loop(); } default: { even_loop(); } }",
        "for (var i = 0u; i < p.n; i++) { uneven_loop(3u); }",
        "uneven_loop(1u); uneven_loop(2u);",
        "for (var i = 0u; i < p.n; i++) { if (g.x == i) { break; } even_loop(); }",
        "for (var i = 0u; i < p.n; i++) { if (g.x == i) { continue; } even_loop(); }",
        "for (var i = 0u; i < p.n; i++) { if (g.x == i) { return; } even_loop(); }",
        "for (var i = 0u; i < p.n; i++) { while (o[g.x] > 1u) { return; } }",
        "loop { even_loop(); continuing { break if o[g.x] > 1u; } }",
        "var x = 0u; x += g.x; while (x > 1u) { x -= 1u; } while (x > 1u) { x -= 1u; }",
        "var x = 0u; let q = &x; *q = g.x; for (var i = 0u; i < x; i++) { even_loop(); }",
        "var x = 0u; let q = &(x); *q = g.x; for (var i = 0u; i < x; i++) { even_loop(); }",
        "var x = 0u; store(&x); for (var i = 0u; i < x; i++) { even_loop(); }",
        "var function = g.x; for (var i = 0u; i < function; i++) { even_loop(); }",
        "var<function> x = g.x; for (var i = 0u; i < x; i++) { even_loop(); }",
        "var x = p.n; if (g.x > 1u) { x = 1u; } for (var i = 0u; i < x; i++) { even_loop(); }",
        "var x = vec2u(0u); x.y = g.x; for (var i = 0u; i < x.y; i++) { even_loop(); }",
        "var x = 8u; x >>= g.x; for (var i = 0u; i < x; i++) { even_loop(); }",
        "let x = value(p.n); for (var i = 0u; i < x; i++) { even_loop(); }",
        "for (var i = 0u; i < mine; i++) { even_loop(); }",
        "for (var i = 0u; i < ours; i++) { even_loop(); }",
        "for (var i = 0u; i < a[g.x]; i++) { even_loop(); }",
        "for (var i = g.x; i < p.n; i++) { even_loop(); }",
        "var x = p.n; switch (p.m) { default: { if (g.x > 1u) { break; } x = 1u; } }"
        " for (var i = 0u; i < x; i++) { even_loop(); }",
        "for (var i = 0u; i < p.n; i += g.x) { even_loop(); }",
        "if (g.x > 1u) { even_loop(); return; } even_loop();",
        "uneven_loop(g.x); if (g.x > 1u) { return; } even_loop();",
        "while (o[g.x] > 1u) { if (g.x > 1u) { return; } } even_loop();",
        "some_leave(g.x); some_leave(g.y);",
        "some_leave(g.x); uneven_loop(g.x);",
        "for (var i = 0u; i < p.n; i++) { some_leave(i + g.x); }",
        "some_leave_late(g.x);",
    ],
)
def test_what_may_turn_apart_is_uneven(body):
    assert not is_even(body)


def test_a_chain_of_names_too_long_to_follow_is_uneven():
    names = "".join(f"var x{n} = 0u; " for n in range(40))
    steps = "".join(f"x{n} = x{n + 1}; " for n in range(39))
    body = f"{names} {steps} x39 = g.x; for (var i = 0u; i < p.n; i++) {{ even_loop(); }}"
    assert not is_even(body)
