"""Integer constant expressions, against Python's own arithmetic."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaders.constants import Constants
from shaders.errors import KernelgateError
from shaders.limits import LIMITS
from shaders.parser import parse


def value(text: str, before: str = "") -> int:
    module = parse(f"{before}\nconst it = {text};", LIMITS)
    span = module.declarations["it"].value
    assert span is not None
    return Constants(module, LIMITS).value(span)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7", 7),
        ("7u", 7),
        ("0x1Fi", 31),
        ("0", 0),
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("10 - 4 - 3", 3),
        ("17 / 5 * 5 + 17 % 5", 17),
        ("1 << 4 | 1", 17),
        ("255 >> 4 & 3 ^ 1", 2),
        ("u32(4) * i32(2 + 1)", 12),
        ("2147483647", 2147483647),
        ("width * width", 64),
        ("later", 9),
    ],
)
def test_an_expression_has_its_value(text, expected):
    assert value(text, "const width = 8u; const later = width + one; const one: u32 = 1;") == expected


@pytest.mark.parametrize(
    "text",
    [
        *(
            "1.5",
            "1e3",
            "1f",
            "-1",
            "~0",
            "1 - 2",
            "3 / 0",
            "3 % 0",
            "1 << 32",
            "1 << 31",
            "0x1ffffffff",
            "08",
        ),
        *(
            "2147483648",
            "4294967295u",
            "max(1, 2)",
            "true",
            "unknown",
            "n",
            "v",
            "1 +",
            "1 2",
            "f32(1)",
            "1 < 2",
        ),
        *("3u + over", "(1", "1)", "()", "x.y"),
    ],
)
def test_what_is_not_plain_is_refused(text):
    with pytest.raises(KernelgateError):
        value(text, "override n = 1; var<private> v: u32; const over = 2147483647u + 1u;")


TREES = st.recursive(
    st.integers(0, 40).map(str),
    lambda inner: st.tuples(
        inner, st.sampled_from(["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^"]), inner
    ).map(lambda parts: f"({parts[0]} {parts[1]} {parts[2]})"),
    max_leaves=12,
)


def by_python(text: str) -> int | None:
    """What Python makes of `text`, None where a value on the way is outside 0 up to 2^31."""

    class Checked(int):
        pass

    def check(result: int) -> Checked:
        if not 0 <= result < 1 << 31:
            raise OverflowError
        return Checked(result)

    operators = {"add": int.__add__, "sub": int.__sub__, "mul": int.__mul__, "floordiv": int.__floordiv__}
    operators |= {"mod": int.__mod__, "and": int.__and__, "or": int.__or__, "xor": int.__xor__}
    for name, operator in operators.items():
        setattr(Checked, f"__{name}__", lambda a, b, operator=operator: check(operator(a, b)))
    shift = {"lshift": int.__lshift__, "rshift": int.__rshift__}
    for name, operator in shift.items():
        setattr(
            Checked, f"__{name}__", lambda a, b, operator=operator: check(operator(a, b) if b < 32 else -1)
        )
    names: dict[str, object] = {"Checked": Checked}
    numbers = "".join(
        f"Checked({part})" if part.isdigit() else part for part in _words(text.replace("/", "//"))
    )
    try:
        return int(eval(numbers, names))
    except (OverflowError, ZeroDivisionError):
        return None


def _words(text: str) -> list[str]:
    return text.replace("(", " ( ").replace(")", " ) ").split()


@given(TREES)
def test_brackets_and_operators_agree_with_python(text):
    expected = by_python(text)
    if expected is None:
        with pytest.raises(KernelgateError):
            value(text)
    else:
        assert value(text) == expected


@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from("+*&|")), min_size=1, max_size=8))
def test_precedence_agrees_with_python(pairs):
    text = " ".join(f"{number} {operator}" for number, operator in pairs) + " 1"
    assert value(text) == eval(text)
