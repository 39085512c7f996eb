"""Templates of strangers: what honest ones may use, and whole errors as their reader sees them."""

from __future__ import annotations

import textwrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shaders.errors import KernelgateError
from shaders.generator import TEXTS
from shaders.limits import LIMITS
from shaders.reflect import reflect
from shaders.rendering import MAX_RANGE, render
from shaders.template import Scalar

PARTIALS = sorted(name for name in TEXTS if name.startswith("partials/"))
WORDS = [
    "{{", "}}", "{%", "%}", "{#", "#}", "if", "else", "endif", "for", "in", "endfor", "set", "macro", "endmacro",
    "x", "y", "self", "loop", "range(3)", "(", ")", "[", "]", "{", "}", ".", "|", "~", "*", "**", "%", "+", "-", "'a'",
    "'%s'", "1", "2", "=", "==", ",", ":", " ", "\n", "include", "import", "from", "'partials/wide.wgsl.j2'", "as",
    "call", "endcall", "caller()", "filter", "upper", "join", "map", "is", "defined", "not", "__class__", "raw",
]  # fmt: skip


@pytest.mark.parametrize(
    ("template", "params", "text"),
    [
        ("{{ a }} {{ b }} {{ c }} {{ d }}", {"a": True, "b": 7, "c": 1e-05, "d": "u32"}, "true 7 1e-05 u32"),
        ("{% if fast %}a{% else %}b{% endif %}", {"fast": False}, "b"),
        ("{% for i in range(3) %}{{ i }}{{ ',' if not loop.last }}{% endfor %}", {}, "0,1,2"),
        ("{% for k, v in {'a': 1, 'b': 2} | items %}{{ k }}{{ v }}{% endfor %}", {}, "a1b2"),
        ("{% macro f(x) %}({{ x }}){% endmacro %}{{ f('a') }}", {}, "(a)"),
        ("{% macro f() %}({{ caller() }}){% endmacro %}{% call f() %}a{% endcall %}", {}, "(a)"),
        ("{% set table = {'f32': 4} %}{{ table[t] }}{{ table.f32 }}", {"t": "f32"}, "44"),
        ("{{ 'x%d' % n }} {{ '%04x' % n }} {{ 2 ** n }} {{ [n] * 3 | length }}", {"n": 3}, None),
        ("{{ [1, 2, 3] | map('abs') | join(', ') }} {{ [3, 1] | min }}", {}, "1, 2, 3 1"),
        ("{{ 0.1 | literal('f32') }} {{ 3 | literal('u32') }}", {}, "0.10000000149011612f 3u"),
        ("{{ x is defined }} {{ y is defined }} {{ y | default(4) }}", {"x": 1}, "true false 4"),
        (
            "{% set n = namespace(x=1) %}{% for i in range(3) %}{% set n.x = n.x * 2 %}{% endfor %}{{ n.x }}",
            {},
            "8",
        ),
        ("a\n{# note #}\n{% set x = 1 %}\nb\n", {}, "a\nb\n"),
    ],
)
def test_what_a_template_may_use(template: str, params: dict[str, Scalar], text: str | None) -> None:
    if text is None:
        with pytest.raises(KernelgateError):
            render(template, params)
    else:
        assert render(template, params) == text


def test_partials_are_included_and_imported() -> None:
    template = """
    {% import "partials/digests/_words.wgsl.j2" as words %}
    {% from "partials/digests/_words.wgsl.j2" import rotl %}
    {% include "partials/wide.wgsl.j2" %}
    @group(0) @binding(0) var<storage, read_write> x: array<vec2<u32>>;
    @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        let a = x[id.x].x;
        x[id.x] = mul64(x[id.x], vec2<u32>({{ words.rotr("a", 3) }}, {{ rotl("a", 3) }}));
    }"""
    assert reflect(render(template, {})).entry_points[0].name == "main"


