"""Bodies as arrays of byte strings: lines and blocks, however they come in pieces."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import httpx2
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

PIECES = st.lists(st.binary(max_size=30) | st.sampled_from([b"\n", b"\n\n", b"a\nb", b"\r\n"]), max_size=8)


def upload(http: httpx2.Client, query: str, pieces: list[bytes]) -> tuple[list[bytes], dict[str, Any]]:
    """The strings that the server made of a body, read back by their offsets, and its answer."""

    def body() -> Iterator[bytes]:
        yield from (piece for piece in pieces if piece)

    answer = http.post(f"/api/tensors?{query}", content=body())
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()["tensors"]
    data, offsets = (
        http.get(f"/api/tensors/{made[name]['id']}/data?format=raw").content for name in ("bytes", "offsets")
    )
    assert len(data) == 4 * made["bytes"]["shape"][0]
    ends = np.frombuffer(offsets, "<u4").tolist()
    assert len(ends) == made["offsets"]["shape"][0]
    assert not data[ends[-1] :].strip(b"\0")
    return [data[begin:end] for begin, end in pairwise(ends)], made


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(PIECES)
def test_lines_are_strings_without_their_line_feeds(http: httpx2.Client, pieces: list[bytes]) -> None:
    expected = b"".join(pieces).split(b"\n")
    expected = expected if expected[-1] else expected[:-1]
    assert upload(http, "split=lines", pieces)[0] == expected


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(PIECES, st.integers(1, 40))
def test_blocks_are_strings_of_one_length_but_the_last(
    http: httpx2.Client, pieces: list[bytes], size: int
) -> None:
    body = b"".join(pieces)
    expected = [body[start : start + size] for start in range(0, len(body), size)]
    assert upload(http, f"block={size}", pieces)[0] == expected


def test_a_file_of_lines_is_hashed_where_it_lies(http: httpx2.Client) -> None:
    lines = [b"line %d" % number for number in range(20_000)]
    found, made = upload(http, "split=lines", [b"\n".join(lines)])
    assert found == lines
    inputs = [{"$tensor": {"id": made[name]["id"]}} for name in ("bytes", "offsets")]
    output = http.post("/api/ops/sha256", json={"inputs": inputs}).json()["output"]["$tensor"]
    raw = http.get(f"/api/tensors/{output['id']}/data?format=raw").content
    digests = np.frombuffer(raw, "<u4").astype(">u4").tobytes()
    assert digests == b"".join(hashlib.sha256(line).digest() for line in lines)


@pytest.mark.parametrize(
    "query",
    ["split=words", "split=lines&block=2", "block=0", "block=-1", "block=x", "block=", f"block={1 << 40}"],
)
def test_a_way_to_split_that_there_is_not_is_refused(http: httpx2.Client, query: str) -> None:
    answer = http.post(f"/api/tensors?{query}", content=b"a\nb")
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")


def test_offsets_beyond_the_limit_of_a_tensor_are_refused(start: Any) -> None:
    with start(upload_bytes=4096) as running:
        answer = running.http.post("/api/tensors?split=lines", content=b"\n" * 2000)
        assert answer.json()["code"] == "malformed_tensor"
        assert "strings have over 4096 bytes" in answer.json()["detail"]
        assert (
            running.http.post("/api/tensors?block=1", content=b"a" * 2000).json()["code"]
            == "malformed_tensor"
        )
        assert (
            running.http.post("/api/tensors?block=9", content=b"a" * 4097).json()["code"] == "body_too_large"
        )
        assert running.http.post("/api/tensors?block=9", content=b"a" * 4096).status_code == 201


def test_a_split_body_does_not_replace_a_tensor(http: httpx2.Client) -> None:
    made = http.post("/api/tensors?block=2", content=b"abc").json()["tensors"]
    answer = http.put(f"/api/tensors/{made['bytes']['id']}?block=2", content=b"abc")
    assert answer.json()["code"] == "invalid_request"
