"""Whole errors, as their reader sees them."""

import textwrap

import pytest

from shaders.errors import KernelgateError
from shaders.reflect import reflect


def shown(source: str) -> str:
    """The error for `source`: place, message, snippet, hint."""
    with pytest.raises(KernelgateError) as caught:
        reflect(source)
    error = caught.value
    lines = [f"{error.code} {error.line}:{error.column}: {error.message}", error.snippet or ""]
    return "\n".join([*lines, f"hint: {error.hint}"] if error.hint else lines) + "\n"


def check(source: str, expected: str) -> None:
    assert shown(textwrap.dedent(source).lstrip("\n")) == textwrap.dedent(expected).lstrip("\n")


def test_a_bracket_of_the_wrong_kind():
    check(
        """
        @compute @workgroup_size(64)
        fn main() {
            let x = (1u + 2u];
        }
        """,
        """
        kernel_syntax 3:21: expected ')', found ']'
            let x = (1u + 2u];
                            ^
        hint: It closes the '(' in line 3.
        """,
    )


def test_what_a_buffer_and_an_entry_point_need_is_shown():
    main = "@compute @workgroup_size(1) fn main() { }"
    sized = "hint: As @compute @workgroup_size(64) fn main("
    placed = "hint: As @group(0) @binding(0) var<storage, read_write> y: array<f32>;"
    accesses = "hint: A storage buffer is read or read_write, a uniform has no access."
    numbered = "hint: Number those of a group @binding(0), @binding(1) and so on."
    y, z = (f"@group(0) @binding(0) var<storage, read> {name}: array<f32>;" for name in "yz")
    for source, hint in (
        ("@compute fn main() { }", sized),
        (f"var<storage, read_write> y: array<f32>; {main}", placed),
        (f"@group(0) @binding(0) var<storage, write> y: array<f32>; {main}", accesses),
        (f"{y} {z} {main}", numbered),
    ):
        assert shown(source).endswith(f"\n{hint}\n")


def test_what_other_languages_write_is_answered_with_what_wgsl_writes():
    for source, hint in (
        ("let n = 3;", "Outside of functions write const."),
        ("def f():", "A function is fn name(x: f32) -> f32 { … }"),
        ("static n = 3;", "A declaration begins with fn, var, const"),
        ("struct P { a: f32; b: f32 }", "Members and parameters have commas between them."),
        ("fn f(a) { }", "Its type stands behind it, as a: f32."),
        ("fn f() { for i in range(3) { } }", "As for (var i = 0; i < 3; i++) { … }"),
        ("fn f() { for (var i in 0..3) { } }", "As for (var i = 0; i < 3; i++) { … }"),
    ):
        assert f"\nhint: {hint}" in shown(source)


def test_a_constant_without_a_semicolon_is_marked_at_its_end():
    check(
        """
        const N = 3
        @compute @workgroup_size(64)
        fn main() { }
        """,
        """
        kernel_syntax 1:12: expected ';', found '@'
        const N = 3
                   ^
        hint: The statement before it ends with `;`.
        """,
    )


def test_a_missing_semicolon():
    check(
        """
        @compute @workgroup_size(64)
        fn main() {
            let x = 1u
            let y = 2u;
        }
        """,
        """
        kernel_syntax 3:15: expected ';', found 'let'
            let x = 1u
                      ^
        hint: The statement before it ends with `;`.
        """,
    )


def test_a_parenthesis_that_is_not_closed_before_the_next_statement():
    check(
        """
        fn main() {
            let x = (1u + 2u  // a note
            let y = 2u;
        }
        """,
        """
        kernel_syntax 2:21: expected ')', found 'let'
            let x = (1u + 2u  // a note
                            ^
        hint: It closes the '(' in line 2.
        """,
    )


