"""Which loops are paid for before they begin: never one whose turns could be more than its bounds say."""

import pytest

from shaders.reflect import reflect

HEAD = """struct Sizes { inner: u32, signed: i32, list: vec4<u32> }
const n = 100000u;
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@group(0) @binding(1) var<uniform> sizes: Sizes;
alias Place = ptr<function, vec2<u32>>;
var<private> mine: u32;
var<workgroup> ours: u32;
fn side() -> u32 { o[0] += 1u; mine += 1u; return 5u; }
fn change(i: ptr<function, u32>) { *i += 1u; }
"""


def is_prepaid(body: str, parameters: str = "m: u32") -> bool:
    """Whether the loop that comes first in `body` is paid for beforehand."""
    guard = reflect(
        f"{HEAD}fn f({parameters}) {{\n{body}\n}}\n@compute @workgroup_size(1) fn main() {{ o[1] = sizes.inner; }}\n"
    ).guard
    assert guard is not None
    return "_wf_turns1 * _wf_cost1" in guard.source


@pytest.mark.parametrize(
    "loop",
    [
        "for (var i = 0u; i < sizes.inner; i++) { o[i] = i; }",
        "for (var i = 0; i < sizes.signed; i++) { }",
        "for (var i: u32 = 0; i < n; i += 1u) { o[i] = 1u; }",
        "for (var i = m; i < m + sizes.list.y * 2u - (n << 1u) / 3u; i++) { if (o[i] > 1u) { continue; } }",
        "for (var i = 0u; i < arrayLength(&o); i++) { o[i] = side(); }",
        "for (var i = 0u; i < min(sizes.list[1], u32(sizes.signed)); i++) { for (;;) { break; } }",
        "let k = o[3]; for (var i = 0u; i < k; i++) { o[i] = k; }",
        "var k = o[3]; k += 1u; for (var i = 0u; i < k; i++) { o[i] = k; } k = 0u;",
        "var v = vec2<u32>(o[3]); for (var i = 0u; i < v.x; i++) { }",
        "var v = vec2<u32>(o[3]); for (var i = 0u; i < v.x; i++) { o[v[1]] = 1u; o[i >> 1u] = (v).y; }",
        "for (var i = 0u; i < m; i++) { for (var j = i; j < m; j++) { o[j] = i; } }",
    ],
)
def test_a_counting_loop_whose_bounds_stay_is_paid_for_beforehand(loop):
    assert is_prepaid(loop)


@pytest.mark.parametrize(
    "loop",
    [
        "for (var i = 0u; i < sizes.inner; i++) { i = 0u; }",
        "for (var i = 0u; i < sizes.inner; i++) { if (o[i] == 1u) { break; } }",
        "for (var i = 0u; i < sizes.inner; i++) { for (;;) { return; } }",
        "for (var i = 0u; i < sizes.inner; i++) { switch (i) { case 1u: { break; } default: { } } }",
        "for (var i = 0u; i <= sizes.inner; i++) { }",
        "for (var i = 0u; i < sizes.inner; i += 2u) { }",
        "for (var i = 0u; i < sizes.inner; i += m) { }",
        "for (var i = 0.0; i < f32(sizes.inner); i += 1) { }",
        "for (var i = 0u; i < o[0]; i++) { }",
        "for (var i = 0u; i < mine; i++) { side(); }",
        "for (var i = 0u; i < ours; i++) { }",
        "for (var i = mine; i < n; i++) { }",
        "for (var i = side(); i < n; i++) { }",
        "for (var i = 0u; i < side(); i++) { }",
        "for (var i = 0u; i < n + i; i++) { }",
        "for (var i = 0u; i < n && o[i] == 1u; i++) { }",
        "var k = m; for (var i = 0u; i < k; i++) { k += 1u; }",
        "var k = m; for (var i = 0u; i < k; i++) { k++; }",
        "var k = m; for (var i = 0u; i < k; i++) { change(&k); }",
        "var k = vec2u(m); for (var i = 0u; i < k.x; i++) { k.x += 2u; }",
        "var k = vec2u(m); for (var i = 0u; i < k.x; i++) { k[0]++; }",
        "var k = vec2u(m); for (var i = 0u; i < k.x; i++) { (k).x = 5u; }",
        "var k = vec2u(m); for (var i = 0u; i < k.x; i++) { ((k)[0]) = 5u; }",
        "var k = array<vec2u, 2>(); for (var i = 0u; i < k[0].x; i++) { k[0].x = 5u; }",
        "var k = vec2u(m); for (var i = 0u; i < k.x; i++) { let p = &k.x; }",
        "var k = 9u; for (var i = 0u; i < k; i++) { k >>= 1u; }",
        "for (var i = 0u; i < mine; i++) { side(); } { let mine = 1u; o[0] = mine; }",
        "{ let mine = 1u; o[0] = mine; } for (var i = 0u; i < mine; i++) { side(); }",
        "var k = m; let p = &k; for (var i = 0u; i < k; i++) { *p += 1u; }",
        "var k = m; let p = &(k); for (var i = 0u; i < k; i++) { *p += 1u; }",
        "var k = m; let p = &k; for (var i = 0u; i < *p; i++) { *p += 1u; }",
        "var k = m; let p = &k; for (var i = 0u; i < 2u * *p; i++) { *p += 1u; }",
        "var k = vec2<u32>(m); let p = &k; for (var i = 0u; i < p.x; i++) { (*p).x += 1u; }",
        "var i = 0u; for (; i < sizes.inner; i++) { }",
        "for (var i = 0u; sizes.inner > i; i++) { }",
        "for (var i = 0u; i < sizes.inner; i++) { storageBarrier(); }",
        "var i = 0u; while (i < sizes.inner) { i++; }",
    ],
)
def test_any_other_loop_pays_turn_by_turn(loop):
    assert not is_prepaid(loop)


def test_what_a_pointer_parameter_leads_to_does_not_stay():
    assert not is_prepaid("for (var i = 0u; i < p.x; i++) { }", "p: ptr<function, vec2<u32>>")
    assert not is_prepaid("for (var i = 0u; i < *p; i++) { }", "p: ptr<function, u32>")
    assert not is_prepaid("for (var i = 0u; i < p.x; i++) { (*p).x += 2u; }", "p: Place")
