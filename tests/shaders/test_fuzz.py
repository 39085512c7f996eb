"""Whatever text comes in, `reflect` answers or raises a `KernelgateError`, soon, and what it emits is what it read."""

import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from shaders.errors import KernelgateError
from shaders.lexer import scan
from shaders.limits import LIMITS
from shaders.reflect import reflect
from shaders.source import Source

HERE = Path(__file__).parent
KERNELS = [path.read_text() for path in sorted(HERE.glob("hostile/*.wgsl")) if path.stat().st_size < 1500]
KERNELS += [
    (HERE / "golden" / name).read_text() for name in ("params.wgsl", "table_array.wgsl", "table_switch.wgsl")
]
WORDS = [
    *(
        "fn",
        "var",
        "let",
        "const",
        "struct",
        "alias",
        "override",
        "enable",
        "requires",
        "diagnostic",
        "const_assert",
    ),
    *(
        "if",
        "else",
        "for",
        "while",
        "loop",
        "switch",
        "case",
        "default",
        "continuing",
        "break",
        "return",
        "true",
    ),
    *(
        "@",
        "@compute",
        "@workgroup_size(1)",
        "@group(0)",
        "@binding(0)",
        "@builtin(workgroup_id)",
        "@size(4)",
    ),
    *(
        "storage",
        "uniform",
        "workgroup",
        "private",
        "read",
        "read_write",
        "function",
        "f16",
        "main",
        "f",
        "x",
        "S",
    ),
    *(
        "u32",
        "f32",
        "array",
        "vec4f",
        "vec3",
        "mat3x2",
        "atomic",
        "ptr",
        "texture_2d",
        "subgroupAdd",
        "_wf",
        "_",
    ),
    *(
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "<",
        ">",
        ";",
        ":",
        ",",
        ".",
        "=",
        "->",
        "&",
        "&&",
        "<<",
        "-",
        "+",
        "*",
        "==",
    ),
    *(
        "0",
        "1u",
        "64",
        "0x1p-3",
        "1.5f",
        "99999999999",
        "/*",
        "*/",
        "//",
        "\n",
        " ",
        "\t",
        "\0",
        "é",
        "\u2028",
    ),
]
quick = settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])


def check(source: str) -> None:
    """Reflect `source`; if it passes, so must what came out of it, with the same result."""
    reflection, error = None, None
    try:
        reflection = reflect(source)
    except KernelgateError as caught:
        error = caught
    if reflection is None:
        assert error is not None
        assert error.code in ("kernel_syntax", "kernel_limit", "kernel_unsupported", "kernel_language")
        assert error.message
        assert (error.line is None) == (error.column is None) == (error.snippet is None)
        return
    assert reflection.source.isascii()
    assert "//" not in reflection.source
    assert "/*" not in reflection.source
    assert reflect(reflection.source) == reflection
    before, after = scan(Source(source, LIMITS), LIMITS), scan(Source(reflection.source, LIMITS), LIMITS)
    assert [(token.text, token.start) for token in before.items] == [
        (token.text, token.start) for token in after.items
    ]


@quick
@given(st.lists(st.sampled_from(WORDS), max_size=60).map(" ".join))
@example("fn f() { for }")
@example("@")
@example("@compute")
@example("var<")
@example("struct S { a: array<")
@example("alias T = ptr<function, T>;")
def test_a_soup_of_words_gets_an_answer(source):
    check(source)


@quick
@given(st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join))
def test_a_soup_of_words_in_a_body_gets_an_answer(body):
    check(f"fn f(p: ptr<function, u32>) {{ {body} }}\n@compute @workgroup_size(1) fn main() {{ {body} }}")


@quick
@given(st.text(max_size=200))
def test_any_text_gets_an_answer(source):
    check(source)


@st.composite
def mutants(draw):
    """A kernel with some of its tokens dropped, doubled, exchanged or replaced."""
    source = draw(st.sampled_from(KERNELS))
    try:
        tokens = [token.text for token in scan(Source(source, LIMITS), LIMITS).items]
    except KernelgateError:
        tokens = source.split(" ")
    for _ in range(draw(st.integers(1, 6))):
        place, other = (draw(st.integers(0, max(0, len(tokens) - 1))) for _ in range(2))
        change = draw(st.sampled_from(["drop", "double", "exchange", "replace"]))
        if not tokens:
            break
        if change == "drop":
            del tokens[place]
        elif change == "double":
            tokens.insert(place, tokens[other])
        elif change == "exchange":
            tokens[place], tokens[other] = tokens[other], tokens[place]
        else:
            tokens[place] = draw(st.sampled_from(WORDS))
    return " ".join(tokens)


@settings(quick, max_examples=600)
@given(mutants())
def test_a_mutated_kernel_gets_an_answer(source):
    check(source)


@pytest.mark.full
@settings(quick, max_examples=50_000)
@given(mutants())
def test_many_mutated_kernels_get_an_answer(source):
    check(source)


@pytest.mark.parametrize(
    "source",
    [
        "const a = " + "1 + " * 15_000 + "1;",
        "struct S { " + "a: array<u32, 1>, " * 1_700 + "}",
        "fn f(" + "a: u32, " * 3_900 + ") {}",
        "fn f() { " + "let a = a; " * 3_000 + "}",
        "fn f() { " + "if a { } else " * 3_000 + "{ } }",
        "".join(f"alias a{i} = a{i + 1};" for i in range(3_000)),
        "".join(f"const a{i} = a{i + 1} + a{i + 1};" for i in range(2_000)),
        "".join(f"struct a{i} {{ x: a{i + 1}, y: a{i + 1} }}" for i in range(1_000)),
        "".join(f"fn a{i}() {{ a{i + 1}(); a{i + 1}(); }}" for i in range(1_000)),
        "/*" * 30_000 + "*/" * 2_000,
        "a<" * 8_000,
        "array<" * 40 + "u32" + ">" * 40,
        "@compute @workgroup_size(1) fn main() { " + "f(g, " * 3_000 + "}",
        "@compute @workgroup_size(1) fn main() { " + "array<u32, 1>(); " * 1_700 + "}",
        "@a(" * 4_000,
        "0" * 60_000,
        "x" * 60_000,
        "0x" + "f" * 60_000,
        "1." * 30_000,
        "\n" * 60_000 + "?",
    ],
    ids=range(20),
)
def test_the_worst_inputs_take_time_in_proportion_to_their_length(source):
    """Counted in steps of the interpreter, so that a busy machine changes nothing."""
    steps = 0

    def count(frame, event, argument):
        nonlocal steps
        steps += 1
        return count if steps < 4_000_000 else None

    sys.settrace(count)
    try:
        check(source)
    finally:
        sys.settrace(None)
    assert steps < 4_000_000
