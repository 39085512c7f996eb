// kernel sha3_256_short
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
    constants: array<vec4<u32>, 12>,
    first_thread: u32,
}

@group(0) @binding(3) var<uniform> params: Params;

fn constants_at(i: u32) -> u32 {
    return params.constants[i >> 2u][i & 3u];
}

// 64-bit numbers as pairs of words, the low one first.
fn add64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    return vec2<u32>(low, a.y + b.y + select(0u, 1u, low < a.x));
}

// The 64 bits of a product of two words.
fn mul_wide(a: u32, b: u32) -> vec2<u32> {
    let a0 = a & 0xffffu;
    let a1 = a >> 16u;
    let b0 = b & 0xffffu;
    let b1 = b >> 16u;
    let low = a0 * b0;
    let middle = a1 * b0 + (low >> 16u);
    let other = a0 * b1 + (middle & 0xffffu);
    return vec2<u32>((other << 16u) | (low & 0xffffu), a1 * b1 + (middle >> 16u) + (other >> 16u));
}

fn mul64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return mul_wide(a.x, b.x) + vec2<u32>(0u, a.x * b.y + a.y * b.x);
}

// `x` turned left by `n`, from 1 to 31.
fn rotl64(x: vec2<u32>, n: u32) -> vec2<u32> {
    return (x << vec2<u32>(n)) | (x.yx >> vec2<u32>(32u - n));
}

const digest_block_bytes = 136u;

// The chaining value.
struct DigestState {
    q0: vec4<u32>,
    q1: vec4<u32>,
    q2: vec4<u32>,
    q3: vec4<u32>,
    q4: vec4<u32>,
    q5: vec4<u32>,
    q6: vec4<u32>,
    q7: vec4<u32>,
    q8: vec4<u32>,
    q9: vec4<u32>,
    q10: vec4<u32>,
    q11: vec4<u32>,
    q12: vec4<u32>,
}

// A block of a message: 34 words, the first byte of each the least significant.
struct DigestBlock {
    q0: vec4<u32>,
    q1: vec4<u32>,
    q2: vec4<u32>,
    q3: vec4<u32>,
    q4: vec4<u32>,
    q5: vec4<u32>,
    q6: vec4<u32>,
    q7: vec4<u32>,
    q8: vec4<u32>,
}

fn digest_start() -> DigestState {
    return DigestState(
        vec4<u32>(0u, 0u, 0u, 0u),
        vec4<u32>(0u, 0u, 0u, 0u),
        vec4<u32>(0u, 0u, 0u, 0u),
        vec4<u32>(0u, 0u, 0u, 0u),
        vec4<u32>(0u, 0u, 0u, 0u),
        vec4<u32>(0u, 0u, 0u, 0u),
        vec4<u32>(0u, 0u, 0u, 0u),
        vec4<u32>(0u, 0u, 0u, 0u),
        vec4<u32>(0u, 0u, 0u, 0u),
        vec4<u32>(0u, 0u, 0u, 0u),
        vec4<u32>(0u, 0u, 0u, 0u),
        vec4<u32>(0u, 0u, 0u, 0u),
        vec4<u32>(0u, 0u, 0u, 0u),
    );
}

fn load(message: u32) -> DigestState {
    return DigestState(
        state[message * 13u],
        state[message * 13u + 1u],
        state[message * 13u + 2u],
        state[message * 13u + 3u],
        state[message * 13u + 4u],
        state[message * 13u + 5u],
        state[message * 13u + 6u],
        state[message * 13u + 7u],
        state[message * 13u + 8u],
        state[message * 13u + 9u],
        state[message * 13u + 10u],
        state[message * 13u + 11u],
        state[message * 13u + 12u],
    );
}

fn store(message: u32, chain: DigestState) {
    state[message * 13u] = chain.q0;
    state[message * 13u + 1u] = chain.q1;
    state[message * 13u + 2u] = chain.q2;
    state[message * 13u + 3u] = chain.q3;
    state[message * 13u + 4u] = chain.q4;
    state[message * 13u + 5u] = chain.q5;
    state[message * 13u + 6u] = chain.q6;
    state[message * 13u + 7u] = chain.q7;
    state[message * 13u + 8u] = chain.q8;
    state[message * 13u + 9u] = chain.q9;
    state[message * 13u + 10u] = chain.q10;
    state[message * 13u + 11u] = chain.q11;
    state[message * 13u + 12u] = chain.q12;
}

