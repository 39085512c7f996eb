// kernel blake2s_short
@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read> offsets: array<u32>;
@group(0) @binding(2) var<storage, read_write> state: array<vec4<u32>>;

struct Params {
    count: u32,
    first_block: u32,
    blocks: u32,
    last: u32,
    bytes: u32,
    first: u32,
    extent: u32,
    first_thread: u32,
}

@group(0) @binding(3) var<uniform> params: Params;

const digest_block_bytes = 64u;

// The chaining value.
struct DigestState {
    q0: vec4<u32>,
    q1: vec4<u32>,
}

// A block of a message: 16 words, the first byte of each the least significant.
struct DigestBlock {
    q0: vec4<u32>,
    q1: vec4<u32>,
    q2: vec4<u32>,
    q3: vec4<u32>,
}

fn digest_start() -> DigestState {
    return DigestState(
        vec4<u32>(1795745351u, 3144134277u, 1013904242u, 2773480762u),
        vec4<u32>(1359893119u, 2600822924u, 528734635u, 1541459225u),
    );
}

fn load(message: u32) -> DigestState {
    return DigestState(
        state[message * 2u],
        state[message * 2u + 1u],
    );
}

fn store(message: u32, chain: DigestState) {
    state[message * 2u] = chain.q0;
    state[message * 2u + 1u] = chain.q1;
}

// How many blocks a message of `length` bytes fills, padding included.
fn digest_blocks(length: u32) -> u32 {
    return max(1u, length / 64u + select(0u, 1u, length % 64u > 0u));
}

// How many bytes of a message of `length` bytes remain where block `index` begins, at most a block; negative when the
// message ended in the block before.
fn digest_left(length: u32, index: u32) -> i32 {
    return select(i32(length - index * 64u), 64, length / 64u > index);
}

// Four words of a byte stream whose first byte is the least significant of each word of `low`, begun `shift` bits into
// it. `1u` and `31u - shift` because a shift by 32 is a shift by none.
fn digest_join(low: vec4<u32>, high: vec4<u32>, shift: u32) -> vec4<u32> {
    let joined = (low >> vec4<u32>(shift)) | ((high << vec4<u32>(1u)) << vec4<u32>(31u - shift));
    return joined;
}

// The block of the binding `data` from byte `start` of all on, which need not be a multiple of four. What the driver makes of
// words past the end of the buffer does not matter: `digest_pad` drops all that is not of the message.
fn digest_read(start: u32) -> DigestBlock {
    let word = (start >> 2u) - params.first;
    let shift = (start & 3u) * 8u;
    let r0 = data[word];
    let r1 = data[word + 1u];
    let r2 = data[word + 2u];
    let r3 = data[word + 3u];
    let r4 = data[word + 4u];
    let r5 = data[word + 5u];
    let r6 = data[word + 6u];
    let r7 = data[word + 7u];
    let r8 = data[word + 8u];
    let r9 = data[word + 9u];
    let r10 = data[word + 10u];
    let r11 = data[word + 11u];
    let r12 = data[word + 12u];
    let r13 = data[word + 13u];
    let r14 = data[word + 14u];
    let r15 = data[word + 15u];
    let r16 = data[word + 16u];
    return DigestBlock(
        digest_join(vec4<u32>(r0, r1, r2, r3), vec4<u32>(r1, r2, r3, r4), shift),
        digest_join(vec4<u32>(r4, r5, r6, r7), vec4<u32>(r5, r6, r7, r8), shift),
        digest_join(vec4<u32>(r8, r9, r10, r11), vec4<u32>(r9, r10, r11, r12), shift),
        digest_join(vec4<u32>(r12, r13, r14, r15), vec4<u32>(r13, r14, r15, r16), shift),
    );
}

// Four words of a padded message: `first` is the number of the first in its block, `left` how many bytes of the
// message remain at the block's start.
fn digest_pad_words(words: vec4<u32>, first: i32, left: i32) -> vec4<u32> {
    let number = vec4<i32>(first, first + 1, first + 2, first + 3);
    let partial = left >> 2u;
    let used = u32(left & 3) * 8u;
    let kept = ~(0xffffffffu << used);
    let marker = 128u << used;
    let ended = select(vec4<u32>(), words & vec4<u32>(kept), number == vec4<i32>(partial));
    return select(ended, words, number < vec4<i32>(partial));
}

// Block `index` of a message of `length` bytes as it is hashed: what lies past the end becomes the padding.
fn digest_pad(block: DigestBlock, length: u32, index: u32) -> DigestBlock {
    let left = digest_left(length, index);
    var padded = DigestBlock(
        digest_pad_words(block.q0, 0, left),
        digest_pad_words(block.q1, 4, left),
        digest_pad_words(block.q2, 8, left),
        digest_pad_words(block.q3, 12, left),
    );
    return padded;
}

fn in_data(start: u32, end: u32) -> bool {
    return start <= end && end <= params.bytes;
}

// Whether the binding `data` is the part that has byte `at`; the last one has what is behind the end.
fn in_window(at: u32) -> bool {
    return (min(at, max(params.bytes, 1u) - 1u) >> 2u) - params.first < params.extent;
}

fn finish(message: u32, chain: DigestState, right: bool) {
    if (right) {
        store(message, chain);
    } else {
        store(message, DigestState());
    }
}

