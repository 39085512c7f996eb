"""The random streams of the façade are NumPy's for the same seeds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sandbox.numpy.twin import check

LINES = (Path(__file__).parent / "streams.txt").read_text().splitlines()
EXPRESSIONS = [line for line in LINES if line.strip() and not line.startswith("#")]
# A logarithm or an exponential of another library, or a table that is made here, may differ in the last bit.
LOOSE = (
    "exponential",
    "gamma",
    "beta",
    "lognormal",
    "laplace",
    "chisquare",
    "dirichlet",
    "standard_t",
    "triangular",
)


@pytest.mark.parametrize("source", EXPRESSIONS)
def test_a_stream_is_numpys(source: str) -> None:
    check(source, exact=not any(word in source for word in LOOSE))
