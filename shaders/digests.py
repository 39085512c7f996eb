"""The digests that Kernelgate ships, one row each, and the kernel that they share.

Owns what tells one digest from another (block, words, padding, state), the text around a digest's own rounds, and how
long messages are cut into dispatches. The rounds are partials in `shaders/templates/partials/digests/`. Must not know
tensors or devices.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from shaders.digest_constants import CRC32, CRC32C, CRC64, KECCAK_ROUNDS, SHA2_512_ROUNDS
from shaders.spec import Binding, KernelSpec, Param, Setting

TURNS_A_PASS = 8_000
"""The most turns that the loops of one dispatch take.

llvmpipe ends every loop of a group of 8 invocations after 65 535 turns in all, without an error; a group whose
messages differ in length may count each one's turns, so that only 8 191 are safe.
"""

SEEN = ("bytes", "first", "extent")
"""The parameters of kernels that read messages: how many bytes all have, and which words the binding `data` is.

It has `extent` words from `first` on, and behind them what is read of messages from there at a time. What begins
elsewhere is left to a dispatch that sees that.
"""

Order = Literal["little", "big"]
Form = Literal["plain", "continued", "composed"]


@dataclass(frozen=True, slots=True)
class Digest:
    """What a digest is, but for its rounds.

    A message is cut into blocks of `block_words` words, in each of which the first byte is the least (`little`) or
    most (`big`) significant. `padding` says what follows a message: `length` a byte `marker`, zeros, and the number
    of bits in the last `length_words` words; `sponge` a byte `marker`, zeros, and the highest bit of the block;
    `zeros` only zeros, with a last block that is never whole (it may be empty); `fill` only zeros, with a last block
    that may be whole.

    The state is `state_words` words, a multiple of four, that begin as `initial`, or as the partial's own function
    says (`initial` empty). The digest is its first `digest_words`. `constants` are numbers that the rounds read at
    run time; `turns` how many turns the rounds of one block loop; `seed` the parameters that a message's hash
    depends on; `finish` whether the partial has a step after the last block; `wide` whether it computes with 64 bits.
    `work` is about how many multiply-adds a block costs, measured on llvmpipe.
    Where a digest is a tree of chunks of `chunk_bytes`, the kernel has a binding more: `stack`, which holds `levels`
    states for each message.
    """

    name: str
    partial: str
    block_words: int
    state_words: int
    digest_words: int
    order: Order
    padding: Literal["length", "sponge", "zeros", "fill"]
    initial: tuple[int, ...] = ()
    marker: int = 0x80
    length_words: int = 2
    constants: tuple[int, ...] = ()
    turns: int = 0
    seed: tuple[str, ...] = ()
    finish: bool = False
    wide: bool = False
    chunk_bytes: int = 0
    work: int = 128

    @property
    def block_bytes(self) -> int:
        """The size of a block."""
        return 4 * self.block_words

    @property
    def short_bytes(self) -> int:
        """The longest message that is one block with its padding."""
        overhead = {"length": 1 + 4 * self.length_words, "sponge": 1, "zeros": 1, "fill": 0}
        return self.block_bytes - overhead[self.padding]

    def levels(self, length: int) -> int:
        """How many subtrees of a message of `length` bytes wait at once."""
        return max(1, (length // self.chunk_bytes).bit_length())

    def blocks(self, length: int) -> int:
        """How many blocks a message of `length` bytes fills, padding included."""
        if self.padding == "fill":
            return max(1, -(-length // self.block_bytes))
        return (length + self.block_bytes - 1 - self.short_bytes) // self.block_bytes + 1


_SHA1 = (0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0, 0, 0, 0)
_SHA224 = (
    0xC1059ED8, 0x367CD507, 0x3070DD17, 0xF70E5939, 0xFFC00B31, 0x68581511, 0x64F98FA7, 0xBEFA4FA4,
)  # fmt: skip
_SHA256 = (
    0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19,
)  # fmt: skip
_SHA384 = (
    0xCBBB9D5D, 0xC1059ED8, 0x629A292A, 0x367CD507, 0x9159015A, 0x3070DD17, 0x152FECD8, 0xF70E5939,
    0x67332667, 0xFFC00B31, 0x8EB44A87, 0x68581511, 0xDB0C2E0D, 0x64F98FA7, 0x47B5481D, 0xBEFA4FA4,
)  # fmt: skip
_SHA512 = (
    0x6A09E667, 0xF3BCC908, 0xBB67AE85, 0x84CAA73B, 0x3C6EF372, 0xFE94F82B, 0xA54FF53A, 0x5F1D36F1,
    0x510E527F, 0xADE682D1, 0x9B05688C, 0x2B3E6C1F, 0x1F83D9AB, 0xFB41BD6B, 0x5BE0CD19, 0x137E2179,
)  # fmt: skip
_SHA512_LITTLE = tuple(word for high in range(0, 16, 2) for word in (_SHA512[high + 1], _SHA512[high]))
_BLAKE2S = (_SHA256[0] ^ 0x01010020, *_SHA256[1:])
_BLAKE2B = (_SHA512_LITTLE[0] ^ 0x01010040, *_SHA512_LITTLE[1:])


def _keccak(name: str, rate: int, digest_words: int, marker: int) -> Digest:
    return Digest(
        name, "keccak", rate // 4, 52, digest_words, "little", "sponge", (0,) * 52, marker,
        constants=KECCAK_ROUNDS, turns=24, wide=True, work=1024,
    )  # fmt: skip


def _sha512(name: str, digest_words: int, initial: tuple[int, ...]) -> Digest:
    return Digest(
        name, "sha512", 32, 16, digest_words, "big", "length", initial, 0x80, 4, SHA2_512_ROUNDS, 5, wide=True,
        work=768,
    )  # fmt: skip


def _checksum(name: str, partial: str, table: tuple[int, ...], words: int = 1) -> Digest:
    initial = (0xFFFFFFFF,) * words + (0,) * (4 - words)
    return Digest(name, partial, 4, 4, words, "little", "zeros", initial, constants=table, work=96)


_ROWS = (
    Digest("sha256", "sha256", 16, 8, 8, "big", "length", _SHA256, work=160),
    Digest("sha224", "sha256", 16, 8, 7, "big", "length", _SHA224, work=160),
    Digest("sha256d", "sha256", 16, 8, 8, "big", "length", _SHA256, finish=True, work=160),
    Digest("sha1", "sha1", 16, 8, 5, "big", "length", _SHA1),
    Digest("md5", "md5", 16, 4, 4, "little", "length", _SHA1[:4]),
    Digest("ripemd160", "ripemd160", 16, 8, 5, "little", "length", _SHA1, work=192),
    _checksum("crc32", "crc32", CRC32),
    _checksum("crc32c", "crc32", CRC32C),
    _checksum("crc64", "crc64", CRC64, 2),
    Digest("adler32", "adler32", 4, 4, 1, "little", "zeros", (1, 0, 0, 0), work=64),
    Digest("murmur3", "murmur3", 4, 4, 1, "little", "zeros", seed=("seed_low",), work=32),
    Digest(
        "xxhash64",
        "xxhash64",
        8,
        8,
        2,
        "little",
        "zeros",
        wide=True,
        seed=("seed_low", "seed_high"),
        work=192,
    ),
    Digest(
        "siphash",
        "siphash",
        4,
        8,
        2,
        "little",
        "zeros",
        wide=True,
        seed=("key0", "key1", "key2", "key3"),
        work=64,
    ),
    _sha512("sha512", 16, _SHA512),
    _sha512("sha384", 12, _SHA384),
    _keccak("sha3_256", 136, 8, 0x06),
    _keccak("sha3_512", 72, 16, 0x06),
    _keccak("keccak256", 136, 8, 0x01),
    _keccak("shake128", 168, 0, 0x1F),
    _keccak("shake256", 136, 0, 0x1F),
    Digest("blake2s", "blake2s", 16, 8, 8, "little", "fill", _BLAKE2S, work=256),
    Digest("blake3", "blake3", 16, 8, 8, "little", "fill", _SHA256, turns=1, chunk_bytes=1024, work=256),
    Digest("blake2b", "blake2b", 32, 16, 16, "little", "fill", _BLAKE2B, wide=True, work=704),
)
DIGESTS = {row.name: row for row in _ROWS}
"""Every digest of the shared kernel, by name. Those of no `digest_words` give as many as are asked for."""

_SHORT_BODY = """
if in_data(start, end) && !in_window(start) {{
    return;
}}
let chain = digest_absorb({start}, digest_pad(digest_read(start), length, 0u), 0u, length);
finish(thread, {finish}, in_data({begin}, end) && digest_blocks(length) == 1u);
"""

_LONG_BODY = """
let total = digest_blocks(length);
let at = select(start + params.first_block * digest_block_bytes, {begin}, params.first_block == 0u);
if params.first_block >= total || (in_data({begin}, end) && !in_window(at)) {{
    return;
}}
var chain = {start};
if params.first_block > 0u {{
    chain = load(thread);
}}
let stop = min(total, params.first_block + params.blocks);
// Tested at its head: of a loop left in its midst only, llvmpipe may give those that leave first values of later turns.
for (var index = params.first_block; index < stop; index++) {{
    let block = digest_pad(digest_read(start + index * digest_block_bytes), length, index);
    chain = digest_absorb(chain, block, index, length);
}}
finish(thread, {finish}, in_data({begin}, end) && (params.last == 0u || stop == total));
"""

_HEAD = """
if thread >= params.count {
    return;
}
let start = offsets[thread];
let end = offsets[thread + 1u];
let length = end - start;
"""

_COMPOSED_HEAD = """
if thread >= params.count {
    return;
}
digest_message = thread;
let first = select(thread, 0u, params.one_for_all == 1u);
let begin = offsets[first];
let end = offsets[first + 1u];
let start = begin - params.lead;
let length = end - start;
"""

_TREE_HEAD = _HEAD + "digest_message = thread;\n"


def digest_spec(digest: Digest, max_bytes: int | None = None, form: Form = "plain") -> KernelSpec:
    """The kernel that hashes `count` messages by `digest`, one invocation each.

    Bindings, in order:

    * `data`: the bytes of all messages, packed into `u32` words, the first byte of a word the least significant.
      Messages may begin and end at any byte.
    * `offsets`: `count + 1` numbers (`u32`): message `i` is the bytes `offsets[i]` up to `offsets[i + 1]`.
    * `state` (read_write): `count * state_words` words (`u32`, bound as `vec4<u32>`): after the last pass it begins
      with the digest of each message, its words as numbers. Its content before the first pass does not matter.

    In the form `continued` each message goes on from its state, with `prefix` bytes (a parameter, whole blocks) hashed
    before it. In the form `composed`, moreover, more than its bytes is hashed: before them `lead` bytes (a parameter:
    the size of a digest, or 0), the digest with which the message's row of the binding `before` (`state_words` wide)
    begins, and after them the first `tail_bytes` (1 to 4) of the word `tail`, its most significant byte first. With
    `one_for_all` (1 or 0) all messages of that form take the first two offsets.

    Workgroups: `ceil(count / 64)`, over x, then y. Parameters: `count`, `SEEN`, those of the digest, and for each pass
    what `digest_passes` gives. The passes run one after the other on the same `state`, which carries the chaining value
    from one to the next; a message that is over is skipped.

    `max_bytes` is the longest message, None when unknown; give the same to `digest_passes`. Where a message is one
    block it chooses a kernel without a loop, a third faster. A message that is longer than the passes reach, or whose
    offsets are not in order or lie outside `data`, gets a digest of zeros, never a wrong one.
    """
    is_short = max_bytes is not None and max_bytes <= digest.short_bytes and form != "composed"
    is_tree = bool(digest.chunk_bytes)
    inputs = [Binding("data", "u32"), Binding("offsets", "u32")]
    inputs += [Binding("before", "vec4<u32>")] * (form == "composed")
    outputs = ["state", *["stack"] * is_tree]
    partials = (*("wide",) * digest.wide, "digest", f"digests/{digest.partial}")
    return KernelSpec(
        name=f"{digest.name}_short" if is_short else digest.name,
        inputs=tuple(inputs),
        outputs=tuple(Binding(name, "vec4<u32>", "read_write") for name in outputs),
        params=_params(digest, form),
        body=_body(digest, is_short, form),
        partials=partials,
        settings=(
            *digest_settings(digest),
            ("read_words", _read_words(digest, is_short)),
            ("continued", int(form != "plain")),
            ("composed", int(form == "composed")),
            ("short", int(is_short)),
        ),
    )


def _params(digest: Digest, form: Form) -> tuple[Param, ...]:
    return (
        Param("count"),
        *(Param("levels"),) * bool(digest.chunk_bytes),
        Param("first_block", default=0),
        Param("blocks", default=TURNS_A_PASS),
        Param("last", default=1),
        *(Param("prefix"),) * (form != "plain"),
        *map(Param, ("lead", "tail", "tail_bytes", "one_for_all") * (form == "composed")),
        *map(Param, SEEN),
        *map(Param, digest.seed),
        *(Param("constants", length=len(digest.constants)),) * bool(digest.constants),
    )


def _body(digest: Digest, is_short: bool, form: Form) -> str:
    """The statements around a digest's own rounds."""
    head = _COMPOSED_HEAD if form == "composed" else _TREE_HEAD if digest.chunk_bytes else _HEAD
    finished = "digest_finish(chain)" if is_short else "finished(chain, stop == total)"
    return head + (_SHORT_BODY if is_short else _LONG_BODY).format(
        start="digest_start()" if form == "plain" else "load(thread)",
        finish=finished if digest.finish else "chain",
        begin="begin" if form == "composed" else "start",
    )