fn digest_absorb(state: DigestState, block: DigestBlock, index: u32, length: u32) -> DigestState {
    let ended = min(length, (index + 1u) * 64u);
    var v0 = state.q0.x;
    var v8 = 1779033703u;
    var v1 = state.q0.y;
    var v9 = 3144134277u;
    var v2 = state.q0.z;
    var v10 = 1013904242u;
    var v3 = state.q0.w;
    var v11 = 2773480762u;
    var v4 = state.q1.x;
    var v12 = 1359893119u;
    var v5 = state.q1.y;
    var v13 = 2600822924u;
    var v6 = state.q1.z;
    var v14 = 528734635u;
    var v7 = state.q1.w;
    var v15 = 1541459225u;
    v12 ^= ended;
    v14 = select(v14, ~v14, ended == length);
    v0 += v4 + block.q0.x;
    v12 ^= v0;
    v12 = ((v12 >> 16u) | (v12 << 16u));
    v8 += v12;
    v4 ^= v8;
    v4 = ((v4 >> 12u) | (v4 << 20u));
    v0 += v4 + block.q0.y;
    v12 ^= v0;
    v12 = ((v12 >> 8u) | (v12 << 24u));
    v8 += v12;
    v4 ^= v8;
    v4 = ((v4 >> 7u) | (v4 << 25u));
    v1 += v5 + block.q0.z;
    v13 ^= v1;
    v13 = ((v13 >> 16u) | (v13 << 16u));
    v9 += v13;
    v5 ^= v9;
    v5 = ((v5 >> 12u) | (v5 << 20u));
    v1 += v5 + block.q0.w;
    v13 ^= v1;
    v13 = ((v13 >> 8u) | (v13 << 24u));
    v9 += v13;
    v5 ^= v9;
    v5 = ((v5 >> 7u) | (v5 << 25u));
    v2 += v6 + block.q1.x;
    v14 ^= v2;
    v14 = ((v14 >> 16u) | (v14 << 16u));
    v10 += v14;
    v6 ^= v10;
    v6 = ((v6 >> 12u) | (v6 << 20u));
    v2 += v6 + block.q1.y;
    v14 ^= v2;
    v14 = ((v14 >> 8u) | (v14 << 24u));
    v10 += v14;
    v6 ^= v10;
    v6 = ((v6 >> 7u) | (v6 << 25u));
    v3 += v7 + block.q1.z;
    v15 ^= v3;
    v15 = ((v15 >> 16u) | (v15 << 16u));
    v11 += v15;
    v7 ^= v11;
    v7 = ((v7 >> 12u) | (v7 << 20u));
    v3 += v7 + block.q1.w;
    v15 ^= v3;
    v15 = ((v15 >> 8u) | (v15 << 24u));
    v11 += v15;
    v7 ^= v11;
    v7 = ((v7 >> 7u) | (v7 << 25u));
    v0 += v5 + block.q2.x;
    v15 ^= v0;
    v15 = ((v15 >> 16u) | (v15 << 16u));
    v10 += v15;
    v5 ^= v10;
    v5 = ((v5 >> 12u) | (v5 << 20u));
    v0 += v5 + block.q2.y;
    v15 ^= v0;
    v15 = ((v15 >> 8u) | (v15 << 24u));
    v10 += v15;
    v5 ^= v10;
    v5 = ((v5 >> 7u) | (v5 << 25u));
    v1 += v6 + block.q2.z;
    v12 ^= v1;
    v12 = ((v12 >> 16u) | (v12 << 16u));
    v11 += v12;
    v6 ^= v11;
    v6 = ((v6 >> 12u) | (v6 << 20u));
    v1 += v6 + block.q2.w;
    v12 ^= v1;
    v12 = ((v12 >> 8u) | (v12 << 24u));
    v11 += v12;
    v6 ^= v11;
    v6 = ((v6 >> 7u) | (v6 << 25u));
    v2 += v7 + block.q3.x;
    v13 ^= v2;
    v13 = ((v13 >> 16u) | (v13 << 16u));
    v8 += v13;
    v7 ^= v8;
    v7 = ((v7 >> 12u) | (v7 << 20u));
    v2 += v7 + block.q3.y;
    v13 ^= v2;
    v13 = ((v13 >> 8u) | (v13 << 24u));
    v8 += v13;
    v7 ^= v8;
    v7 = ((v7 >> 7u) | (v7 << 25u));
    v3 += v4 + block.q3.z;
    v14 ^= v3;
    v14 = ((v14 >> 16u) | (v14 << 16u));
    v9 += v14;
    v4 ^= v9;
    v4 = ((v4 >> 12u) | (v4 << 20u));
    v3 += v4 + block.q3.w;
    v14 ^= v3;
    v14 = ((v14 >> 8u) | (v14 << 24u));
    v9 += v14;
    v4 ^= v9;
    v4 = ((v4 >> 7u) | (v4 << 25u));
    v0 += v4 + block.q3.z;
    v12 ^= v0;
    v12 = ((v12 >> 16u) | (v12 << 16u));
    v8 += v12;
    v4 ^= v8;
    v4 = ((v4 >> 12u) | (v4 << 20u));
    v0 += v4 + block.q2.z;
    v12 ^= v0;
    v12 = ((v12 >> 8u) | (v12 << 24u));
    v8 += v12;
    v4 ^= v8;
    v4 = ((v4 >> 7u) | (v4 << 25u));
    v1 += v5 + block.q1.x;
    v13 ^= v1;
    v13 = ((v13 >> 16u) | (v13 << 16u));
    v9 += v13;
    v5 ^= v9;
    v5 = ((v5 >> 12u) | (v5 << 20u));
    v1 += v5 + block.q2.x;
    v13 ^= v1;
    v13 = ((v13 >> 8u) | (v13 << 24u));
    v9 += v13;
    v5 ^= v9;
    v5 = ((v5 >> 7u) | (v5 << 25u));
    v2 += v6 + block.q2.y;
    v14 ^= v2;
    v14 = ((v14 >> 16u) | (v14 << 16u));
    v10 += v14;
    v6 ^= v10;
    v6 = ((v6 >> 12u) | (v6 << 20u));
    v2 += v6 + block.q3.w;
    v14 ^= v2;
    v14 = ((v14 >> 8u) | (v14 << 24u));
    v10 += v14;
    v6 ^= v10;
    v6 = ((v6 >> 7u) | (v6 << 25u));
    v3 += v7 + block.q3.y;
    v15 ^= v3;
    v15 = ((v15 >> 16u) | (v15 << 16u));
    v11 += v15;
    v7 ^= v11;
    v7 = ((v7 >> 12u) | (v7 << 20u));
    v3 += v7 + block.q1.z;
    v15 ^= v3;
    v15 = ((v15 >> 8u) | (v15 << 24u));
    v11 += v15;
    v7 ^= v11;
    v7 = ((v7 >> 7u) | (v7 << 25u));
    v0 += v5 + block.q0.y;
    v15 ^= v0;
    v15 = ((v15 >> 16u) | (v15 << 16u));
    v10 += v15;
    v5 ^= v10;
    v5 = ((v5 >> 12u) | (v5 << 20u));
    v0 += v5 + block.q3.x;
    v15 ^= v0;
    v15 = ((v15 >> 8u) | (v15 << 24u));
    v10 += v15;
    v5 ^= v10;
    v5 = ((v5 >> 7u) | (v5 << 25u));
    v1 += v6 + block.q0.x;
    v12 ^= v1;
    v12 = ((v12 >> 16u) | (v12 << 16u));
    v11 += v12;
    v6 ^= v11;
    v6 = ((v6 >> 12u) | (v6 << 20u));
    v1 += v6 + block.q0.z;
    v12 ^= v1;
    v12 = ((v12 >> 8u) | (v12 << 24u));
    v11 += v12;
    v6 ^= v11;
    v6 = ((v6 >> 7u) | (v6 << 25u));
    v2 += v7 + block.q2.w;
    v13 ^= v2;
    v13 = ((v13 >> 16u) | (v13 << 16u));
    v8 += v13;
    v7 ^= v8;
    v7 = ((v7 >> 12u) | (v7 << 20u));
    v2 += v7 + block.q1.w;
    v13 ^= v2;
    v13 = ((v13 >> 8u) | (v13 << 24u));
    v8 += v13;
    v7 ^= v8;
    v7 = ((v7 >> 7u) | (v7 << 25u));
    v3 += v4 + block.q1.y;
    v14 ^= v3;
    v14 = ((v14 >> 16u) | (v14 << 16u));
    v9 += v14;
    v4 ^= v9;
    v4 = ((v4 >> 12u) | (v4 << 20u));
    v3 += v4 + block.q0.w;
    v14 ^= v3;
    v14 = ((v14 >> 8u) | (v14 << 24u));
    v9 += v14;
    v4 ^= v9;
    v4 = ((v4 >> 7u) | (v4 << 25u));
    v0 += v4 + block.q2.w;
    v12 ^= v0;
    v12 = ((v12 >> 16u) | (v12 << 16u));
    v8 += v12;
    v4 ^= v8;
    v4 = ((v4 >> 12u) | (v4 << 20u));
    v0 += v4 + block.q2.x;
    v12 ^= v0;
    v12 = ((v12 >> 8u) | (v12 << 24u));
    v8 += v12;
    v4 ^= v8;
    v4 = ((v4 >> 7u) | (v4 << 25u));
    v1 += v5 + block.q3.x;
    v13 ^= v1;
    v13 = ((v13 >> 16u) | (v13 << 16u));
    v9 += v13;
    v5 ^= v9;
    v5 = ((v5 >> 12u) | (v5 << 20u));
    v1 += v5 + block.q0.x;
    v13 ^= v1;
    v13 = ((v13 >> 8u) | (v13 << 24u));
    v9 += v13;
    v5 ^= v9;
    v5 = ((v5 >> 7u) | (v5 << 25u));
    v2 += v6 + block.q1.y;
    v14 ^= v2;
    v14 = ((v14 >> 16u) | (v14 << 16u));
    v10 += v14;
    v6 ^= v10;
    v6 = ((v6 >> 12u) | (v6 << 20u));
    v2 += v6 + block.q0.z;
    v14 ^= v2;
    v14 = ((v14 >> 8u) | (v14 << 24u));
    v10 += v14;
    v6 ^= v10;
    v6 = ((v6 >> 7u) | (v6 << 25u));
    v3 += v7 + block.q3.w;
    v15 ^= v3;
    v15 = ((v15 >> 16u) | (v15 << 16u));
    v11 += v15;
    v7 ^= v11;
    v7 = ((v7 >> 12u) | (v7 << 20u));
    v3 += v7 + block.q3.y;
    v15 ^= v3;
    v15 = ((v15 >> 8u) | (v15 << 24u));
    v11 += v15;
    v7 ^= v11;
    v7 = ((v7 >> 7u) | (v7 << 25u));
    v0 += v5 + block.q2.z;
    v15 ^= v0;
    v15 = ((v15 >> 16u) | (v15 << 16u));
    v10 += v15;
    v5 ^= v10;
    v5 = ((v5 >> 12u) | (v5 << 20u));
    v0 += v5 + block.q3.z;
    v15 ^= v0;
    v15 = ((v15 >> 8u) | (v15 << 24u));
    v10 += v15;
    v5 ^= v10;
    v5 = ((v5 >> 7u) | (v5 << 25u));
    v1 += v6 + block.q0.w;
    v12 ^= v1;
    v12 = ((v12 >> 16u) | (v12 << 16u));
    v11 += v12;
    v6 ^= v11;
    v6 = ((v6 >> 12u) | (v6 << 20u));
    v1 += v6 + block.q1.z;
    v12 ^= v1;
    v12 = ((v12 >> 8u) | (v12 << 24u));
    v11 += v12;
    v6 ^= v11;
    v6 = ((v6 >> 7u) | (v6 << 25u));
    v2 += v7 + block.q1.w;
    v13 ^= v2;
    v13 = ((v13 >> 16u) | (v13 << 16u));
    v8 += v13;
    v7 ^= v8;
    v7 = ((v7 >> 12u) | (v7 << 20u));
    v2 += v7 + block.q0.y;
    v13 ^= v2;
    v13 = ((v13 >> 8u) | (v13 << 24u));
    v8 += v13;
    v7 ^= v8;
    v7 = ((v7 >> 7u) | (v7 << 25u));
    v3 += v4 + block.q2.y;
    v14 ^= v3;
    v14 = ((v14 >> 16u) | (v14 << 16u));
    v9 += v14;
    v4 ^= v9;
    v4 = ((v4 >> 12u) | (v4 << 20u));
    v3 += v4 + block.q1.x;
    v14 ^= v3;
    v14 = ((v14 >> 8u) | (v14 << 24u));
    v9 += v14;
    v4 ^= v9;
    v4 = ((v4 >> 7u) | (v4 << 25u));
    v0 += v4 + block.q1.w;
    v12 ^= v0;
    v12 = ((v12 >> 16u) | (v12 << 16u));
    v8 += v12;
    v4 ^= v8;
    v4 = ((v4 >> 12u) | (v4 << 20u));
    v0 += v4 + block.q2.y;
    v12 ^= v0;
    v12 = ((v12 >> 8u) | (v12 << 24u));
    v8 += v12;
    v4 ^= v8;
    v4 = ((v4 >> 7u) | (v4 << 25u));
    v1 += v5 + block.q0.w;
    v13 ^= v1;
    v13 = ((v13 >> 16u) | (v13 << 16u));
    v9 += v13;
    v5 ^= v9;
    v5 = ((v5 >> 12u) | (v5 << 20u));
    v1 += v5 + block.q0.y;
    v13 ^= v1;
    v13 = ((v13 >> 8u) | (v13 << 24u));
    v9 += v13;
    v5 ^= v9;
    v5 = ((v5 >> 7u) | (v5 << 25u));
    v2 += v6 + block.q3.y;
    v14 ^= v2;
    v14 = ((v14 >> 16u) | (v14 << 16u));
    v10 += v14;
    v6 ^= v10;
    v6 = ((v6 >> 12u) | (v6 << 20u));
    v2 += v6 + block.q3.x;
    v14 ^= v2;
    v14 = ((v14 >> 8u) | (v14 << 24u));
    v10 += v14;
    v6 ^= v10;
    v6 = ((v6 >> 7u) | (v6 << 25u));
    v3 += v7 + block.q2.w;
    v15 ^= v3;
    v15 = ((v15 >> 16u) | (v15 << 16u));
    v11 += v15;
    v7 ^= v11;
    v7 = ((v7 >> 12u) | (v7 << 20u));
    v3 += v7 + block.q3.z;
    v15 ^= v3;
    v15 = ((v15 >> 8u) | (v15 << 24u));
    v11 += v15;
    v7 ^= v11;
    v7 = ((v7 >> 7u) | (v7 << 25u));
    v0 += v5 + block.q0.z;
    v15 ^= v0;
    v15 = ((v15 >> 16u) | (v15 << 16u));
    v10 += v15;
    v5 ^= v10;
    v5 = ((v5 >> 12u) | (v5 << 20u));
    v0 += v5 + block.q1.z;
    v15 ^= v0;
    v15 = ((v15 >> 8u) | (v15 << 24u));
    v10 += v15;
    v5 ^= v10;
    v5 = ((v5 >> 7u) | (v5 << 25u));
    v1 += v6 + block.q1.y;
    v12 ^= v1;
    v12 = ((v12 >> 16u) | (v12 << 16u));
    v11 += v12;
    v6 ^= v11;
    v6 = ((v6 >> 12u) | (v6 << 20u));
    v1 += v6 + block.q2.z;
    v12 ^= v1;
    v12 = ((v12 >> 8u) | (v12 << 24u));
    v11 += v12;
    v6 ^= v11;
    v6 = ((v6 >> 7u) | (v6 << 25u));
    v2 += v7 + block.q1.x;
    v13 ^= v2;
    v13 = ((v13 >> 16u) | (v13 << 16u));
    v8 += v13;
    v7 ^= v8;
    v7 = ((v7 >> 12u) | (v7 << 20u));
    v2 += v7 + block.q0.x;
    v13 ^= v2;
    v13 = ((v13 >> 8u) | (v13 << 24u));
    v8 += v13;
    v7 ^= v8;
    v7 = ((v7 >> 7u) | (v7 << 25u));
    v3 += v4 + block.q3.w;
    v14 ^= v3;
    v14 = ((v14 >> 16u) | (v14 << 16u));
    v9 += v14;
    v4 ^= v9;
    v4 = ((v4 >> 12u) | (v4 << 20u));
    v3 += v4 + block.q2.x;
    v14 ^= v3;
    v14 = ((v14 >> 8u) | (v14 << 24u));
    v9 += v14;
    v4 ^= v9;
    v4 = ((v4 >> 7u) | (v4 << 25u));
    v0 += v4 + block.q2.y;
    v12 ^= v0;
    v12 = ((v12 >> 16u) | (v12 << 16u));
    v8 += v12;
    v4 ^= v8;
    v4 = ((v4 >> 12u) | (v4 << 20u));
    v0 += v4 + block.q0.x;
    v12 ^= v0;
    v12 = ((v12 >> 8u) | (v12 << 24u));
    v8 += v12;
    v4 ^= v8;
    v4 = ((v4 >> 7u) | (v4 << 25u));
    v1 += v5 + block.q1.y;
    v13 ^= v1;
    v13 = ((v13 >> 16u) | (v13 << 16u));
    v9 += v13;
    v5 ^= v9;
    v5 = ((v5 >> 12u) | (v5 << 20u));
    v1 += v5 + block.q1.w;
    v13 ^= v1;
    v13 = ((v13 >> 8u) | (v13 << 24u));
    v9 += v13;
    v5 ^= v9;
    v5 = ((v5 >> 7u) | (v5 << 25u));
    v2 += v6 + block.q0.z;
    v14 ^= v2;
    v14 = ((v14 >> 16u) | (v14 << 16u));
    v10 += v14;
    v6 ^= v10;
    v6 = ((v6 >> 12u) | (v6 << 20u));
    v2 += v6 + block.q1.x;
    v14 ^= v2;
    v14 = ((v14 >> 8u) | (v14 << 24u));
    v10 += v14;
    v6 ^= v10;
    v6 = ((v6 >> 7u) | (v6 << 25u));
    v3 += v7 + block.q2.z;
    v15 ^= v3;
    v15 = ((v15 >> 16u) | (v15 << 16u));
    v11 += v15;
    v7 ^= v11;
    v7 = ((v7 >> 12u) | (v7 << 20u));
    v3 += v7 + block.q3.w;
    v15 ^= v3;
    v15 = ((v15 >> 8u) | (v15 << 24u));
    v11 += v15;
    v7 ^= v11;
    v7 = ((v7 >> 7u) | (v7 << 25u));
    v0 += v5 + block.q3.z;
    v15 ^= v0;
    v15 = ((v15 >> 16u) | (v15 << 16u));
    v10 += v15;
    v5 ^= v10;
    v5 = ((v5 >> 12u) | (v5 << 20u));
    v0 += v5 + block.q0.y;
    v15 ^= v0;
    v15 = ((v15 >> 8u) | (v15 << 24u));
    v10 += v15;
    v5 ^= v10;
    v5 = ((v5 >> 7u) | (v5 << 25u));
    v1 += v6 + block.q2.w;
    v12 ^= v1;
    v12 = ((v12 >> 16u) | (v12 << 16u));
    v11 += v12;
    v6 ^= v11;
    v6 = ((v6 >> 12u) | (v6 << 20u));
    v1 += v6 + block.q3.x;
    v12 ^= v1;
    v12 = ((v12 >> 8u) | (v12 << 24u));
    v11 += v12;
    v6 ^= v11;
    v6 = ((v6 >> 7u) | (v6 << 25u));
    v2 += v7 + block.q1.z;
    v13 ^= v2;
    v13 = ((v13 >> 16u) | (v13 << 16u));
    v8 += v13;
    v7 ^= v8;
    v7 = ((v7 >> 12u) | (v7 << 20u));
    v2 += v7 + block.q2.x;
    v13 ^= v2;
    v13 = ((v13 >> 8u) | (v13 << 24u));
    v8 += v13;
    v7 ^= v8;
    v7 = ((v7 >> 7u) | (v7 << 25u));
    v3 += v4 + block.q0.w;
    v14 ^= v3;
    v14 = ((v14 >> 16u) | (v14 << 16u));
    v9 += v14;
    v4 ^= v9;
    v4 = ((v4 >> 12u) | (v4 << 20u));
    v3 += v4 + block.q3.y;
    v14 ^= v3;
    v14 = ((v14 >> 8u) | (v14 << 24u));
    v9 += v14;
    v4 ^= v9;
    v4 = ((v4 >> 7u) | (v4 << 25u));
    v0 += v4 + block.q0.z;
    v12 ^= v0;
    v12 = ((v12 >> 16u) | (v12 << 16u));
    v8 += v12;
    v4 ^= v8;
    v4 = ((v4 >> 12u) | (v4 << 20u));
    v0 += v4 + block.q3.x;
    v12 ^= v0;
    v12 = ((v12 >> 8u) | (v12 << 24u));
    v8 += v12;
    v4 ^= v8;
    v4 = ((v4 >> 7u) | (v4 << 25u));
    v1 += v5 + block.q1.z;
    v13 ^= v1;
    v13 = ((v13 >> 16u) | (v13 << 16u));
    v9 += v13;
    v5 ^= v9;
    v5 = ((v5 >> 12u) | (v5 << 20u));
    v1 += v5 + block.q2.z;
    v13 ^= v1;
    v13 = ((v13 >> 8u) | (v13 << 24u));
    v9 += v13;
    v5 ^= v9;
    v5 = ((v5 >> 7u) | (v5 << 25u));
    v2 += v6 + block.q0.x;
    v14 ^= v2;
    v14 = ((v14 >> 16u) | (v14 << 16u));
    v10 += v14;
    v6 ^= v10;
    v6 = ((v6 >> 12u) | (v6 << 20u));
    v2 += v6 + block.q2.w;
    v14 ^= v2;
    v14 = ((v14 >> 8u) | (v14 << 24u));
    v10 += v14;
    v6 ^= v10;
    v6 = ((v6 >> 7u) | (v6 << 25u));
    v3 += v7 + block.q2.x;
    v15 ^= v3;
    v15 = ((v15 >> 16u) | (v15 << 16u));
    v11 += v15;
    v7 ^= v11;
    v7 = ((v7 >> 12u) | (v7 << 20u));
    v3 += v7 + block.q0.w;
    v15 ^= v3;
    v15 = ((v15 >> 8u) | (v15 << 24u));
    v11 += v15;
    v7 ^= v11;
    v7 = ((v7 >> 7u) | (v7 << 25u));
    v0 += v5 + block.q1.x;
    v15 ^= v0;
    v15 = ((v15 >> 16u) | (v15 << 16u));
    v10 += v15;
    v5 ^= v10;
    v5 = ((v5 >> 12u) | (v5 << 20u));
    v0 += v5 + block.q3.y;
    v15 ^= v0;
    v15 = ((v15 >> 8u) | (v15 << 24u));
    v10 += v15;
    v5 ^= v10;
    v5 = ((v5 >> 7u) | (v5 << 25u));
    v1 += v6 + block.q1.w;
    v12 ^= v1;
    v12 = ((v12 >> 16u) | (v12 << 16u));
    v11 += v12;
    v6 ^= v11;
    v6 = ((v6 >> 12u) | (v6 << 20u));
    v1 += v6 + block.q1.y;
    v12 ^= v1;
    v12 = ((v12 >> 8u) | (v12 << 24u));
    v11 += v12;
    v6 ^= v11;
    v6 = ((v6 >> 7u) | (v6 << 25u));
    v2 += v7 + block.q3.w;
    v13 ^= v2;
    v13 = ((v13 >> 16u) | (v13 << 16u));
    v8 += v13;
    v7 ^= v8;
    v7 = ((v7 >> 12u) | (v7 << 20u));
    v2 += v7 + block.q3.z;
    v13 ^= v2;
    v13 = ((v13 >> 8u) | (v13 << 24u));
    v8 += v13;
    v7 ^= v8;
    v7 = ((v7 >> 7u) | (v7 << 25u));
    v3 += v4 + block.q0.y;
    v14 ^= v3;
    v14 = ((v14 >> 16u) | (v14 << 16u));
    v9 += v14;
    v4 ^= v9;
    v4 = ((v4 >> 12u) | (v4 << 20u));
    v3 += v4 + block.q2.y;
    v14 ^= v3;
    v14 = ((v14 >> 8u) | (v14 << 24u));
    v9 += v14;
    v4 ^= v9;
    v4 = ((v4 >> 7u) | (v4 << 25u));
    v0 += v4 + block.q3.x;
    v12 ^= v0;
    v12 = ((v12 >> 16u) | (v12 << 16u));
    v8 += v12;
    v4 ^= v8;
    v4 = ((v4 >> 12u) | (v4 << 20u));
    v0 += v4 + block.q1.y;
    v12 ^= v0;
    v12 = ((v12 >> 8u) | (v12 << 24u));
    v8 += v12;
    v4 ^= v8;
    v4 = ((v4 >> 7u) | (v4 << 25u));
    v1 += v5 + block.q0.y;
    v13 ^= v1;
    v13 = ((v13 >> 16u) | (v13 << 16u));
    v9 += v13;
    v5 ^= v9;
    v5 = ((v5 >> 12u) | (v5 << 20u));
    v1 += v5 + block.q3.w;
    v13 ^= v1;
    v13 = ((v13 >> 8u) | (v13 << 24u));
    v9 += v13;
    v5 ^= v9;
    v5 = ((v5 >> 7u) | (v5 << 25u));
    v2 += v6 + block.q3.z;
    v14 ^= v2;
    v14 = ((v14 >> 16u) | (v14 << 16u));
    v10 += v14;
    v6 ^= v10;
    v6 = ((v6 >> 12u) | (v6 << 20u));
    v2 += v6 + block.q3.y;
    v14 ^= v2;
    v14 = ((v14 >> 8u) | (v14 << 24u));
    v10 += v14;
    v6 ^= v10;
    v6 = ((v6 >> 7u) | (v6 << 25u));
    v3 += v7 + block.q1.x;
    v15 ^= v3;
    v15 = ((v15 >> 16u) | (v15 << 16u));
    v11 += v15;
    v7 ^= v11;
    v7 = ((v7 >> 12u) | (v7 << 20u));
    v3 += v7 + block.q2.z;
    v15 ^= v3;
    v15 = ((v15 >> 8u) | (v15 << 24u));
    v11 += v15;
    v7 ^= v11;
    v7 = ((v7 >> 7u) | (v7 << 25u));
    v0 += v5 + block.q0.x;
    v15 ^= v0;
    v15 = ((v15 >> 16u) | (v15 << 16u));
    v10 += v15;
    v5 ^= v10;
    v5 = ((v5 >> 12u) | (v5 << 20u));
    v0 += v5 + block.q1.w;
    v15 ^= v0;
    v15 = ((v15 >> 8u) | (v15 << 24u));
    v10 += v15;
    v5 ^= v10;
    v5 = ((v5 >> 7u) | (v5 << 25u));
    v1 += v6 + block.q1.z;
    v12 ^= v1;
    v12 = ((v12 >> 16u) | (v12 << 16u));
    v11 += v12;
    v6 ^= v11;
    v6 = ((v6 >> 12u) | (v6 << 20u));
    v1 += v6 + block.q0.w;
    v12 ^= v1;
    v12 = ((v12 >> 8u) | (v12 << 24u));
    v11 += v12;
    v6 ^= v11;
    v6 = ((v6 >> 7u) | (v6 << 25u));
    v2 += v7 + block.q2.y;
    v13 ^= v2;
    v13 = ((v13 >> 16u) | (v13 << 16u));
    v8 += v13;
    v7 ^= v8;
    v7 = ((v7 >> 12u) | (v7 << 20u));
    v2 += v7 + block.q0.z;
    v13 ^= v2;
    v13 = ((v13 >> 8u) | (v13 << 24u));
    v8 += v13;
    v7 ^= v8;
    v7 = ((v7 >> 7u) | (v7 << 25u));
    v3 += v4 + block.q2.x;
    v14 ^= v3;
    v14 = ((v14 >> 16u) | (v14 << 16u));
    v9 += v14;
    v4 ^= v9;
    v4 = ((v4 >> 12u) | (v4 << 20u));
    v3 += v4 + block.q2.w;
    v14 ^= v3;
    v14 = ((v14 >> 8u) | (v14 << 24u));
    v9 += v14;
    v4 ^= v9;
    v4 = ((v4 >> 7u) | (v4 << 25u));
    v0 += v4 + block.q3.y;
    v12 ^= v0;
    v12 = ((v12 >> 16u) | (v12 << 16u));
    v8 += v12;
    v4 ^= v8;
    v4 = ((v4 >> 12u) | (v4 << 20u));
    v0 += v4 + block.q2.w;
    v12 ^= v0;
    v12 = ((v12 >> 8u) | (v12 << 24u));
    v8 += v12;
    v4 ^= v8;
    v4 = ((v4 >> 7u) | (v4 << 25u));
    v1 += v5 + block.q1.w;
    v13 ^= v1;
    v13 = ((v13 >> 16u) | (v13 << 16u));
    v9 += v13;
    v5 ^= v9;
    v5 = ((v5 >> 12u) | (v5 << 20u));
    v1 += v5 + block.q3.z;
    v13 ^= v1;
    v13 = ((v13 >> 8u) | (v13 << 24u));
    v9 += v13;
    v5 ^= v9;
    v5 = ((v5 >> 7u) | (v5 << 25u));
    v2 += v6 + block.q3.x;
    v14 ^= v2;
    v14 = ((v14 >> 16u) | (v14 << 16u));
    v10 += v14;
    v6 ^= v10;
    v6 = ((v6 >> 12u) | (v6 << 20u));
    v2 += v6 + block.q0.y;
    v14 ^= v2;
    v14 = ((v14 >> 8u) | (v14 << 24u));
    v10 += v14;
    v6 ^= v10;
    v6 = ((v6 >> 7u) | (v6 << 25u));
    v3 += v7 + block.q0.w;
    v15 ^= v3;
    v15 = ((v15 >> 16u) | (v15 << 16u));
    v11 += v15;
    v7 ^= v11;
    v7 = ((v7 >> 12u) | (v7 << 20u));
    v3 += v7 + block.q2.y;
    v15 ^= v3;
    v15 = ((v15 >> 8u) | (v15 << 24u));
    v11 += v15;
    v7 ^= v11;
    v7 = ((v7 >> 7u) | (v7 << 25u));
    v0 += v5 + block.q1.y;
    v15 ^= v0;
    v15 = ((v15 >> 16u) | (v15 << 16u));
    v10 += v15;
    v5 ^= v10;
    v5 = ((v5 >> 12u) | (v5 << 20u));
    v0 += v5 + block.q0.x;
    v15 ^= v0;
    v15 = ((v15 >> 8u) | (v15 << 24u));
    v10 += v15;
    v5 ^= v10;
    v5 = ((v5 >> 7u) | (v5 << 25u));
    v1 += v6 + block.q3.w;
    v12 ^= v1;
    v12 = ((v12 >> 16u) | (v12 << 16u));
    v11 += v12;
    v6 ^= v11;
    v6 = ((v6 >> 12u) | (v6 << 20u));
    v1 += v6 + block.q1.x;
    v12 ^= v1;
    v12 = ((v12 >> 8u) | (v12 << 24u));
    v11 += v12;
    v6 ^= v11;
    v6 = ((v6 >> 7u) | (v6 << 25u));
    v2 += v7 + block.q2.x;
    v13 ^= v2;
    v13 = ((v13 >> 16u) | (v13 << 16u));
    v8 += v13;
    v7 ^= v8;
    v7 = ((v7 >> 12u) | (v7 << 20u));
    v2 += v7 + block.q1.z;
    v13 ^= v2;
    v13 = ((v13 >> 8u) | (v13 << 24u));
    v8 += v13;
    v7 ^= v8;
    v7 = ((v7 >> 7u) | (v7 << 25u));
    v3 += v4 + block.q0.z;
    v14 ^= v3;
    v14 = ((v14 >> 16u) | (v14 << 16u));
    v9 += v14;
    v4 ^= v9;
    v4 = ((v4 >> 12u) | (v4 << 20u));
    v3 += v4 + block.q2.z;
    v14 ^= v3;
    v14 = ((v14 >> 8u) | (v14 << 24u));
    v9 += v14;
    v4 ^= v9;
    v4 = ((v4 >> 7u) | (v4 << 25u));
    v0 += v4 + block.q1.z;
    v12 ^= v0;
    v12 = ((v12 >> 16u) | (v12 << 16u));
    v8 += v12;
    v4 ^= v8;
    v4 = ((v4 >> 12u) | (v4 << 20u));
    v0 += v4 + block.q3.w;
    v12 ^= v0;
    v12 = ((v12 >> 8u) | (v12 << 24u));
    v8 += v12;
    v4 ^= v8;
    v4 = ((v4 >> 7u) | (v4 << 25u));
    v1 += v5 + block.q3.z;
    v13 ^= v1;
    v13 = ((v13 >> 16u) | (v13 << 16u));
    v9 += v13;
    v5 ^= v9;
    v5 = ((v5 >> 12u) | (v5 << 20u));
    v1 += v5 + block.q2.y;
    v13 ^= v1;
    v13 = ((v13 >> 8u) | (v13 << 24u));
    v9 += v13;
    v5 ^= v9;
    v5 = ((v5 >> 7u) | (v5 << 25u));
    v2 += v6 + block.q2.w;
    v14 ^= v2;
    v14 = ((v14 >> 16u) | (v14 << 16u));
    v10 += v14;
    v6 ^= v10;
    v6 = ((v6 >> 12u) | (v6 << 20u));
    v2 += v6 + block.q0.w;
    v14 ^= v2;
    v14 = ((v14 >> 8u) | (v14 << 24u));
    v10 += v14;
    v6 ^= v10;
    v6 = ((v6 >> 7u) | (v6 << 25u));
    v3 += v7 + block.q0.x;
    v15 ^= v3;
    v15 = ((v15 >> 16u) | (v15 << 16u));
    v11 += v15;
    v7 ^= v11;
    v7 = ((v7 >> 12u) | (v7 << 20u));
    v3 += v7 + block.q2.x;
    v15 ^= v3;
    v15 = ((v15 >> 8u) | (v15 << 24u));
    v11 += v15;
    v7 ^= v11;
    v7 = ((v7 >> 7u) | (v7 << 25u));
    v0 += v5 + block.q3.x;
    v15 ^= v0;
    v15 = ((v15 >> 16u) | (v15 << 16u));
    v10 += v15;
    v5 ^= v10;
    v5 = ((v5 >> 12u) | (v5 << 20u));
    v0 += v5 + block.q0.z;
    v15 ^= v0;
    v15 = ((v15 >> 8u) | (v15 << 24u));
    v10 += v15;
    v5 ^= v10;
    v5 = ((v5 >> 7u) | (v5 << 25u));
    v1 += v6 + block.q3.y;
    v12 ^= v1;
    v12 = ((v12 >> 16u) | (v12 << 16u));
    v11 += v12;
    v6 ^= v11;
    v6 = ((v6 >> 12u) | (v6 << 20u));
    v1 += v6 + block.q1.w;
    v12 ^= v1;
    v12 = ((v12 >> 8u) | (v12 << 24u));
    v11 += v12;
    v6 ^= v11;
    v6 = ((v6 >> 7u) | (v6 << 25u));
    v2 += v7 + block.q0.y;
    v13 ^= v2;
    v13 = ((v13 >> 16u) | (v13 << 16u));
    v8 += v13;
    v7 ^= v8;
    v7 = ((v7 >> 12u) | (v7 << 20u));
    v2 += v7 + block.q1.x;
    v13 ^= v2;
    v13 = ((v13 >> 8u) | (v13 << 24u));
    v8 += v13;
    v7 ^= v8;
    v7 = ((v7 >> 7u) | (v7 << 25u));
    v3 += v4 + block.q2.z;
    v14 ^= v3;
    v14 = ((v14 >> 16u) | (v14 << 16u));
    v9 += v14;
    v4 ^= v9;
    v4 = ((v4 >> 12u) | (v4 << 20u));
    v3 += v4 + block.q1.y;
    v14 ^= v3;
    v14 = ((v14 >> 8u) | (v14 << 24u));
    v9 += v14;
    v4 ^= v9;
    v4 = ((v4 >> 7u) | (v4 << 25u));
    v0 += v4 + block.q2.z;
    v12 ^= v0;
    v12 = ((v12 >> 16u) | (v12 << 16u));
    v8 += v12;
    v4 ^= v8;
    v4 = ((v4 >> 12u) | (v4 << 20u));
    v0 += v4 + block.q0.z;
    v12 ^= v0;
    v12 = ((v12 >> 8u) | (v12 << 24u));
    v8 += v12;
    v4 ^= v8;
    v4 = ((v4 >> 7u) | (v4 << 25u));
    v1 += v5 + block.q2.x;
    v13 ^= v1;
    v13 = ((v13 >> 16u) | (v13 << 16u));
    v9 += v13;
    v5 ^= v9;
    v5 = ((v5 >> 12u) | (v5 << 20u));
    v1 += v5 + block.q1.x;
    v13 ^= v1;
    v13 = ((v13 >> 8u) | (v13 << 24u));
    v9 += v13;
    v5 ^= v9;
    v5 = ((v5 >> 7u) | (v5 << 25u));
    v2 += v6 + block.q1.w;
    v14 ^= v2;
    v14 = ((v14 >> 16u) | (v14 << 16u));
    v10 += v14;
    v6 ^= v10;
    v6 = ((v6 >> 12u) | (v6 << 20u));
    v2 += v6 + block.q1.z;
    v14 ^= v2;
    v14 = ((v14 >> 8u) | (v14 << 24u));
    v10 += v14;
    v6 ^= v10;
    v6 = ((v6 >> 7u) | (v6 << 25u));
    v3 += v7 + block.q0.y;
    v15 ^= v3;
    v15 = ((v15 >> 16u) | (v15 << 16u));
    v11 += v15;
    v7 ^= v11;
    v7 = ((v7 >> 12u) | (v7 << 20u));
    v3 += v7 + block.q1.y;
    v15 ^= v3;
    v15 = ((v15 >> 8u) | (v15 << 24u));
    v11 += v15;
    v7 ^= v11;
    v7 = ((v7 >> 7u) | (v7 << 25u));
    v0 += v5 + block.q3.w;
    v15 ^= v0;
    v15 = ((v15 >> 16u) | (v15 << 16u));
    v10 += v15;
    v5 ^= v10;
    v5 = ((v5 >> 12u) | (v5 << 20u));
    v0 += v5 + block.q2.w;
    v15 ^= v0;
    v15 = ((v15 >> 8u) | (v15 << 24u));
    v10 += v15;
    v5 ^= v10;
    v5 = ((v5 >> 7u) | (v5 << 25u));
    v1 += v6 + block.q2.y;
    v12 ^= v1;
    v12 = ((v12 >> 16u) | (v12 << 16u));
    v11 += v12;
    v6 ^= v11;
    v6 = ((v6 >> 12u) | (v6 << 20u));
    v1 += v6 + block.q3.z;
    v12 ^= v1;
    v12 = ((v12 >> 8u) | (v12 << 24u));
    v11 += v12;
    v6 ^= v11;
    v6 = ((v6 >> 7u) | (v6 << 25u));
    v2 += v7 + block.q0.w;
    v13 ^= v2;
    v13 = ((v13 >> 16u) | (v13 << 16u));
    v8 += v13;
    v7 ^= v8;
    v7 = ((v7 >> 12u) | (v7 << 20u));
    v2 += v7 + block.q3.x;
    v13 ^= v2;
    v13 = ((v13 >> 8u) | (v13 << 24u));
    v8 += v13;
    v7 ^= v8;
    v7 = ((v7 >> 7u) | (v7 << 25u));
    v3 += v4 + block.q3.y;
    v14 ^= v3;
    v14 = ((v14 >> 16u) | (v14 << 16u));
    v9 += v14;
    v4 ^= v9;
    v4 = ((v4 >> 12u) | (v4 << 20u));
    v3 += v4 + block.q0.x;
    v14 ^= v3;
    v14 = ((v14 >> 8u) | (v14 << 24u));
    v9 += v14;
    v4 ^= v9;
    v4 = ((v4 >> 7u) | (v4 << 25u));
    return DigestState(
        state.q0 ^ vec4<u32>(v0, v1, v2, v3) ^ vec4<u32>(v8, v9, v10, v11),
        state.q1 ^ vec4<u32>(v4, v5, v6, v7) ^ vec4<u32>(v12, v13, v14, v15),
    );
}

@compute @workgroup_size(64, 1, 1)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(local_invocation_id) lid: vec3<u32>,
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) nwg: vec3<u32>,
) {
    let thread = (wid.x + wid.y * nwg.x) * 64u + lid.x + params.first_thread;
    if thread >= params.count {
        return;
    }
    let start = offsets[thread];
    let end = offsets[thread + 1u];
    let length = end - start;

    if in_data(start, end) && !in_window(start) {
        return;
    }
    let chain = digest_absorb(digest_start(), digest_pad(digest_read(start), length, 0u), 0u, length);
    finish(thread, chain, in_data(start, end) && digest_blocks(length) == 1u);
}
