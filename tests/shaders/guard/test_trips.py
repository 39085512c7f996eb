"""Which loops count as short and of known length: never one that could turn more often."""

import pytest

from shaders.reflect import reflect

HEAD = """const n = 8u;
const other = n;
const typed: Word = 1;
alias Word = u32;
const far: f32 = 536870912;
const far_too: Number = 536870912;
alias Number = f32;
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
fn by_value(i: u32) -> u32 { return i; }
fn change(i: ptr<function, u32>) { *i = 0u; }
"""


def checked(body: str) -> int:
    """How many loops of `body` are checked."""
    guard = reflect(f"{HEAD}@compute @workgroup_size(1) fn main() {{\n{body}\n}}\n").guard
    assert guard is not None
    return len(guard.loops)


@pytest.mark.parametrize(
    "loop",
    [
        "for (var i = 0u; i < 16u; i++) { o[i] = i; }",
        "for (var i: i32 = 0; i <= 16; i += 2) { o[i] = 1u; }",
        "for (var i = n; i < 2 * n + (1 << 3); i += n) { o[i] = by_value(i); }",
        "for (var i = 0u; i < 16u; i++) { if (i > 3u) { break; } if (i == o[i]) { continue; } }",
        "for (var i = 5u; i < 5u; i++) { }",
        "for (var i = 0u; i < 16u; i++) { o[i >> 1u] = i >> 2u; }",
        "for (var i = typed; i < 16u; i++) { o[i] = i; }",
    ],
)
def test_a_plain_short_loop_needs_no_check(loop):
    assert checked(loop) == 0


@pytest.mark.parametrize(
    "loop",
    [
        "for (var i = 0u; i < 16u; i++) { i = 0u; }",
        "for (var i = 0u; i < 16u; i++) { i--; }",
        "for (var i = 0u; i < 16u; i++) { (i)--; }",
        "for (var i = 0u; i < 16u; i++) { ((i)) = 0u; }",
        "for (var i = 0u; i < 16u; i++) { i -= 1u; }",
        "for (var i = 2u; i < 16u; i++) { i >>= 1u; }",
        "for (var i = 0u; i < 16u; i++) { i <<= 1u; }",
        "for (var i = 0u; i < 16u; i++) { change(&i); }",
        "for (var i = 0u; i < 16u; i++) { let p = &(i); *p = 0u; }",
        "for (var i = 0u; i < 16u; i++) { *&i = 0u; }",
        "for (var i = 0u; i < o[0]; i++) { }",
        "for (var i = o[0]; i < 16u; i++) { }",
        "for (var i = 0u; i < 16u; i += o[0]) { }",
        "for (var i = 0u; i < 16u; i += 0u) { }",
        "for (var i = 0u; i < 16u; i -= 1u) { }",
        "for (var i = 0u; i > 16u; i++) { }",
        "for (var i = 0u; 16u > i; i++) { }",
        "for (var i = 0u; i != 16u; i += 3u) { }",
        "for (var i = 0u; i < 16u; ) { }",
        "for (var i = 0u; ; i++) { }",
        "for (; o[0] < 16u; ) { }",
        "for (var i = 0.0; i < 16.0; i += 1.0) { }",
        "for (var i = 0u; i < 0xffffffffu; i++) { }",
        "for (var i = far; i < far + 4; i += 1) { }",
        "for (var i = far_too; i < far_too + 4; i += 1) { }",
        "for (var i = 0u; i < 1000u; i++) { o[i] = i; }",
        "let n = o[0]; for (var i = 0u; i < n; i++) { }",
        "let other = o[0]; for (var i = 0u; i < other; i++) { }",
        "var j = 0u; for (var i = 0u; i < 16u; j++) { }",
        "var j = 0u; for (var i = 0u; j < 16u; i++) { }",
        "while (o[0] < 16u) { }",
        "loop { break; }",
    ],
)
def test_what_is_not_plain_to_see_is_checked(loop):
    assert checked(loop) == 1