@pytest.mark.parametrize("name", PARTIALS)
def test_every_partial_uses_only_what_strangers_templates_may(name: str) -> None:
    """Most say which setting is missing; none asks for a filter, a test or a function that is not there."""
    _, refused = outcome(f"{{% include '{name}' %}}", {})
    if refused is not None:
        assert any(word in refused.message for word in ("'spec'", "'settings'", "'table'")), refused


@pytest.mark.parametrize(
    ("template", "shown"),
    [
        ("fn f() {\n    let x = {{ tle }};\n}", "template_error 2:16: 'tle' is undefined\n    let x = {{ tle }};\n"),
        ("a\n{{ x | upppr }}", "template_syntax 2:8: no filter named 'upppr'.\n{{ x | upppr }}\n"),
        ("{% for x in [1] %}\na", "template_syntax 2:1: unexpected end of template."),
        ("a {{ 'b'.upper() }}", "template_error 1:10: a text has no 'upper'\n"),
        ("\n{% include 'nothing' %}", "template_error 2:13: there is no partial 'nothing'\n"),
        (
            "\n  {% include 'partials/digests/sha256.wgsl.j2' %}",
            "template_error 2:3: 'settings' is undefined (in partials/digests/sha256.wgsl.j2, line",
        ),
        ("{% for x in range(5000) %}", "template_syntax 1:4: unexpected end of template."),
        ("{% for x in range(5000) %}{% endfor %}", "template_limit 1:13: 'range' of 5000 numbers; the limit is 4096"),
        ("{% macro f() %}\n{{ none }}{% endmacro %}\n{{ f() }}", "template_error 2:1: none cannot be written"),
    ],
)  # fmt: skip
def test_an_error_shows_its_line_of_the_template(template: str, shown: str) -> None:
    with pytest.raises(KernelgateError) as caught:
        render(template, {})
    error = caught.value
    assert f"{error.code} {error.line}:{error.column}: {error.message}\n{error.snippet}".startswith(shown)
    assert (error.snippet or "").endswith("^")


def test_limits_are_exact() -> None:
    longest = LIMITS.source_characters
    assert len(render("x" * longest, {})) == longest
    assert render(f"{{% for i in range({MAX_RANGE}) %}}{{% endfor %}}", {}) == ""
    writes = f"{{% for i in range(64) %}}{{{{ 'x' * {longest // 64} }}}}{{% endfor %}}"
    assert len(render(writes, {})) == longest
    for template, says in (("x" * (longest + 1), "the template has"), (writes + "x", "writes more than")):
        with pytest.raises(KernelgateError, match=says) as caught:
            render(template, {})
        assert caught.value.code == "template_limit"


def test_hints_name_what_there_is() -> None:
    with pytest.raises(KernelgateError) as caught:
        render("{% include 'partials/sha256' %}", {})
    assert "partials/digests/sha256.wgsl.j2" in (caught.value.hint or "")
    with pytest.raises(KernelgateError) as caught:
        render("{{ 1 is even_number }}", {})
    assert "divisibleby" in (caught.value.hint or "")


@settings(max_examples=300)
@given(
    st.lists(st.sampled_from(WORDS), max_size=40), st.dictionaries(st.sampled_from("xy"), st.integers(0, 9))
)
def test_any_text_is_rendered_or_refused_with_a_record_that_can_be_sent(
    words: list[str], params: dict[str, Scalar]
) -> None:
    template = textwrap.dedent(" ".join(words))
    text, refused = outcome(template, params)
    assert len(text.encode()) <= 4 * LIMITS.source_characters
    assert " at 0x" not in text
    if refused is not None:
        assert refused.code in ("template_syntax", "template_error", "template_limit")
        assert refused.message.encode()
        assert refused.line is None or 1 <= refused.line <= template.count("\n") + 1


def outcome(template: str, params: dict[str, Scalar]) -> tuple[str, KernelgateError | None]:
    try:
        return render(template, params), None
    except KernelgateError as error:
        return "", error
