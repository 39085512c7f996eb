"""SHA-256 as rendered, run by whatever adapter there is, against `hashlib`."""

import hashlib
import random
from collections.abc import Sequence

import pytest
import wgpu

from shaders.digests import DIGESTS, digest_passes, digest_spec
from shaders.generator import WgslGenerator
from shaders.pack import pack_params
from shaders.spec import KernelSpec

SHA256 = DIGESTS["sha256"]


def words(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


def run(
    device, spec: KernelSpec, data: bytes, offsets: Sequence[int], passes: list[dict[str, int]]
) -> list[bytes]:
    """The digests that `spec` computes over `passes`; the state starts as rubbish."""
    count = len(offsets) - 1
    usage = wgpu.BufferUsage
    packed = b"".join(offset.to_bytes(4, "little") for offset in offsets)
    flags = usage.STORAGE | usage.COPY_SRC
    buffers = [
        device.create_buffer_with_data(data=raw, usage=flags) for raw in (data, packed, b"\xa5" * 32 * count)
    ]
    module = device.create_shader_module(code=WgslGenerator().render(spec))
    pipeline = device.create_compute_pipeline(
        layout="auto", compute={"module": module, "entry_point": "main"}
    )
    for values in passes:
        uniform = device.create_buffer_with_data(
            data=pack_params(
                spec, {"count": count, "bytes": len(data), "first": 0, "extent": 1 << 30, **values}
            ),
            usage=usage.UNIFORM,
        )
        group = device.create_bind_group(
            layout=pipeline.get_bind_group_layout(0),
            entries=[
                {"binding": number, "resource": {"buffer": buffer, "offset": 0, "size": buffer.size}}
                for number, buffer in enumerate([*buffers, uniform])
            ],
        )
        encoder = device.create_command_encoder()
        compute = encoder.begin_compute_pass()
        compute.set_pipeline(pipeline)
        compute.set_bind_group(0, group)
        compute.dispatch_workgroups(-(-count // 64))
        compute.end()
        device.queue.submit([encoder.finish()])
    raw = bytes(device.queue.read_buffer(buffers[2]))
    return [
        b"".join(raw[i : i + 4][::-1] for i in range(message * 32, message * 32 + 32, 4))
        for message in range(count)
    ]


def join(messages: Sequence[bytes], lead: int = 0) -> tuple[bytes, list[int]]:
    """All of `messages` after `lead` bytes of rubbish, and where each begins and ends."""
    offsets = [lead]
    for message in messages:
        offsets.append(offsets[-1] + len(message))
    return b"\xff" * lead + b"".join(messages), offsets


def every_length(longest: int) -> list[bytes]:
    random_bytes = random.Random(longest).randbytes
    return [random_bytes(length) for length in range(longest + 1)]


@pytest.mark.parametrize("lead", range(4))
def test_every_length_at_every_alignment_matches_hashlib(device, lead):
    messages = every_length(200)
    data, offsets = join(messages, lead)
    digests = run(device, digest_spec(SHA256, 200), words(data), offsets, digest_passes(SHA256, 200))
    assert digests == [hashlib.sha256(message).digest() for message in messages]


def test_the_kernel_for_short_messages_matches_hashlib(device):
    messages = every_length(55) * 3
    data, offsets = join(messages, 1)
    digests = run(device, digest_spec(SHA256, 55), words(data), offsets, digest_passes(SHA256, 55))
    assert digests == [hashlib.sha256(message).digest() for message in messages]


@pytest.mark.parametrize("blocks", [1, 2, 3])
def test_a_message_goes_on_from_its_middle_in_the_next_pass(device, blocks):
    messages = every_length(400)[::7]
    data, offsets = join(messages, 2)
    total = (400 + 8) // 64 + 1
    passes = [
        {"first_block": first, "blocks": blocks, "last": int(first + blocks >= total)}
        for first in range(0, total, blocks)
    ]
    digests = run(device, digest_spec(SHA256), words(data), offsets, passes)
    assert digests == [hashlib.sha256(message).digest() for message in messages]


def test_messages_longer_than_a_pass_match_hashlib(device):
    messages = [
        random.Random(1).randbytes(length) for length in (8_000 * 64 + 7, 3, 8_000 * 64 - 9, 8_000 * 128, 70)
    ]
    data, offsets = join(messages, 3)
    passes = digest_passes(SHA256, 8_000 * 128)
    assert [(each["first_block"], each["last"]) for each in passes] == [(0, 0), (8_000, 0), (16_000, 1)]
    digests = run(device, digest_spec(SHA256), words(data), offsets, passes)
    assert digests == [hashlib.sha256(message).digest() for message in messages]


@pytest.mark.parametrize("limit", [55, 119])
def test_a_message_over_the_stated_longest_gets_zeros_not_a_wrong_digest(device, limit):
    messages = [b"a" * limit, b"b" * (limit + 1), b"c"]
    data, offsets = join(messages)
    digests = run(device, digest_spec(SHA256, limit), words(data), offsets, digest_passes(SHA256, limit))
    assert digests == [hashlib.sha256(messages[0]).digest(), bytes(32), hashlib.sha256(b"c").digest()]


@pytest.mark.parametrize("limit", [55, 200])
def test_offsets_outside_the_data_or_out_of_order_get_zeros(device, limit):
    offsets = [0, 4, 2, 9, 0xFFFFFFFF, 8]
    digests = run(device, digest_spec(SHA256, limit), b"abcdefgh", offsets, digest_passes(SHA256, limit))
    assert digests == [hashlib.sha256(b"abcd").digest()] + [bytes(32)] * 4
