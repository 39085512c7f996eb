"""How the hash of a message is cut into dispatches, by the example of SHA-256."""

import pytest

from shaders.digests import DIGESTS, TURNS_A_PASS, digest_passes, digest_spec

SHA256 = DIGESTS["sha256"]


@pytest.mark.parametrize(
    ("max_bytes", "expected"),
    [
        (0, [(0, 1, 1)]),
        (55, [(0, 1, 1)]),
        (56, [(0, 2, 1)]),
        (64 * 8_000 - 9, [(0, 8_000, 1)]),
        (64 * 8_000 - 8, [(0, 8_000, 0), (8_000, 1, 1)]),
    ],
)
def test_passes_cover_the_longest_message_with_its_padding(max_bytes, expected):
    passes = digest_passes(SHA256, max_bytes)
    assert [(each["first_block"], each["blocks"], each["last"]) for each in passes] == expected


@pytest.mark.parametrize("max_bytes", [1, 1_000_000, 1 << 26])
def test_no_pass_turns_more_often_than_llvmpipe_allows(max_bytes):
    passes = digest_passes(SHA256, max_bytes)
    assert max(each["blocks"] for each in passes) <= TURNS_A_PASS
    assert TURNS_A_PASS * 8 < 65_535
    assert sum(each["blocks"] for each in passes) == (max_bytes + 8) // 64 + 1


def test_short_messages_get_the_kernel_without_a_loop():
    assert digest_spec(SHA256, 55).name == "sha256_short"
    assert "loop" not in digest_spec(SHA256, 55).body
    assert digest_spec(SHA256, 56).name == digest_spec(SHA256).name == "sha256"
