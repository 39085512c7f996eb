"""What naga refuses, each as its author sees it: one line that says what, at the place in their own text."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from host.engine import EngineSettings
from host.engines.wgpu import WgpuEngine
from host.errors import KernelCompileError
from host.naga import compile_error
from shaders.reflect import reflect
from tests.host.engines import ADAPTER

HEAD = """@group(0) @binding(0) var<storage, read_write> out: array<f32>;
@group(0) @binding(1) var<storage, read> given: array<u32>;
struct Pair { a: u32, b: u32 }
"""
SPIN = "var i = n; loop { i = i * 3u; if (i == 7u) { break; } workgroupBarrier(); } return i;"
"""Whose budget is shared: the guard gives it one parameter more."""

BODIES = {
    "var x = 1u; x *= ›2.0f;": "cannot convert elements of `f32` to `u32`: this expression has type f32",
    "var x = 1u;\nx *=\n  ›2.0f;": "cannot convert elements of `f32` to `u32`",
    "\tvar x = 1u;\tx *= ›2.0f;": "cannot convert elements of `f32` to `u32`",
    "/* äöü € 🎉 */ var x = 1u; x *= ›2.0f;": "cannot convert elements of `f32` to `u32`",
    "let ›x: u32 = 1.0;": "the type of `x` is expected to be `u32`, but got `AbstractFloat`",
    "let x = ›1u + 1i;": "Operation Add can't work with `u32` and `i32`",
    "let x = ›1u\n + 1i;": "Operation Add can't work with `u32` and `i32`",
    "let n = 5; let x = n % 3 + ›nothing;": "`nothing` is not defined",
    "var n = 5; n %= 3 - n % (2 - ›nothing);": "`nothing` is not defined",
    "let n = 5; let x = ›n % 2u;": "Operation Modulo can't work with `i32` and `u32`",
    "let n = vec3i(5); let x = n % 3 % ›1.5;": "`vec3<i32>`",
    "let x = ›mat2x3<f32>() * vec4(1.0);": "can't work with `mat2x3<f32>` and `vec4<f32>`",
    "let x = true && ›1u;": "the value is not of the type that is needed here",
    "out[1] = ›2u;": "cannot convert elements of `u32` to `f32`",
    "let x = 2.0 * ›nothing;": "`nothing` is not defined",
    "out[1] = 1.0 +\n  ›nothing +\n  2.0;": "`nothing` is not defined",
    "let x = ›nothing(1);": "`nothing` is not defined",
    "let x = 1u; ›x = 2u;": "cannot assign to this expression",
    "let x = 1u; let ›x = 2u;": "redefinition of `x`",
    "›given[0] = 1u;": "this cannot be written",
    "if (›1u) { }": "the condition is not a `bool`",
    "if (id.x > 3u) { } else if ›3 { }": "the condition is not a `bool`",
    "switch (id.x) { case 1u: { } case ›1i: { } default: { } }": "must have the same type as the `switch` selector",
    "let n = id.x;\n if (n > 2u) { }\n if (›n) { }": "the condition is not a `bool`",
    "let n: u32 = id.x; while (›n) { }": "the condition is not a `bool`",
    "let n = id.x; for (; ›n; ) { }": "the condition is not a `bool`",
    "let n = id.x; if (n ›&& 1u) { }": "`&&` and `||` take bools, and this is `u32`",
    "let x = ›-id.x;": "Operation Negate can't work with this value",
    "let x = ›arrayLength(id.x);": "this is no pointer to an array whose length is open",
    "while (›1u) { }": "the condition is not a `bool`",
    "›out[1.0] = 2.0;": "the index is no `i32` or `u32`",
    "var a: array<u32, 4>; ›a[7] = 1u;": "there are 4 elements",
    "let x = id.›foo;": "invalid field accessor `foo`",
    "out[1] = sqrt(›1u);": "argument #1 has type `u32`",
    "out[1] = sqrt(1.0, ›2.0);": "unexpected argument #2",
    "out[1] = sqrt(max(1.0, min(2u, ›3.0)));": "argument #2 has type AbstractFloat",
    "let x = Pair(1u, ›2.0);": "cannot convert `AbstractFloat` to `u32`",
    "let x = ›Pair(1u);": "expects 2 components but 1 were given",
    "let x = ›vec3<f32>(\n  1.0,\n  2.0);": "expects 3 components, found 2",
    "let x = ›1u / 0u;": "Division by zero",
    "if (id.x > 1u) { ›switch id.x {\n  case 1u: { }\n} }": "missing a `default` case",
    "›break;": "outside of a `loop` or `switch`",
    "const n = ›id.x;": "not supported in a const context",
    "const_assert ›1 > 2;": "evaluates to `false`",
    "let ›async = 1u;": "name `async` is a reserved keyword",
    "for (var i = 0u; i < 9u; i++) { var x = 1u; x *= ›2.0f; }": "cannot convert elements",
    "for (var i = 0u; i < id.x; i++) { let y = ›nothing; }": "`nothing` is not defined",
    "for (var i = 0u; i < arrayLength(&›nothing); i++) { }": "`nothing` is not defined",
    "for (var i: u32 = 0u; i < u32(›id); i++) { }": "cannot cast a vec3<u32> to a u32",
    "for (var i: i32 = 0; i < ›id.x; i++) { }": "two values must be of one type: this one is of type `u32`",
    "›for (var i = 0u; i < id; i++) { }": "Operation Less can't work with `u32` and `vec3<u32>`",
    "var i = 0u; while (i < ›nothing) { workgroupBarrier(); i++; }": "`nothing` is not defined",
    "let x = 1.0›\n\n  out[1] = x;": "expected `;`, found `out`",
    "out[1] = 1.0› // a note\n": "expected `;`, found `out`",
    "\tout[id.x] = 1.0›\n  let x = 1u;": "expected `;`, found `let`",
    "let x = 1.0 ›out[1] = x;": "expected `;`, found `out`",
    "out[1] = max(1.0›\n  2.0);": "expected `)`, found `2.0`",
    "if (id.x > 1u) {\n  return›\n}": "expected expression, found `}`",
    "out[1] =›\n  ;": "expected expression, found `;`",
    "out[1] =\n  ›% 2.0;": "expected expression, found `%`",
    "let x = spin(›1.0f);": "the argument is not of the parameter's type",
    "let x = ›spin(1u, 2u);": "too few or too many arguments",
}
FUNCTIONS = {
    "›fn f(x: f32) -> f32 { if (x > 1.0) { return 2.0; } }": "every path must return a value",
    "›fn f(x: f32) -> f32 {\n  if (x > 1.0) { return 2.0; }\n}": "every path must return a value",
    "fn f() -> f32 { ›return; }": "every path must return a value",
    "fn f() -> f32 {\n  return ›1u;\n}": "what is returned is not of the declared type",
    "fn f() { return ›1u; }": "the function gives nothing",
    "const ›g: u32 = 1.0f;": "the type of `g` is expected to be `u32`",
    "var<private> g: u32 = ›nothing;": "`nothing` is not defined",
    "override g: u32;\noverride h: u32 = g + ›1.0;": "this number is not of the type that it meets",
}
SOURCES = {
    **{
        f"{HEAD}fn spin(n: u32) -> u32 {{ {SPIN} }}\n"
        "@compute @workgroup_size(64)\nfn main(@builtin(global_invocation_id) id: vec3<u32>) {\n"
        f"    {body}\n    out[0] = 1.0;\n}}\n": words
        for body, words in BODIES.items()
    },
    **{
        f"{HEAD}{text}\n@compute @workgroup_size(1) fn main() {{ out[0] = 1.0; }}\n": words
        for text, words in FUNCTIONS.items()
    },
}
"""Broken kernels, each with a mark before what is wrong, and with words of the message."""


@pytest.fixture(scope="module")
def engine() -> Iterator[WgpuEngine]:
    engine = WgpuEngine(EngineSettings(adapter=ADAPTER))
    yield engine
    engine.close()


def refused(engine: WgpuEngine, source: str) -> KernelCompileError:
    with pytest.raises(KernelCompileError) as caught:
        engine.add_kernel("broken", reflect(source), warm=False)
    return caught.value


@pytest.mark.parametrize(("marked", "words"), SOURCES.items(), ids=[*BODIES, *FUNCTIONS])
def test_what_naga_refuses_is_said_in_a_line_at_its_place_in_the_author_s_text(
    engine: WgpuEngine, marked: str, words: str
) -> None:
    before, _, behind = marked.partition("›")
    error = refused(engine, before + behind)
    assert words in error.message
    for foreign in ("\n", "^", "│", "naga", "_wf", "{ kind", "[0]", "  "):
        assert foreign not in error.message + (error.hint or "")
    column = len(before) - before.rfind("\n")
    assert (error.line, error.column) == (before.count("\n") + 1, column)
    _, pointer = (error.snippet or "").split("\n")
    assert pointer == " " * (column - 1) + "^"


def test_what_naga_advises_is_the_hint_with_the_types_that_kernels_have(engine: WgpuEngine) -> None:
    hints = {
        "let x = 1u; x = 2u;": "Consider declaring `x` with `var` instead of `let`.",
        "let x = max(1.0f, 2u);": "Because argument #1 has type f32, only the following types "
        "(or types that automatically convert to them) are accepted for argument #2: f32.",
        "sqrt(2.0);": "Use a phony assignment or declare a value using the function call as the initializer.",
    }
    for body, hint in hints.items():
        error = refused(engine, f"{HEAD}@compute @workgroup_size(1) fn main() {{ {body} out[0] = 1.0; }}\n")
        assert error.hint == hint


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        ("out[0] = f32(idd.x);", "Did you mean id?"),
        ("out[0] = sine(1.0);", "Did you mean sin or sign"),
        ("out[0] = brightness;", None),
        ("out[0] = id.x * 2.0;", "Numbers keep their type"),
        ("out[0] = id.x;", "Numbers keep their type"),
        ("let x = 1u + 1i;", "Numbers keep their type"),
        ("let x = mat2x3<f32>() * vec4(1.0);", None),
        ("given[0] = 1u;", "What a kernel writes is var<storage, read_write>"),
        ("if id.x { }", "Compare it"),
        ("int x = 3; out[1] = f32(x);", "What is declared begins with let or var, as var i = 3;."),
        ("for (var i = 0; i < 3; ++i) { out[1] += 1.0; }", "Write i++ or i--: they stand behind"),
        ("var i = 0; --i;", "Write i++ or i--: they stand behind"),
        ("let x = -1u;", "`-` takes i32 and floats"),
        ("out[1] = f32(id.w);", "A vector has x, y, z and w as far as it is long"),
        ("if (id.x && 1u) { }", "Compare it, as x != 0."),
        ("var a: array<f32>;", "As array<f32, 64>: a binding alone"),
        ("const n = id.x;", "A const is known before the kernel runs"),
        ("const n = arrayLength(&out);", "A const is known before the kernel runs"),
        ("let x = id.x > 1u and id.x < 3u;", "Write && for and"),
        ("let x = [1, 2];", "An array is written array(1, 2, 3)."),
        ("let x = !id.x;", "`-` takes i32 and floats, `~` whole numbers, `!` bool."),
        ("let x = arrayLength(given);", "Of an array take elements, as x[i]; arrayLength takes &x."),
        ("let x: i32 = id.x;", "Numbers keep their type"),
        ("let x = out[1] ** 2.0;", "A power is pow(x, y)."),
        ("let x = 1F;", "Numbers end in f, h, i or u"),
        ("if (id.x > 1u) { } elif (id.x > 2u) { }", "A block stands behind if, else if, else"),
        ("if (id.x = 1u) { }", "Values are compared by `==`"),
        ("for (let i = 0; i < 3; i++) { }", "What changes is declared with var"),
        ("let x = float(id.x);", "Write f32."),
        ("let x = 1.0\n out[1] = x;", "The statement before it ends with `;`."),
        ("out[1] = max(1.0 2.0);", "What stands in parentheses has `,` between, and `)` behind."),
    ],
)
def test_where_naga_advises_nothing_the_hint_is_ours(engine: WgpuEngine, body: str, hint: str | None) -> None:
    head = f"{HEAD}@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>)"
    error = refused(engine, f"{head} {{\n {body}\n out[0] = f32(given[0]);\n}}\n")
    assert error.hint is None if hint is None else error.hint.startswith(hint), error.hint


def test_what_naga_cannot_place_has_no_place(engine: WgpuEngine) -> None:
    source = f"{HEAD}@compute @workgroup_size(1) fn main() {{ discard; out[0] = 1.0; }}\n"
    error = refused(engine, source)
    assert error.message == "Entry point main at Compute is invalid: Uses operations forbidden at this stage"
    assert (error.line, error.column, error.snippet) == (None, None, None)


def test_of_two_conjunctions_naga_does_not_say_which_it_means(engine: WgpuEngine) -> None:
    body = "let n = 1u; if (true && true) { } if (n && 1u) { } out[0] = 1.0;"
    error = refused(engine, f"{HEAD}@compute @workgroup_size(1) fn main() {{ {body} }}\n")
    assert (error.message, error.line) == ("`&&` and `||` take bools, and this is `u32`", None)


def test_a_report_of_another_form_is_told_on_one_line() -> None:
    error = compile_error("Validation Error\n\nCaused by:\n  In wgpuDeviceX\n    Too much\n    of it\n", "")
    assert (error.message, error.line) == ("Too much; of it", None)


def test_a_mark_whose_beginning_is_not_shown_is_where_it_ends() -> None:
    report = "validation error: it is bad\n  ┌─ x:2:1\n2 │ │ b\n  │ ╰─^ of many lines\n"
    error = compile_error(report, "a\nb\n")
    assert (error.message, error.line) == ("it is bad: of many lines", 2)
