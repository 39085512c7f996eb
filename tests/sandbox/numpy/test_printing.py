"""Arrays are written as NumPy 2 writes them."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.sandbox.numpy.twin import check

ARRAYS = [
    "np.array([0.1, 0.25, 1 / 3])",
    "np.array([1.0, 2.0])",
    "np.array([1e-5, 1.0])",
    "np.array([1e10, 1.0])",
    "np.array([1e8])",
    "np.array([99999999.0])",
    "np.array([123456.789, 0.001])",
    "np.array([1e-300, 1e300])",
    "np.array([1e100, np.nan, -np.inf])",
    "np.array([np.nan, 1.5, np.inf])",
    "np.array([np.nan, np.nan])",
    "np.array([-np.inf, 1.0])",
    "np.array([-0.0, 0.0])",
    "np.array([-1.5, 22.25, 333.125])",
    "np.array([0.123456785, 0.123456775, 2.5])",
    "np.array([1234.56789012345])",
    "np.array([1e-4, 1e-3])",
    "np.array([1.0, 1001.0])",
    "np.array([1000.0, 1.0])",
    "np.array([5e-324, 1.7976931348623157e308])",
    "np.arange(30) * 0.1",
    "np.arange(100)",
    "np.arange(100.0).reshape(10, 10)",
    "np.arange(1001)",
    "np.arange(1000)",
    "np.arange(3000.0).reshape(3, 1000)",
    "np.arange(4000).reshape(1000, 2, 2)",
    "np.arange(8000).reshape(20, 20, 20)",
    "np.zeros((2, 2, 2, 2))",
    "np.zeros((3, 0, 2))",
    "np.zeros((0,), dtype=int)",
    "np.array([], dtype=bool)",
    "np.array([[True, False], [False, True]])",
    "np.array([True])",
    "np.array(True)",
    "np.array(3)",
    "np.array(1e-5)",
    "np.array(np.nan)",
    "np.array([-1, 10, 100])",
    "np.array([[1, -20], [300, 4]])",
    "np.array([0.1, 0.2], dtype=np.float32)",
    "np.array([1e7, 1.5], dtype=np.float32)",
    "np.array([1 / 3, 1e-3], dtype=np.float32)",
    "np.array([16777216.0], dtype=np.float32)",
    "np.array([1, 2], dtype=np.int32)",
    "np.arange(40, dtype=np.int32) * 100000",
    "np.arange(2000, dtype=np.int16)",
    "np.array([1, 2], dtype=np.uint8)",
    "np.ones((1, 1))",
    "np.arange(12.0).reshape(3, 4)[:, ::2]",
    "np.linspace(0, 1, 11)",
    "np.random.default_rng(0).normal(size=(5, 4))",
    "np.random.default_rng(0).normal(size=50) * 1e5",
    "np.eye(3) * 1e-9",
    "[np.float64(1.5), np.int64(2), np.True_]",
    "{'a': np.float64(0.5)}",
    "(np.arange(3), np.array([0.5]))",
    "[np.arange(20.0).reshape(2, 10)]",
]


@pytest.mark.parametrize("source", ARRAYS)
def test_the_text_of_an_array_is_numpys(source: str) -> None:
    check(f"repr({source})")
    check(f"str({source})")


OPTIONS = [
    "precision=3",
    "precision=0",
    "suppress=True",
    "precision=2, suppress=True",
    "threshold=5",
    "threshold=5, edgeitems=1",
    "linewidth=30",
    "floatmode='fixed', precision=4",
    "floatmode='unique'",
    "floatmode='maxprec_equal'",
    "sign='+'",
    "sign=' '",
    "nanstr='NA', infstr='big'",
    "formatter={'float': lambda x: f'{x:.1f}'}",
]
SAMPLES = [
    "np.array([0.1, 22.123456789, 1 / 3])",
    "np.array([1e-10, 1.0, 3.0])",
    "np.array([1e10, 1.0])",
    "np.arange(12.0).reshape(2, 6) / 7",
    "np.array([np.nan, np.inf, -1.5])",
    "np.arange(10)",
    "np.array([-1, 2])",
]


@pytest.mark.parametrize("options", OPTIONS)
def test_the_print_options_are_numpys(options: str) -> None:
    for sample in SAMPLES:
        shown = "t = [repr(a), str(a)]; c.__exit__(None, None, None); t"
        check(f"a = {sample}; c = np.printoptions({options}); c.__enter__(); {shown}")


@pytest.mark.parametrize(
    "call",
    [
        "np.array2string(np.array([1.5, 2]), separator=', ')",
        "np.array2string(np.array([1 / 3]), precision=2)",
        "np.array2string(np.arange(6).reshape(2, 3), prefix='x = ')",
        "np.array2string(np.array([1.0, 2]), formatter={'float_kind': lambda x: f'{x:.2f}'})",
        "np.array_str(np.array([1 / 3]), precision=3)",
        "np.array_repr(np.array([1e-9]), suppress_small=True)",
        "np.get_printoptions()['precision']",
    ],
)
def test_the_functions_of_printing_are_numpys(call: str) -> None:
    check(call)


floats = st.one_of(
    st.floats(width=64),
    st.floats(-1000, 1000),
    st.integers(-50, 50).map(float),
    st.sampled_from([0.1, 0.25, 1e8, 1e-4]),
)


@settings(max_examples=250, suppress_health_check=list(HealthCheck))
@given(st.lists(floats, max_size=14), st.booleans())
def test_any_floats_are_written_as_numpy_does(items: list[float], narrow: bool) -> None:
    listed = "[" + ", ".join(_source(item) for item in items) + "]"
    check(f"repr(np.array({listed}, dtype=np.{'float32' if narrow else 'float64'}))")


def _source(item: float) -> str:
    return f"float('{item!r}')"