@pytest.mark.parametrize(
    ("marked", "words"),
    [
        ("const a = 1u›\nconst b = 2u;", "expected ';', found 'const'"),
        ("const a = 1u ›const b = 2u;", "expected ';', found 'const'"),
        ("var<private> a: u32›\n\n@compute fn main() {}", "expected ';', found '@'"),
        ("const a›\nconst b = 2u;", "expected ';', found 'const'"),
        ("const a› /*\n*/ ;", "expected '=', found ';'"),
        ("enable f16›\nconst a = 1u;", "expected ';', found 'const'"),
        ("const_assert 1 < 2›\nconst a = 1u;", "expected ';', found 'const'"),
        ("fn f(a: u32›\n b: u32) {}", "expected ',', found 'b'"),
        ("struct P {\n a: u32›\n b: u32 }", "expected ',', found 'b'"),
        ("struct P {\n a›\n u32 }", "expected ':', found 'u32'"),
        ("struct P›\nfn f() {}", "expected '{', found 'fn'"),
        ("fn f()›\n u32 { return 1u; }", "expected '->' or '{', found 'u32'"),
        ("fn f() ›u32 { return 1u; }", "expected '->' or '{', found 'u32'"),
        ("fn f(a: u32 ›-> u32 { return 1u; }", "expected ')', found '->'"),
        ("fn f()›\n", "expected '{', found the end of the source"),
        ("fn f() { g(1u,\n 2u›; }", "expected ')', found ';'"),
        ("fn f() { g(a[1u›);\n }", "expected ']', found ')'"),
        ("fn f() { g(1u›\n}", "expected ')', found '}'"),
        ("fn f() { for (var i = 0; i < 3; i++›\n { } }", "expected ')', found '{'"),
        ("fn f() { while (true›\n { } }", "expected ')', found '{'"),
        ("fn f() { if true return›; }", "expected '{', found ';'"),
        ("fn f() { } ›}", "unexpected '}'"),
        ("fn f() { g(1u)›); }", "unexpected ')'"),
        ("fn f() ›{ if true { }\n", "'{' is never closed"),
        ("const a = ›(1u", "'(' is never closed"),
    ],
)
def test_what_is_missing_is_shown_where_it_belongs(marked, words):
    before, _, behind = marked.partition("›")
    with pytest.raises(KernelgateError) as caught:
        reflect(before + behind)
    error = caught.value
    assert error.message == words
    assert (error.line, error.column) == (before.count("\n") + 1, len(before) - before.rfind("\n"))


def test_a_source_that_ends_early():
    check(
        "@compute @workgroup_size(64)\nfn main",
        """
        kernel_syntax 2:8: expected '(', found the end of the source
        fn main
               ^
        """,
    )


def test_a_pointer_to_an_element():
    check(
        """
        fn bump(p: ptr<function, u32>) { *p += 1u; }
        @compute @workgroup_size(64)
        fn main() {
            var counts: array<u32, 4>;
            bump(&counts[2]);
        }
        """,
        """
        kernel_unsupported 5:10: 'bump' gets a pointer that is not to a whole variable
            bump(&counts[2]);
                 ^
        hint: Pass `&variable`, and an index beside it; or copy the part into a variable first.
        """,
    )


def test_a_uniform_array_whose_elements_lie_too_close():
    check(
        """
        struct Params { weights: array<f32, 8> }
        @group(0) @binding(0) var<uniform> params: Params;
        """,
        """
        kernel_syntax 2:36: 'params' does not fit a uniform buffer: the elements of 'array<f32, 8>' are 4 bytes \
apart, not a multiple of 16
        @group(0) @binding(0) var<uniform> params: Params;
                                           ^
        hint: Use vec4 elements, @size or @align, or a storage buffer.
        """,
    )


def test_memory_over_the_limit():
    check(
        """
        var<workgroup> tile: array<vec4<f32>, 1024>;
        var<workgroup> more: u32;
        """,
        """
        kernel_limit 2:16: the kernel has 16388 bytes of workgroup memory; the limit is 16384
        var<workgroup> more: u32;
                       ^
        """,
    )


def test_recursion():
    check(
        """
        fn even(n: u32) -> bool { return n == 0u || odd(n - 1u); }
        fn odd(n: u32) -> bool { return n != 0u && even(n - 1u); }
        """,
        """
        kernel_syntax 2:44: 'odd' calls 'even', which leads back to 'odd'; WGSL has no recursion
        fn odd(n: u32) -> bool { return n != 0u && even(n - 1u); }
                                                   ^
        hint: Use a loop instead.
        """,
    )


def test_a_letter_outside_ascii():
    check(
        "const grün = 1;",
        """
        kernel_unsupported 1:9: the character U+00FC is outside ASCII
        const grün = 1;
                ^
        hint: Only comments may contain characters outside ASCII.
        """,
    )


def test_what_other_languages_write_has_a_hint_that_says_what_wgsl_writes():
    check(
        """
        const a = 1;
        const b = a > 0 ? 1 : 2;
        """,
        """
        kernel_syntax 2:17: unexpected character '?'
        const b = a > 0 ? 1 : 2;
                        ^
        hint: A choice is select(otherwise, chosen, condition).
        """,
    )


def test_a_caret_on_a_very_long_line_shows_a_window():
    check(
        "const a = " + "1 + " * 100 + "?;",
        f"""
        kernel_syntax 1:411: unexpected character '?'
        {"1 + " * 15}?;
        {" " * 60}^
        hint: A choice is select(otherwise, chosen, condition).
        """,
    )


def test_no_entry_point():
    check(
        "const a = 1;",
        """
        kernel_syntax None:None: the kernel has no @compute entry point

        hint: Begin it with `@compute @workgroup_size(64) fn main(`.
        """,
    )