// How many blocks a message of `length` bytes fills, padding included.
fn digest_blocks(length: u32) -> u32 {
    return length / 136u + 1u;
}

// How many bytes of a message of `length` bytes remain where block `index` begins, at most a block; negative when the
// message ended in the block before.
fn digest_left(length: u32, index: u32) -> i32 {
    return select(i32(length - index * 136u), 136, length / 136u > index);
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
    let r17 = data[word + 17u];
    let r18 = data[word + 18u];
    let r19 = data[word + 19u];
    let r20 = data[word + 20u];
    let r21 = data[word + 21u];
    let r22 = data[word + 22u];
    let r23 = data[word + 23u];
    let r24 = data[word + 24u];
    let r25 = data[word + 25u];
    let r26 = data[word + 26u];
    let r27 = data[word + 27u];
    let r28 = data[word + 28u];
    let r29 = data[word + 29u];
    let r30 = data[word + 30u];
    let r31 = data[word + 31u];
    let r32 = data[word + 32u];
    let r33 = data[word + 33u];
    let r34 = data[word + 34u];
    return DigestBlock(
        digest_join(vec4<u32>(r0, r1, r2, r3), vec4<u32>(r1, r2, r3, r4), shift),
        digest_join(vec4<u32>(r4, r5, r6, r7), vec4<u32>(r5, r6, r7, r8), shift),
        digest_join(vec4<u32>(r8, r9, r10, r11), vec4<u32>(r9, r10, r11, r12), shift),
        digest_join(vec4<u32>(r12, r13, r14, r15), vec4<u32>(r13, r14, r15, r16), shift),
        digest_join(vec4<u32>(r16, r17, r18, r19), vec4<u32>(r17, r18, r19, r20), shift),
        digest_join(vec4<u32>(r20, r21, r22, r23), vec4<u32>(r21, r22, r23, r24), shift),
        digest_join(vec4<u32>(r24, r25, r26, r27), vec4<u32>(r25, r26, r27, r28), shift),
        digest_join(vec4<u32>(r28, r29, r30, r31), vec4<u32>(r29, r30, r31, r32), shift),
        digest_join(vec4<u32>(r32, r33, r34, 0u), vec4<u32>(r33, r34, 0u, 0u), shift),
    );
}

// Four words of a padded message: `first` is the number of the first in its block, `left` how many bytes of the
// message remain at the block's start.
fn digest_pad_words(words: vec4<u32>, first: i32, left: i32) -> vec4<u32> {
    let number = vec4<i32>(first, first + 1, first + 2, first + 3);
    let partial = left >> 2u;
    let used = u32(left & 3) * 8u;
    let kept = ~(0xffffffffu << used);
    let marker = 6u << used;
    let ended = select(vec4<u32>(), (words & vec4<u32>(kept)) | vec4<u32>(marker), number == vec4<i32>(partial));
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
        digest_pad_words(block.q4, 16, left),
        digest_pad_words(block.q5, 20, left),
        digest_pad_words(block.q6, 24, left),
        digest_pad_words(block.q7, 28, left),
        digest_pad_words(block.q8, 32, left),
    );
    if (left < 136) {
        padded.q8.y |= 0x80000000u;
    }
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

