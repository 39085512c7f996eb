"""How large an untyped value is: never less than it is, and no more where that would refuse honest kernels."""

import pytest

from shaders.limits import LIMITS
from shaders.parser import parse
from shaders.resolve import Resolver
from shaders.values import Values

HEAD = """struct S { a: array<u32, 8>, b: vec4<f32> }
alias Eight = array<vec2<u32>, 8>;
const t = array<u32, 300>();
var<private> mine: array<array<u32, 4>, 5>;
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
fn table() -> array<u32, 100> { return array<u32, 100>(); }
fn number(x: u32) -> u32 { return x; }
"""


def leaves_of(body: str) -> int:
    """The leaves of the local `x` that `body` ends in."""
    module = parse(f"{HEAD}@compute @workgroup_size(1) fn main(k: u32) {{ {body} }}", LIMITS)
    values = Values(module, Resolver(module, LIMITS), [*module.declarations])
    function = module.functions["main"]
    return values.locals(function)["x"].leaves


@pytest.mark.parametrize(
    ("body", "leaves"),
    [
        ("let x = 1u;", 1),
        ("let x = array(1u, 2u, 3u);", 3),
        ("let x = array((array(1u, 2u)), array(k, k),);", 4),
        ("let a = array(1u, 2u); let b = a; let x = array(b, (b), b);", 6),
        ("let a = array(t, t); let x = a;", 600),
        ("let a = array(t, t); let x = a[1];", 300),
        ("let x = array(t[0], t[k], t[2]);", 3),
        ("let x = array(t[0] + t[1], number(t[2]));", 2),
        ("let x = array(Eight(), Eight());", 16),
        ("let s = S(); let x = array(s, s);", 18),
        ("let x = array(table(), table());", 200),
        ("let x = mine;", 20),
        ("let x = mine[k];", 4),
        ("var x: array<u32, 7>;", 7),
        ("{ let x = t; } let x = 1u;", 300),
        ("let t = 1u; let x = array(t, t);", 2),
        ("let s = S(); let x = array(s.a[1], s.b.x);", 2),
        ("let s = array(S(), S()); let x = s[k].a;", 8),
        ("let x = array((mine)[1][2], mine[0][k]);", 2),
        ("let a = " + "array(" * 20 + "t" + ")" * 20 + "; let x = array(a, a);", 600),
        ("let x = o[1];", 1),
    ],
)
def test_a_value_has_the_leaves_that_it_is_made_of(body, leaves):
    assert leaves_of(body) == leaves