def _read_words(digest: Digest, is_short: bool) -> int:
    """How many words of a block a message can have: in a single one the length takes up the last."""
    has_length = is_short and digest.padding == "length"
    return digest.block_words - (digest.length_words if has_length else 0)


def digest_settings(digest: Digest) -> tuple[tuple[str, Setting], ...]:
    """What the partials of `digest` read, wherever its rounds are used."""
    return (
        ("block_words", digest.block_words),
        ("state_words", digest.state_words),
        ("digest_words", digest.digest_words),
        ("order", digest.order),
        ("padding", digest.padding),
        ("marker", digest.marker),
        ("length_words", digest.length_words),
        ("initial", digest.initial),
        ("finish", int(digest.finish)),
        ("tree", int(digest.chunk_bytes > 0)),
        ("composed", 0),
    )


def blocks_a_pass(digest: Digest) -> int:
    """The most blocks of a message that one dispatch hashes."""
    return TURNS_A_PASS // (digest.turns + 1)


def digest_passes(digest: Digest, max_bytes: int, step: int | None = None) -> list[dict[str, int]]:
    """The parameters `first_block`, `blocks` and `last` of each dispatch that messages of up to `max_bytes` take.

    Each hashes `step` blocks of every message, by default as many as it may.
    """
    total = digest.blocks(max_bytes)
    step = step or blocks_a_pass(digest)
    return [
        {"first_block": first, "blocks": min(step, total - first), "last": int(first + step >= total)}
        for first in range(0, total, step)
    ]


def squeeze_spec(digest: Digest) -> KernelSpec:
    """The kernel that makes of the `state` of each of `count` sponges the one whose block is the next output."""
    return KernelSpec(
        name=f"{digest.name}_squeeze",
        inputs=(),
        outputs=(Binding("state", "vec4<u32>", "read_write"),),
        params=(Param("count"), Param("constants", length=len(digest.constants))),
        body="if thread >= params.count {\n    return;\n}\nstore(thread, digest_next(load(thread)));",
        partials=("wide", "digest", f"digests/{digest.partial}"),
        settings=digest_settings(digest),
    )