fn keccak(state: DigestState) -> DigestState {
    var a0 = state.q0.xy;
    var a1 = state.q0.zw;
    var a2 = state.q1.xy;
    var a3 = state.q1.zw;
    var a4 = state.q2.xy;
    var a5 = state.q2.zw;
    var a6 = state.q3.xy;
    var a7 = state.q3.zw;
    var a8 = state.q4.xy;
    var a9 = state.q4.zw;
    var a10 = state.q5.xy;
    var a11 = state.q5.zw;
    var a12 = state.q6.xy;
    var a13 = state.q6.zw;
    var a14 = state.q7.xy;
    var a15 = state.q7.zw;
    var a16 = state.q8.xy;
    var a17 = state.q8.zw;
    var a18 = state.q9.xy;
    var a19 = state.q9.zw;
    var a20 = state.q10.xy;
    var a21 = state.q10.zw;
    var a22 = state.q11.xy;
    var a23 = state.q11.zw;
    var a24 = state.q12.xy;
    var turn = 0u;
    loop {
        let c0 = a0 ^ a5 ^ a10 ^ a15 ^ a20;
        let c1 = a1 ^ a6 ^ a11 ^ a16 ^ a21;
        let c2 = a2 ^ a7 ^ a12 ^ a17 ^ a22;
        let c3 = a3 ^ a8 ^ a13 ^ a18 ^ a23;
        let c4 = a4 ^ a9 ^ a14 ^ a19 ^ a24;
        let d0 = c4 ^ ((c1.yx >> vec2<u32>(31u)) | (c1 << vec2<u32>(1u)));
        let d1 = c0 ^ ((c2.yx >> vec2<u32>(31u)) | (c2 << vec2<u32>(1u)));
        let d2 = c1 ^ ((c3.yx >> vec2<u32>(31u)) | (c3 << vec2<u32>(1u)));
        let d3 = c2 ^ ((c4.yx >> vec2<u32>(31u)) | (c4 << vec2<u32>(1u)));
        let d4 = c3 ^ ((c0.yx >> vec2<u32>(31u)) | (c0 << vec2<u32>(1u)));
        let m0 = a0 ^ d0;
        let b0 = m0;
        let m1 = a1 ^ d1;
        let b10 = ((m1.yx >> vec2<u32>(31u)) | (m1 << vec2<u32>(1u)));
        let m2 = a2 ^ d2;
        let b20 = ((m2 >> vec2<u32>(2u)) | (m2.yx << vec2<u32>(30u)));
        let m3 = a3 ^ d3;
        let b5 = ((m3.yx >> vec2<u32>(4u)) | (m3 << vec2<u32>(28u)));
        let m4 = a4 ^ d4;
        let b15 = ((m4.yx >> vec2<u32>(5u)) | (m4 << vec2<u32>(27u)));
        let m5 = a5 ^ d0;
        let b16 = ((m5 >> vec2<u32>(28u)) | (m5.yx << vec2<u32>(4u)));
        let m6 = a6 ^ d1;
        let b1 = ((m6 >> vec2<u32>(20u)) | (m6.yx << vec2<u32>(12u)));
        let m7 = a7 ^ d2;
        let b11 = ((m7.yx >> vec2<u32>(26u)) | (m7 << vec2<u32>(6u)));
        let m8 = a8 ^ d3;
        let b21 = ((m8 >> vec2<u32>(9u)) | (m8.yx << vec2<u32>(23u)));
        let m9 = a9 ^ d4;
        let b6 = ((m9.yx >> vec2<u32>(12u)) | (m9 << vec2<u32>(20u)));
        let m10 = a10 ^ d0;
        let b7 = ((m10.yx >> vec2<u32>(29u)) | (m10 << vec2<u32>(3u)));
        let m11 = a11 ^ d1;
        let b17 = ((m11.yx >> vec2<u32>(22u)) | (m11 << vec2<u32>(10u)));
        let m12 = a12 ^ d2;
        let b2 = ((m12 >> vec2<u32>(21u)) | (m12.yx << vec2<u32>(11u)));
        let m13 = a13 ^ d3;
        let b12 = ((m13.yx >> vec2<u32>(7u)) | (m13 << vec2<u32>(25u)));
        let m14 = a14 ^ d4;
        let b22 = ((m14 >> vec2<u32>(25u)) | (m14.yx << vec2<u32>(7u)));
        let m15 = a15 ^ d0;
        let b23 = ((m15 >> vec2<u32>(23u)) | (m15.yx << vec2<u32>(9u)));
        let m16 = a16 ^ d1;
        let b8 = ((m16 >> vec2<u32>(19u)) | (m16.yx << vec2<u32>(13u)));
        let m17 = a17 ^ d2;
        let b18 = ((m17.yx >> vec2<u32>(17u)) | (m17 << vec2<u32>(15u)));
        let m18 = a18 ^ d3;
        let b3 = ((m18.yx >> vec2<u32>(11u)) | (m18 << vec2<u32>(21u)));
        let m19 = a19 ^ d4;
        let b13 = ((m19.yx >> vec2<u32>(24u)) | (m19 << vec2<u32>(8u)));
        let m20 = a20 ^ d0;
        let b14 = ((m20.yx >> vec2<u32>(14u)) | (m20 << vec2<u32>(18u)));
        let m21 = a21 ^ d1;
        let b24 = ((m21.yx >> vec2<u32>(30u)) | (m21 << vec2<u32>(2u)));
        let m22 = a22 ^ d2;
        let b9 = ((m22 >> vec2<u32>(3u)) | (m22.yx << vec2<u32>(29u)));
        let m23 = a23 ^ d3;
        let b19 = ((m23 >> vec2<u32>(8u)) | (m23.yx << vec2<u32>(24u)));
        let m24 = a24 ^ d4;
        let b4 = ((m24.yx >> vec2<u32>(18u)) | (m24 << vec2<u32>(14u)));
        a0 = b0 ^ (~b1 & b2);
        a1 = b1 ^ (~b2 & b3);
        a2 = b2 ^ (~b3 & b4);
        a3 = b3 ^ (~b4 & b0);
        a4 = b4 ^ (~b0 & b1);
        a5 = b5 ^ (~b6 & b7);
        a6 = b6 ^ (~b7 & b8);
        a7 = b7 ^ (~b8 & b9);
        a8 = b8 ^ (~b9 & b5);
        a9 = b9 ^ (~b5 & b6);
        a10 = b10 ^ (~b11 & b12);
        a11 = b11 ^ (~b12 & b13);
        a12 = b12 ^ (~b13 & b14);
        a13 = b13 ^ (~b14 & b10);
        a14 = b14 ^ (~b10 & b11);
        a15 = b15 ^ (~b16 & b17);
        a16 = b16 ^ (~b17 & b18);
        a17 = b17 ^ (~b18 & b19);
        a18 = b18 ^ (~b19 & b15);
        a19 = b19 ^ (~b15 & b16);
        a20 = b20 ^ (~b21 & b22);
        a21 = b21 ^ (~b22 & b23);
        a22 = b22 ^ (~b23 & b24);
        a23 = b23 ^ (~b24 & b20);
        a24 = b24 ^ (~b20 & b21);
        a0 ^= vec2<u32>(constants_at(turn * 2u), constants_at(turn * 2u + 1u));
        turn++;
        if (turn >= 24u) {
            break;
        }
    }
    return DigestState(
        vec4<u32>(a0, a1),
        vec4<u32>(a2, a3),
        vec4<u32>(a4, a5),
        vec4<u32>(a6, a7),
        vec4<u32>(a8, a9),
        vec4<u32>(a10, a11),
        vec4<u32>(a12, a13),
        vec4<u32>(a14, a15),
        vec4<u32>(a16, a17),
        vec4<u32>(a18, a19),
        vec4<u32>(a20, a21),
        vec4<u32>(a22, a23),
        vec4<u32>(a24, 0u, 0u),
    );
}

fn digest_absorb(state: DigestState, block: DigestBlock, index: u32, length: u32) -> DigestState {
    var next = state;
    next.q0 ^= block.q0;
    next.q1 ^= block.q1;
    next.q2 ^= block.q2;
    next.q3 ^= block.q3;
    next.q4 ^= block.q4;
    next.q5 ^= block.q5;
    next.q6 ^= block.q6;
    next.q7 ^= block.q7;
    next.q8 ^= vec4<u32>(block.q8.xy, 0u, 0u);
    return keccak(next);
}

// The state whose block is the next output; one of zeros, which no message has, stays.
fn digest_next(state: DigestState) -> DigestState {
    let some = state.q0 | state.q1 | state.q2 | state.q3 | state.q4;
    if (all(some == vec4<u32>())) {
        return state;
    }
    return keccak(state);
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
