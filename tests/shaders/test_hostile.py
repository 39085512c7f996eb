"""Kernels that must be refused, one a file: its first line says with which code, where, and in which words."""

import re
from pathlib import Path

import pytest

from shaders.errors import KernelgateError
from shaders.limits import LIMITS
from shaders.reflect import reflect

FILES = sorted((Path(__file__).parent / "hostile").glob("*.wgsl"))
HEADER = re.compile(r"// (\w+) (?:(\d+):(\d+)|-) (.+)")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_hostile_kernel_is_refused_where_and_why_its_first_line_says(path):
    source = path.read_text()
    expected = HEADER.match(source)
    assert expected is not None
    code, line, column, message = expected.groups()
    with pytest.raises(KernelgateError) as caught:
        reflect(source)
    error = caught.value
    assert (error.code, error.message) == (code, message)
    assert (error.line, error.column) == (line and int(line), column and int(column))
    assert (error.snippet is None) == (line is None)


def test_the_folder_of_hostile_kernels_is_not_empty():
    assert len(FILES) > 80


@pytest.mark.parametrize(
    "source",
    ["(" * 100_000, "/*" * 50_000, "x" * 10_000_000, "// " + "a" * 100_000_000],
    ids=["brackets", "comments", "name", "comment"],
)
def test_a_source_over_the_limit_is_refused_unread(source):
    with pytest.raises(KernelgateError, match=f"the limit is {LIMITS.source_characters}") as caught:
        reflect(source)
    assert caught.value.code == "kernel_limit"


@pytest.mark.parametrize(
    ("text", "what"), [("\0", "a NUL character"), ("\ud800", "half of a surrogate pair")]
)
def test_what_no_text_may_hold_is_refused_even_in_a_comment(text, what):
    with pytest.raises(KernelgateError, match=f"the source contains {what}") as caught:
        reflect(f"// one\n// a{text}b\n")
    assert (caught.value.code, caught.value.line, caught.value.column) == ("kernel_syntax", 2, 5)
    assert caught.value.snippet == "// a\N{REPLACEMENT CHARACTER}b\n    ^"
