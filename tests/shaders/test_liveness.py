"""Which tokens of a kernel matter. What is left of it must be a kernel, of which everything matters."""

from __future__ import annotations

from pathlib import Path

import pytest

from shaders import callgraph
from shaders.limits import LIMITS
from shaders.liveness import living
from shaders.parser import parse
from shaders.reflect import reflect

GOLDEN = sorted(Path(__file__).parent.glob("golden/*.wgsl"))
EFFECTS = """
var<workgroup> shared: atomic<u32>;
var<private> counter: u32;
@group(0) @binding(0) var<storage, read_write> b: array<u32>;
fn count() -> u32 { counter += 1u; return counter; }
fn set(place: ptr<function, u32>) -> u32 { *place = 7u; return 0u; }
fn turn() -> u32 { loop { } return 0u; }
fn plain(x: u32) -> u32 { var y = x; y += 1u; return y; }
const SIZE = 64;
@compute @workgroup_size(SIZE) fn main() {
  var here = 1u;
  let a = atomicAdd(&shared, 1u);
  let c = count();
  let d = set(&here);
  let e = turn();
  let f = workgroupUniformLoad(&here);
  let g = plain(here);
  _ = plain(2u);
  for (var i = 0u; ; _ = plain(3u)) { let unused = i; }
  b[0] = here;
}
"""


def left(source: str) -> str:
    """The text of what matters in `source`."""
    module = parse(source, LIMITS)
    return " ".join(
        token.text for token in living(module, callgraph.order(module, callgraph.references(module)))
    )


def test_what_has_an_effect_stays_though_its_value_is_unused() -> None:
    found = left(EFFECTS)
    for kept in ("let a", "let c", "let d", "let e", "let f", "const SIZE", "; _ = plain ( 3u ) ) { }"):
        assert kept in found
    for gone in ("let g", "plain ( 2u )", "unused"):
        assert gone not in found


def test_an_inner_name_is_told_apart_from_an_outer_one() -> None:
    body = "let x = 1u; {{ let x = 2u; {inner} }} {outer}"
    shell = (
        "@group(0) @binding(0) var<storage, read_write> b: array<u32>;\n"
        "@compute @workgroup_size(1) fn main() {{ {} }}"
    )

    def of(inner: str, outer: str) -> str:
        return left(shell.format(body.format(inner=inner, outer=outer)))

    assert "{ b [ 0 ] = 3u ; }" in of("", "b[0] = 3u;")
    assert "{ let x = 1u ; b [ 0 ] = x ; }" in of("", "b[0] = x;")
    assert "{ { let x = 2u ; b [ 0 ] = x ; } }" in of("b[0] = x;", "")


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_what_is_left_of_a_kernel_is_that_kernel(path: Path) -> None:
    source = path.read_text()
    text = left(source)
    assert left(text) == text
    assert reflect(text).fingerprint == reflect(source).fingerprint
    assert [entry.name for entry in reflect(text).entry_points] == [
        e.name for e in reflect(source).entry_points
    ]
