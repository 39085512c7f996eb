// kernel sha1
@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read> offsets: array<u32>;
@group(0) @binding(2) var<storage, read> before: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> state: array<vec4<u32>>;

struct Params {
    count: u32,
    first_block: u32,
    blocks: u32,
    last: u32,
    prefix: u32,
    lead: u32,
    tail: u32,
    tail_bytes: u32,
    one_for_all: u32,
    bytes: u32,
    first: u32,
    extent: u32,
    first_thread: u32,
}

@group(0) @binding(4) var<uniform> params: Params;

const digest_block_bytes = 64u;
var<private> digest_message: u32;

// The chaining value.
struct DigestState {
    q0: vec4<u32>,
    q1: vec4<u32>,
}

// A block of a message: 16 words, the first byte of each the most significant.
struct DigestBlock {
    q0: vec4<u32>,
    q1: vec4<u32>,
    q2: vec4<u32>,
    q3: vec4<u32>,
}

fn digest_start() -> DigestState {
    return DigestState(
        vec4<u32>(1732584193u, 4023233417u, 2562383102u, 271733878u),
        vec4<u32>(3285377520u, 0u, 0u, 0u),
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
fn digest_blocks(bare: u32) -> u32 {
    let length = bare + params.tail_bytes;
    return length / 64u + select(1u, 2u, length % 64u > 55u);
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
    let swapped = ((joined << vec4<u32>(8u)) & vec4<u32>(0xff00ff00u)) | ((joined >> vec4<u32>(8u)) & vec4<u32>(0x00ff00ffu));
    return (swapped << vec4<u32>(16u)) | (swapped >> vec4<u32>(16u));
}

// The block of the binding `data` from byte `start` of all on, which need not be a multiple of four. What the driver makes of
// words past the end of the buffer does not matter: `digest_pad` drops all that is not of the message.
fn digest_read(start: u32) -> DigestBlock {
    let word = bitcast<u32>(bitcast<i32>(start) >> 2u) - params.first; // it may begin before the buffer, where `before` will stand
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
    let kept = ~(0xffffffffu >> used);
    let tail = params.tail & ~((0xffffffffu >> 1u) >> (8u * params.tail_bytes - 1u));
    let high = tail | select(0x80000000u >> (8u * params.tail_bytes), 0u, params.tail_bytes == 4u);
    let low = select(0u, 0x80000000u, params.tail_bytes == 4u);
    let next = ((high << 1u) << (31u - used)) | (low >> used);
    var ended = select(vec4<u32>(), vec4<u32>(next), number == vec4<i32>(partial + 1));
    ended = select(ended, (words & vec4<u32>(kept)) | vec4<u32>(high >> used), number == vec4<i32>(partial));
    return select(ended, words, number < vec4<i32>(partial));
}

// Block `index` of a message of `length` bytes as it is hashed: what lies past the end becomes the padding.
fn digest_pad(block: DigestBlock, length: u32, index: u32) -> DigestBlock {
    let left = digest_left(length, index);
    let led = index == 0u && params.lead > 0u;
    let b0 = before[digest_message * 2u + 0u];
    let q0 = select(block.q0, b0, led);
    let b1 = before[digest_message * 2u + 1u];
    let q1 = select(block.q1, vec4<u32>(b1.x, block.q1.yzw), led);
    var padded = DigestBlock(
        digest_pad_words(q0, 0, left),
        digest_pad_words(q1, 4, left),
        digest_pad_words(block.q2, 8, left),
        digest_pad_words(block.q3, 12, left),
    );
    if (left < 56 - i32(params.tail_bytes)) {
        let hashed = length + params.prefix + params.tail_bytes;
        padded.q3.z = hashed >> 29u;
        padded.q3.w = hashed << 3u;
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

fn digest_absorb(state: DigestState, block: DigestBlock, index: u32, length: u32) -> DigestState {
    var w0 = block.q0.x;
    var w1 = block.q0.y;
    var w2 = block.q0.z;
    var w3 = block.q0.w;
    var w4 = block.q1.x;
    var w5 = block.q1.y;
    var w6 = block.q1.z;
    var w7 = block.q1.w;
    var w8 = block.q2.x;
    var w9 = block.q2.y;
    var w10 = block.q2.z;
    var w11 = block.q2.w;
    var w12 = block.q3.x;
    var w13 = block.q3.y;
    var w14 = block.q3.z;
    var w15 = block.q3.w;
    var a = state.q0.x;
    var b = state.q0.y;
    var c = state.q0.z;
    var d = state.q0.w;
    var e = state.q1.x;
    e += ((a << 5u) | (a >> 27u)) + (d ^ (b & (c ^ d))) + 1518500249u + w0;
    b = ((b << 30u) | (b >> 2u));
    d += ((e << 5u) | (e >> 27u)) + (c ^ (a & (b ^ c))) + 1518500249u + w1;
    a = ((a << 30u) | (a >> 2u));
    c += ((d << 5u) | (d >> 27u)) + (b ^ (e & (a ^ b))) + 1518500249u + w2;
    e = ((e << 30u) | (e >> 2u));
    b += ((c << 5u) | (c >> 27u)) + (a ^ (d & (e ^ a))) + 1518500249u + w3;
    d = ((d << 30u) | (d >> 2u));
    a += ((b << 5u) | (b >> 27u)) + (e ^ (c & (d ^ e))) + 1518500249u + w4;
    c = ((c << 30u) | (c >> 2u));
    e += ((a << 5u) | (a >> 27u)) + (d ^ (b & (c ^ d))) + 1518500249u + w5;
    b = ((b << 30u) | (b >> 2u));
    d += ((e << 5u) | (e >> 27u)) + (c ^ (a & (b ^ c))) + 1518500249u + w6;
    a = ((a << 30u) | (a >> 2u));
    c += ((d << 5u) | (d >> 27u)) + (b ^ (e & (a ^ b))) + 1518500249u + w7;
    e = ((e << 30u) | (e >> 2u));
    b += ((c << 5u) | (c >> 27u)) + (a ^ (d & (e ^ a))) + 1518500249u + w8;
    d = ((d << 30u) | (d >> 2u));
    a += ((b << 5u) | (b >> 27u)) + (e ^ (c & (d ^ e))) + 1518500249u + w9;
    c = ((c << 30u) | (c >> 2u));
    e += ((a << 5u) | (a >> 27u)) + (d ^ (b & (c ^ d))) + 1518500249u + w10;
    b = ((b << 30u) | (b >> 2u));
    d += ((e << 5u) | (e >> 27u)) + (c ^ (a & (b ^ c))) + 1518500249u + w11;
    a = ((a << 30u) | (a >> 2u));
    c += ((d << 5u) | (d >> 27u)) + (b ^ (e & (a ^ b))) + 1518500249u + w12;
    e = ((e << 30u) | (e >> 2u));
    b += ((c << 5u) | (c >> 27u)) + (a ^ (d & (e ^ a))) + 1518500249u + w13;
    d = ((d << 30u) | (d >> 2u));
    a += ((b << 5u) | (b >> 27u)) + (e ^ (c & (d ^ e))) + 1518500249u + w14;
    c = ((c << 30u) | (c >> 2u));
    e += ((a << 5u) | (a >> 27u)) + (d ^ (b & (c ^ d))) + 1518500249u + w15;
    b = ((b << 30u) | (b >> 2u));
    w0 ^= w2 ^ w8 ^ w13;
    w0 = ((w0 << 1u) | (w0 >> 31u));
    d += ((e << 5u) | (e >> 27u)) + (c ^ (a & (b ^ c))) + 1518500249u + w0;
    a = ((a << 30u) | (a >> 2u));
    w1 ^= w3 ^ w9 ^ w14;
    w1 = ((w1 << 1u) | (w1 >> 31u));
    c += ((d << 5u) | (d >> 27u)) + (b ^ (e & (a ^ b))) + 1518500249u + w1;
    e = ((e << 30u) | (e >> 2u));
    w2 ^= w4 ^ w10 ^ w15;
    w2 = ((w2 << 1u) | (w2 >> 31u));
    b += ((c << 5u) | (c >> 27u)) + (a ^ (d & (e ^ a))) + 1518500249u + w2;
    d = ((d << 30u) | (d >> 2u));
    w3 ^= w5 ^ w11 ^ w0;
    w3 = ((w3 << 1u) | (w3 >> 31u));
    a += ((b << 5u) | (b >> 27u)) + (e ^ (c & (d ^ e))) + 1518500249u + w3;
    c = ((c << 30u) | (c >> 2u));
    w4 ^= w6 ^ w12 ^ w1;
    w4 = ((w4 << 1u) | (w4 >> 31u));
    e += ((a << 5u) | (a >> 27u)) + (b ^ c ^ d) + 1859775393u + w4;
    b = ((b << 30u) | (b >> 2u));
    w5 ^= w7 ^ w13 ^ w2;
    w5 = ((w5 << 1u) | (w5 >> 31u));
    d += ((e << 5u) | (e >> 27u)) + (a ^ b ^ c) + 1859775393u + w5;
    a = ((a << 30u) | (a >> 2u));
    w6 ^= w8 ^ w14 ^ w3;
    w6 = ((w6 << 1u) | (w6 >> 31u));
    c += ((d << 5u) | (d >> 27u)) + (e ^ a ^ b) + 1859775393u + w6;
    e = ((e << 30u) | (e >> 2u));
    w7 ^= w9 ^ w15 ^ w4;
    w7 = ((w7 << 1u) | (w7 >> 31u));
    b += ((c << 5u) | (c >> 27u)) + (d ^ e ^ a) + 1859775393u + w7;
    d = ((d << 30u) | (d >> 2u));
    w8 ^= w10 ^ w0 ^ w5;
    w8 = ((w8 << 1u) | (w8 >> 31u));
    a += ((b << 5u) | (b >> 27u)) + (c ^ d ^ e) + 1859775393u + w8;
    c = ((c << 30u) | (c >> 2u));
    w9 ^= w11 ^ w1 ^ w6;
    w9 = ((w9 << 1u) | (w9 >> 31u));
    e += ((a << 5u) | (a >> 27u)) + (b ^ c ^ d) + 1859775393u + w9;
    b = ((b << 30u) | (b >> 2u));
    w10 ^= w12 ^ w2 ^ w7;
    w10 = ((w10 << 1u) | (w10 >> 31u));
    d += ((e << 5u) | (e >> 27u)) + (a ^ b ^ c) + 1859775393u + w10;
    a = ((a << 30u) | (a >> 2u));
    w11 ^= w13 ^ w3 ^ w8;
    w11 = ((w11 << 1u) | (w11 >> 31u));
    c += ((d << 5u) | (d >> 27u)) + (e ^ a ^ b) + 1859775393u + w11;
    e = ((e << 30u) | (e >> 2u));
    w12 ^= w14 ^ w4 ^ w9;
    w12 = ((w12 << 1u) | (w12 >> 31u));
    b += ((c << 5u) | (c >> 27u)) + (d ^ e ^ a) + 1859775393u + w12;
    d = ((d << 30u) | (d >> 2u));
    w13 ^= w15 ^ w5 ^ w10;
    w13 = ((w13 << 1u) | (w13 >> 31u));
    a += ((b << 5u) | (b >> 27u)) + (c ^ d ^ e) + 1859775393u + w13;
    c = ((c << 30u) | (c >> 2u));
    w14 ^= w0 ^ w6 ^ w11;
    w14 = ((w14 << 1u) | (w14 >> 31u));
    e += ((a << 5u) | (a >> 27u)) + (b ^ c ^ d) + 1859775393u + w14;
    b = ((b << 30u) | (b >> 2u));
    w15 ^= w1 ^ w7 ^ w12;
    w15 = ((w15 << 1u) | (w15 >> 31u));
    d += ((e << 5u) | (e >> 27u)) + (a ^ b ^ c) + 1859775393u + w15;
    a = ((a << 30u) | (a >> 2u));
    w0 ^= w2 ^ w8 ^ w13;
    w0 = ((w0 << 1u) | (w0 >> 31u));
    c += ((d << 5u) | (d >> 27u)) + (e ^ a ^ b) + 1859775393u + w0;
    e = ((e << 30u) | (e >> 2u));
    w1 ^= w3 ^ w9 ^ w14;
    w1 = ((w1 << 1u) | (w1 >> 31u));
    b += ((c << 5u) | (c >> 27u)) + (d ^ e ^ a) + 1859775393u + w1;
    d = ((d << 30u) | (d >> 2u));
    w2 ^= w4 ^ w10 ^ w15;
    w2 = ((w2 << 1u) | (w2 >> 31u));
    a += ((b << 5u) | (b >> 27u)) + (c ^ d ^ e) + 1859775393u + w2;
    c = ((c << 30u) | (c >> 2u));
    w3 ^= w5 ^ w11 ^ w0;
    w3 = ((w3 << 1u) | (w3 >> 31u));
    e += ((a << 5u) | (a >> 27u)) + (b ^ c ^ d) + 1859775393u + w3;
    b = ((b << 30u) | (b >> 2u));
    w4 ^= w6 ^ w12 ^ w1;
    w4 = ((w4 << 1u) | (w4 >> 31u));
    d += ((e << 5u) | (e >> 27u)) + (a ^ b ^ c) + 1859775393u + w4;
    a = ((a << 30u) | (a >> 2u));
    w5 ^= w7 ^ w13 ^ w2;
    w5 = ((w5 << 1u) | (w5 >> 31u));
    c += ((d << 5u) | (d >> 27u)) + (e ^ a ^ b) + 1859775393u + w5;
    e = ((e << 30u) | (e >> 2u));
    w6 ^= w8 ^ w14 ^ w3;
    w6 = ((w6 << 1u) | (w6 >> 31u));
    b += ((c << 5u) | (c >> 27u)) + (d ^ e ^ a) + 1859775393u + w6;
    d = ((d << 30u) | (d >> 2u));
    w7 ^= w9 ^ w15 ^ w4;
    w7 = ((w7 << 1u) | (w7 >> 31u));
    a += ((b << 5u) | (b >> 27u)) + (c ^ d ^ e) + 1859775393u + w7;
    c = ((c << 30u) | (c >> 2u));
    w8 ^= w10 ^ w0 ^ w5;
    w8 = ((w8 << 1u) | (w8 >> 31u));
    e += ((a << 5u) | (a >> 27u)) + ((b & c) | (d & (b | c))) + 2400959708u + w8;
    b = ((b << 30u) | (b >> 2u));
    w9 ^= w11 ^ w1 ^ w6;
    w9 = ((w9 << 1u) | (w9 >> 31u));
    d += ((e << 5u) | (e >> 27u)) + ((a & b) | (c & (a | b))) + 2400959708u + w9;
    a = ((a << 30u) | (a >> 2u));
    w10 ^= w12 ^ w2 ^ w7;
    w10 = ((w10 << 1u) | (w10 >> 31u));
    c += ((d << 5u) | (d >> 27u)) + ((e & a) | (b & (e | a))) + 2400959708u + w10;
    e = ((e << 30u) | (e >> 2u));
    w11 ^= w13 ^ w3 ^ w8;
    w11 = ((w11 << 1u) | (w11 >> 31u));
    b += ((c << 5u) | (c >> 27u)) + ((d & e) | (a & (d | e))) + 2400959708u + w11;
    d = ((d << 30u) | (d >> 2u));
    w12 ^= w14 ^ w4 ^ w9;
    w12 = ((w12 << 1u) | (w12 >> 31u));
    a += ((b << 5u) | (b >> 27u)) + ((c & d) | (e & (c | d))) + 2400959708u + w12;
    c = ((c << 30u) | (c >> 2u));
    w13 ^= w15 ^ w5 ^ w10;
    w13 = ((w13 << 1u) | (w13 >> 31u));
    e += ((a << 5u) | (a >> 27u)) + ((b & c) | (d & (b | c))) + 2400959708u + w13;
    b = ((b << 30u) | (b >> 2u));
    w14 ^= w0 ^ w6 ^ w11;
    w14 = ((w14 << 1u) | (w14 >> 31u));
    d += ((e << 5u) | (e >> 27u)) + ((a & b) | (c & (a | b))) + 2400959708u + w14;
    a = ((a << 30u) | (a >> 2u));
    w15 ^= w1 ^ w7 ^ w12;
    w15 = ((w15 << 1u) | (w15 >> 31u));
    c += ((d << 5u) | (d >> 27u)) + ((e & a) | (b & (e | a))) + 2400959708u + w15;
    e = ((e << 30u) | (e >> 2u));
    w0 ^= w2 ^ w8 ^ w13;
    w0 = ((w0 << 1u) | (w0 >> 31u));
    b += ((c << 5u) | (c >> 27u)) + ((d & e) | (a & (d | e))) + 2400959708u + w0;
    d = ((d << 30u) | (d >> 2u));
    w1 ^= w3 ^ w9 ^ w14;
    w1 = ((w1 << 1u) | (w1 >> 31u));
    a += ((b << 5u) | (b >> 27u)) + ((c & d) | (e & (c | d))) + 2400959708u + w1;
    c = ((c << 30u) | (c >> 2u));
    w2 ^= w4 ^ w10 ^ w15;
    w2 = ((w2 << 1u) | (w2 >> 31u));
    e += ((a << 5u) | (a >> 27u)) + ((b & c) | (d & (b | c))) + 2400959708u + w2;
    b = ((b << 30u) | (b >> 2u));
    w3 ^= w5 ^ w11 ^ w0;
    w3 = ((w3 << 1u) | (w3 >> 31u));
    d += ((e << 5u) | (e >> 27u)) + ((a & b) | (c & (a | b))) + 2400959708u + w3;
    a = ((a << 30u) | (a >> 2u));
    w4 ^= w6 ^ w12 ^ w1;
    w4 = ((w4 << 1u) | (w4 >> 31u));
    c += ((d << 5u) | (d >> 27u)) + ((e & a) | (b & (e | a))) + 2400959708u + w4;
    e = ((e << 30u) | (e >> 2u));
    w5 ^= w7 ^ w13 ^ w2;
    w5 = ((w5 << 1u) | (w5 >> 31u));
    b += ((c << 5u) | (c >> 27u)) + ((d & e) | (a & (d | e))) + 2400959708u + w5;
    d = ((d << 30u) | (d >> 2u));
    w6 ^= w8 ^ w14 ^ w3;
    w6 = ((w6 << 1u) | (w6 >> 31u));
    a += ((b << 5u) | (b >> 27u)) + ((c & d) | (e & (c | d))) + 2400959708u + w6;
    c = ((c << 30u) | (c >> 2u));
    w7 ^= w9 ^ w15 ^ w4;
    w7 = ((w7 << 1u) | (w7 >> 31u));
    e += ((a << 5u) | (a >> 27u)) + ((b & c) | (d & (b | c))) + 2400959708u + w7;
    b = ((b << 30u) | (b >> 2u));
    w8 ^= w10 ^ w0 ^ w5;
    w8 = ((w8 << 1u) | (w8 >> 31u));
    d += ((e << 5u) | (e >> 27u)) + ((a & b) | (c & (a | b))) + 2400959708u + w8;
    a = ((a << 30u) | (a >> 2u));
    w9 ^= w11 ^ w1 ^ w6;
    w9 = ((w9 << 1u) | (w9 >> 31u));
    c += ((d << 5u) | (d >> 27u)) + ((e & a) | (b & (e | a))) + 2400959708u + w9;
    e = ((e << 30u) | (e >> 2u));
    w10 ^= w12 ^ w2 ^ w7;
    w10 = ((w10 << 1u) | (w10 >> 31u));
    b += ((c << 5u) | (c >> 27u)) + ((d & e) | (a & (d | e))) + 2400959708u + w10;
    d = ((d << 30u) | (d >> 2u));
    w11 ^= w13 ^ w3 ^ w8;
    w11 = ((w11 << 1u) | (w11 >> 31u));
    a += ((b << 5u) | (b >> 27u)) + ((c & d) | (e & (c | d))) + 2400959708u + w11;
    c = ((c << 30u) | (c >> 2u));
    w12 ^= w14 ^ w4 ^ w9;
    w12 = ((w12 << 1u) | (w12 >> 31u));
    e += ((a << 5u) | (a >> 27u)) + (b ^ c ^ d) + 3395469782u + w12;
    b = ((b << 30u) | (b >> 2u));
    w13 ^= w15 ^ w5 ^ w10;
    w13 = ((w13 << 1u) | (w13 >> 31u));
    d += ((e << 5u) | (e >> 27u)) + (a ^ b ^ c) + 3395469782u + w13;
    a = ((a << 30u) | (a >> 2u));
    w14 ^= w0 ^ w6 ^ w11;
    w14 = ((w14 << 1u) | (w14 >> 31u));
    c += ((d << 5u) | (d >> 27u)) + (e ^ a ^ b) + 3395469782u + w14;
    e = ((e << 30u) | (e >> 2u));
    w15 ^= w1 ^ w7 ^ w12;
    w15 = ((w15 << 1u) | (w15 >> 31u));
    b += ((c << 5u) | (c >> 27u)) + (d ^ e ^ a) + 3395469782u + w15;
    d = ((d << 30u) | (d >> 2u));
    w0 ^= w2 ^ w8 ^ w13;
    w0 = ((w0 << 1u) | (w0 >> 31u));
    a += ((b << 5u) | (b >> 27u)) + (c ^ d ^ e) + 3395469782u + w0;
    c = ((c << 30u) | (c >> 2u));
    w1 ^= w3 ^ w9 ^ w14;
    w1 = ((w1 << 1u) | (w1 >> 31u));
    e += ((a << 5u) | (a >> 27u)) + (b ^ c ^ d) + 3395469782u + w1;
    b = ((b << 30u) | (b >> 2u));
    w2 ^= w4 ^ w10 ^ w15;
    w2 = ((w2 << 1u) | (w2 >> 31u));
    d += ((e << 5u) | (e >> 27u)) + (a ^ b ^ c) + 3395469782u + w2;
    a = ((a << 30u) | (a >> 2u));
    w3 ^= w5 ^ w11 ^ w0;
    w3 = ((w3 << 1u) | (w3 >> 31u));
    c += ((d << 5u) | (d >> 27u)) + (e ^ a ^ b) + 3395469782u + w3;
    e = ((e << 30u) | (e >> 2u));
    w4 ^= w6 ^ w12 ^ w1;
    w4 = ((w4 << 1u) | (w4 >> 31u));
    b += ((c << 5u) | (c >> 27u)) + (d ^ e ^ a) + 3395469782u + w4;
    d = ((d << 30u) | (d >> 2u));
    w5 ^= w7 ^ w13 ^ w2;
    w5 = ((w5 << 1u) | (w5 >> 31u));
    a += ((b << 5u) | (b >> 27u)) + (c ^ d ^ e) + 3395469782u + w5;
    c = ((c << 30u) | (c >> 2u));
    w6 ^= w8 ^ w14 ^ w3;
    w6 = ((w6 << 1u) | (w6 >> 31u));
    e += ((a << 5u) | (a >> 27u)) + (b ^ c ^ d) + 3395469782u + w6;
    b = ((b << 30u) | (b >> 2u));
    w7 ^= w9 ^ w15 ^ w4;
    w7 = ((w7 << 1u) | (w7 >> 31u));
    d += ((e << 5u) | (e >> 27u)) + (a ^ b ^ c) + 3395469782u + w7;
    a = ((a << 30u) | (a >> 2u));
    w8 ^= w10 ^ w0 ^ w5;
    w8 = ((w8 << 1u) | (w8 >> 31u));
    c += ((d << 5u) | (d >> 27u)) + (e ^ a ^ b) + 3395469782u + w8;
    e = ((e << 30u) | (e >> 2u));
    w9 ^= w11 ^ w1 ^ w6;
    w9 = ((w9 << 1u) | (w9 >> 31u));
    b += ((c << 5u) | (c >> 27u)) + (d ^ e ^ a) + 3395469782u + w9;
    d = ((d << 30u) | (d >> 2u));
    w10 ^= w12 ^ w2 ^ w7;
    w10 = ((w10 << 1u) | (w10 >> 31u));
    a += ((b << 5u) | (b >> 27u)) + (c ^ d ^ e) + 3395469782u + w10;
    c = ((c << 30u) | (c >> 2u));
    w11 ^= w13 ^ w3 ^ w8;
    w11 = ((w11 << 1u) | (w11 >> 31u));
    e += ((a << 5u) | (a >> 27u)) + (b ^ c ^ d) + 3395469782u + w11;
    b = ((b << 30u) | (b >> 2u));
    w12 ^= w14 ^ w4 ^ w9;
    w12 = ((w12 << 1u) | (w12 >> 31u));
    d += ((e << 5u) | (e >> 27u)) + (a ^ b ^ c) + 3395469782u + w12;
    a = ((a << 30u) | (a >> 2u));
    w13 ^= w15 ^ w5 ^ w10;
    w13 = ((w13 << 1u) | (w13 >> 31u));
    c += ((d << 5u) | (d >> 27u)) + (e ^ a ^ b) + 3395469782u + w13;
    e = ((e << 30u) | (e >> 2u));
    w14 ^= w0 ^ w6 ^ w11;
    w14 = ((w14 << 1u) | (w14 >> 31u));
    b += ((c << 5u) | (c >> 27u)) + (d ^ e ^ a) + 3395469782u + w14;
    d = ((d << 30u) | (d >> 2u));
    w15 ^= w1 ^ w7 ^ w12;
    w15 = ((w15 << 1u) | (w15 >> 31u));
    a += ((b << 5u) | (b >> 27u)) + (c ^ d ^ e) + 3395469782u + w15;
    c = ((c << 30u) | (c >> 2u));
    return DigestState(state.q0 + vec4<u32>(a, b, c, d), state.q1 + vec4<u32>(e, 0u, 0u, 0u));
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
    digest_message = thread;
    let first = select(thread, 0u, params.one_for_all == 1u);
    let begin = offsets[first];
    let end = offsets[first + 1u];
    let start = begin - params.lead;
    let length = end - start;

    let total = digest_blocks(length);
    let at = select(start + params.first_block * digest_block_bytes, begin, params.first_block == 0u);
    if params.first_block >= total || (in_data(begin, end) && !in_window(at)) {
        return;
    }
    var chain = load(thread);
    if params.first_block > 0u {
        chain = load(thread);
    }
    let stop = min(total, params.first_block + params.blocks);
    // Tested at its head: of a loop left in its midst only, llvmpipe may give those that leave first values of later turns.
    for (var index = params.first_block; index < stop; index++) {
        let block = digest_pad(digest_read(start + index * digest_block_bytes), length, index);
        chain = digest_absorb(chain, block, index, length);
    }
    finish(thread, chain, in_data(begin, end) && (params.last == 0u || stop == total));
}

// kernel pbkdf2_sha1
@group(0) @binding(0) var<storage, read> keys: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> state: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> total: array<vec4<u32>>;

struct Params {
    count: u32,
    turns: u32,
    first_thread: u32,
}

@group(0) @binding(3) var<uniform> params: Params;

const digest_block_bytes = 64u;

// The chaining value.
struct DigestState {
    q0: vec4<u32>,
    q1: vec4<u32>,
}

// A block of a message: 16 words, the first byte of each the most significant.
struct DigestBlock {
    q0: vec4<u32>,
    q1: vec4<u32>,
    q2: vec4<u32>,
    q3: vec4<u32>,
}

fn digest_start() -> DigestState {
    return DigestState(
        vec4<u32>(1732584193u, 4023233417u, 2562383102u, 271733878u),
        vec4<u32>(3285377520u, 0u, 0u, 0u),
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

fn digest_absorb(state: DigestState, block: DigestBlock, index: u32, length: u32) -> DigestState {
    var w0 = block.q0.x;
    var w1 = block.q0.y;
    var w2 = block.q0.z;
    var w3 = block.q0.w;
    var w4 = block.q1.x;
    var w5 = block.q1.y;
    var w6 = block.q1.z;
    var w7 = block.q1.w;
    var w8 = block.q2.x;
    var w9 = block.q2.y;
    var w10 = block.q2.z;
    var w11 = block.q2.w;
    var w12 = block.q3.x;
    var w13 = block.q3.y;
    var w14 = block.q3.z;
    var w15 = block.q3.w;
    var a = state.q0.x;
    var b = state.q0.y;
    var c = state.q0.z;
    var d = state.q0.w;
    var e = state.q1.x;
    e += ((a << 5u) | (a >> 27u)) + (d ^ (b & (c ^ d))) + 1518500249u + w0;
    b = ((b << 30u) | (b >> 2u));
    d += ((e << 5u) | (e >> 27u)) + (c ^ (a & (b ^ c))) + 1518500249u + w1;
    a = ((a << 30u) | (a >> 2u));
    c += ((d << 5u) | (d >> 27u)) + (b ^ (e & (a ^ b))) + 1518500249u + w2;
    e = ((e << 30u) | (e >> 2u));
    b += ((c << 5u) | (c >> 27u)) + (a ^ (d & (e ^ a))) + 1518500249u + w3;
    d = ((d << 30u) | (d >> 2u));
    a += ((b << 5u) | (b >> 27u)) + (e ^ (c & (d ^ e))) + 1518500249u + w4;
    c = ((c << 30u) | (c >> 2u));
    e += ((a << 5u) | (a >> 27u)) + (d ^ (b & (c ^ d))) + 1518500249u + w5;
    b = ((b << 30u) | (b >> 2u));
    d += ((e << 5u) | (e >> 27u)) + (c ^ (a & (b ^ c))) + 1518500249u + w6;
    a = ((a << 30u) | (a >> 2u));
    c += ((d << 5u) | (d >> 27u)) + (b ^ (e & (a ^ b))) + 1518500249u + w7;
    e = ((e << 30u) | (e >> 2u));
    b += ((c << 5u) | (c >> 27u)) + (a ^ (d & (e ^ a))) + 1518500249u + w8;
    d = ((d << 30u) | (d >> 2u));
    a += ((b << 5u) | (b >> 27u)) + (e ^ (c & (d ^ e))) + 1518500249u + w9;
    c = ((c << 30u) | (c >> 2u));
    e += ((a << 5u) | (a >> 27u)) + (d ^ (b & (c ^ d))) + 1518500249u + w10;
    b = ((b << 30u) | (b >> 2u));
    d += ((e << 5u) | (e >> 27u)) + (c ^ (a & (b ^ c))) + 1518500249u + w11;
    a = ((a << 30u) | (a >> 2u));
    c += ((d << 5u) | (d >> 27u)) + (b ^ (e & (a ^ b))) + 1518500249u + w12;
    e = ((e << 30u) | (e >> 2u));
    b += ((c << 5u) | (c >> 27u)) + (a ^ (d & (e ^ a))) + 1518500249u + w13;
    d = ((d << 30u) | (d >> 2u));
    a += ((b << 5u) | (b >> 27u)) + (e ^ (c & (d ^ e))) + 1518500249u + w14;
    c = ((c << 30u) | (c >> 2u));
    e += ((a << 5u) | (a >> 27u)) + (d ^ (b & (c ^ d))) + 1518500249u + w15;
    b = ((b << 30u) | (b >> 2u));
    w0 ^= w2 ^ w8 ^ w13;
    w0 = ((w0 << 1u) | (w0 >> 31u));
    d += ((e << 5u) | (e >> 27u)) + (c ^ (a & (b ^ c))) + 1518500249u + w0;
    a = ((a << 30u) | (a >> 2u));
    w1 ^= w3 ^ w9 ^ w14;
    w1 = ((w1 << 1u) | (w1 >> 31u));
    c += ((d << 5u) | (d >> 27u)) + (b ^ (e & (a ^ b))) + 1518500249u + w1;
    e = ((e << 30u) | (e >> 2u));
    w2 ^= w4 ^ w10 ^ w15;
    w2 = ((w2 << 1u) | (w2 >> 31u));
    b += ((c << 5u) | (c >> 27u)) + (a ^ (d & (e ^ a))) + 1518500249u + w2;
    d = ((d << 30u) | (d >> 2u));
    w3 ^= w5 ^ w11 ^ w0;
    w3 = ((w3 << 1u) | (w3 >> 31u));
    a += ((b << 5u) | (b >> 27u)) + (e ^ (c & (d ^ e))) + 1518500249u + w3;
    c = ((c << 30u) | (c >> 2u));
    w4 ^= w6 ^ w12 ^ w1;
    w4 = ((w4 << 1u) | (w4 >> 31u));
    e += ((a << 5u) | (a >> 27u)) + (b ^ c ^ d) + 1859775393u + w4;
    b = ((b << 30u) | (b >> 2u));
    w5 ^= w7 ^ w13 ^ w2;
    w5 = ((w5 << 1u) | (w5 >> 31u));
    d += ((e << 5u) | (e >> 27u)) + (a ^ b ^ c) + 1859775393u + w5;
    a = ((a << 30u) | (a >> 2u));
    w6 ^= w8 ^ w14 ^ w3;
    w6 = ((w6 << 1u) | (w6 >> 31u));
    c += ((d << 5u) | (d >> 27u)) + (e ^ a ^ b) + 1859775393u + w6;
    e = ((e << 30u) | (e >> 2u));
    w7 ^= w9 ^ w15 ^ w4;
    w7 = ((w7 << 1u) | (w7 >> 31u));
    b += ((c << 5u) | (c >> 27u)) + (d ^ e ^ a) + 1859775393u + w7;
    d = ((d << 30u) | (d >> 2u));
    w8 ^= w10 ^ w0 ^ w5;
    w8 = ((w8 << 1u) | (w8 >> 31u));
    a += ((b << 5u) | (b >> 27u)) + (c ^ d ^ e) + 1859775393u + w8;
    c = ((c << 30u) | (c >> 2u));
    w9 ^= w11 ^ w1 ^ w6;
    w9 = ((w9 << 1u) | (w9 >> 31u));
    e += ((a << 5u) | (a >> 27u)) + (b ^ c ^ d) + 1859775393u + w9;
    b = ((b << 30u) | (b >> 2u));
    w10 ^= w12 ^ w2 ^ w7;
    w10 = ((w10 << 1u) | (w10 >> 31u));
    d += ((e << 5u) | (e >> 27u)) + (a ^ b ^ c) + 1859775393u + w10;
    a = ((a << 30u) | (a >> 2u));
    w11 ^= w13 ^ w3 ^ w8;
    w11 = ((w11 << 1u) | (w11 >> 31u));
    c += ((d << 5u) | (d >> 27u)) + (e ^ a ^ b) + 1859775393u + w11;
    e = ((e << 30u) | (e >> 2u));
    w12 ^= w14 ^ w4 ^ w9;
    w12 = ((w12 << 1u) | (w12 >> 31u));
    b += ((c << 5u) | (c >> 27u)) + (d ^ e ^ a) + 1859775393u + w12;
    d = ((d << 30u) | (d >> 2u));
    w13 ^= w15 ^ w5 ^ w10;
    w13 = ((w13 << 1u) | (w13 >> 31u));
    a += ((b << 5u) | (b >> 27u)) + (c ^ d ^ e) + 1859775393u + w13;
    c = ((c << 30u) | (c >> 2u));
    w14 ^= w0 ^ w6 ^ w11;
    w14 = ((w14 << 1u) | (w14 >> 31u));
    e += ((a << 5u) | (a >> 27u)) + (b ^ c ^ d) + 1859775393u + w14;
    b = ((b << 30u) | (b >> 2u));
    w15 ^= w1 ^ w7 ^ w12;
    w15 = ((w15 << 1u) | (w15 >> 31u));
    d += ((e << 5u) | (e >> 27u)) + (a ^ b ^ c) + 1859775393u + w15;
    a = ((a << 30u) | (a >> 2u));
    w0 ^= w2 ^ w8 ^ w13;
    w0 = ((w0 << 1u) | (w0 >> 31u));
    c += ((d << 5u) | (d >> 27u)) + (e ^ a ^ b) + 1859775393u + w0;
    e = ((e << 30u) | (e >> 2u));
    w1 ^= w3 ^ w9 ^ w14;
    w1 = ((w1 << 1u) | (w1 >> 31u));
    b += ((c << 5u) | (c >> 27u)) + (d ^ e ^ a) + 1859775393u + w1;
    d = ((d << 30u) | (d >> 2u));
    w2 ^= w4 ^ w10 ^ w15;
    w2 = ((w2 << 1u) | (w2 >> 31u));
    a += ((b << 5u) | (b >> 27u)) + (c ^ d ^ e) + 1859775393u + w2;
    c = ((c << 30u) | (c >> 2u));
    w3 ^= w5 ^ w11 ^ w0;
    w3 = ((w3 << 1u) | (w3 >> 31u));
    e += ((a << 5u) | (a >> 27u)) + (b ^ c ^ d) + 1859775393u + w3;
    b = ((b << 30u) | (b >> 2u));
    w4 ^= w6 ^ w12 ^ w1;
    w4 = ((w4 << 1u) | (w4 >> 31u));
    d += ((e << 5u) | (e >> 27u)) + (a ^ b ^ c) + 1859775393u + w4;
    a = ((a << 30u) | (a >> 2u));
    w5 ^= w7 ^ w13 ^ w2;
    w5 = ((w5 << 1u) | (w5 >> 31u));
    c += ((d << 5u) | (d >> 27u)) + (e ^ a ^ b) + 1859775393u + w5;
    e = ((e << 30u) | (e >> 2u));
    w6 ^= w8 ^ w14 ^ w3;
    w6 = ((w6 << 1u) | (w6 >> 31u));
    b += ((c << 5u) | (c >> 27u)) + (d ^ e ^ a) + 1859775393u + w6;
    d = ((d << 30u) | (d >> 2u));
    w7 ^= w9 ^ w15 ^ w4;
    w7 = ((w7 << 1u) | (w7 >> 31u));
    a += ((b << 5u) | (b >> 27u)) + (c ^ d ^ e) + 1859775393u + w7;
    c = ((c << 30u) | (c >> 2u));
    w8 ^= w10 ^ w0 ^ w5;
    w8 = ((w8 << 1u) | (w8 >> 31u));
    e += ((a << 5u) | (a >> 27u)) + ((b & c) | (d & (b | c))) + 2400959708u + w8;
    b = ((b << 30u) | (b >> 2u));
    w9 ^= w11 ^ w1 ^ w6;
    w9 = ((w9 << 1u) | (w9 >> 31u));
    d += ((e << 5u) | (e >> 27u)) + ((a & b) | (c & (a | b))) + 2400959708u + w9;
    a = ((a << 30u) | (a >> 2u));
    w10 ^= w12 ^ w2 ^ w7;
    w10 = ((w10 << 1u) | (w10 >> 31u));
    c += ((d << 5u) | (d >> 27u)) + ((e & a) | (b & (e | a))) + 2400959708u + w10;
    e = ((e << 30u) | (e >> 2u));
    w11 ^= w13 ^ w3 ^ w8;
    w11 = ((w11 << 1u) | (w11 >> 31u));
    b += ((c << 5u) | (c >> 27u)) + ((d & e) | (a & (d | e))) + 2400959708u + w11;
    d = ((d << 30u) | (d >> 2u));
    w12 ^= w14 ^ w4 ^ w9;
    w12 = ((w12 << 1u) | (w12 >> 31u));
    a += ((b << 5u) | (b >> 27u)) + ((c & d) | (e & (c | d))) + 2400959708u + w12;
    c = ((c << 30u) | (c >> 2u));
    w13 ^= w15 ^ w5 ^ w10;
    w13 = ((w13 << 1u) | (w13 >> 31u));
    e += ((a << 5u) | (a >> 27u)) + ((b & c) | (d & (b | c))) + 2400959708u + w13;
    b = ((b << 30u) | (b >> 2u));
    w14 ^= w0 ^ w6 ^ w11;
    w14 = ((w14 << 1u) | (w14 >> 31u));
    d += ((e << 5u) | (e >> 27u)) + ((a & b) | (c & (a | b))) + 2400959708u + w14;
    a = ((a << 30u) | (a >> 2u));
    w15 ^= w1 ^ w7 ^ w12;
    w15 = ((w15 << 1u) | (w15 >> 31u));
    c += ((d << 5u) | (d >> 27u)) + ((e & a) | (b & (e | a))) + 2400959708u + w15;
    e = ((e << 30u) | (e >> 2u));
    w0 ^= w2 ^ w8 ^ w13;
    w0 = ((w0 << 1u) | (w0 >> 31u));
    b += ((c << 5u) | (c >> 27u)) + ((d & e) | (a & (d | e))) + 2400959708u + w0;
    d = ((d << 30u) | (d >> 2u));
    w1 ^= w3 ^ w9 ^ w14;
    w1 = ((w1 << 1u) | (w1 >> 31u));
    a += ((b << 5u) | (b >> 27u)) + ((c & d) | (e & (c | d))) + 2400959708u + w1;
    c = ((c << 30u) | (c >> 2u));
    w2 ^= w4 ^ w10 ^ w15;
    w2 = ((w2 << 1u) | (w2 >> 31u));
    e += ((a << 5u) | (a >> 27u)) + ((b & c) | (d & (b | c))) + 2400959708u + w2;
    b = ((b << 30u) | (b >> 2u));
    w3 ^= w5 ^ w11 ^ w0;
    w3 = ((w3 << 1u) | (w3 >> 31u));
    d += ((e << 5u) | (e >> 27u)) + ((a & b) | (c & (a | b))) + 2400959708u + w3;
    a = ((a << 30u) | (a >> 2u));
    w4 ^= w6 ^ w12 ^ w1;
    w4 = ((w4 << 1u) | (w4 >> 31u));
    c += ((d << 5u) | (d >> 27u)) + ((e & a) | (b & (e | a))) + 2400959708u + w4;
    e = ((e << 30u) | (e >> 2u));
    w5 ^= w7 ^ w13 ^ w2;
    w5 = ((w5 << 1u) | (w5 >> 31u));
    b += ((c << 5u) | (c >> 27u)) + ((d & e) | (a & (d | e))) + 2400959708u + w5;
    d = ((d << 30u) | (d >> 2u));
    w6 ^= w8 ^ w14 ^ w3;
    w6 = ((w6 << 1u) | (w6 >> 31u));
    a += ((b << 5u) | (b >> 27u)) + ((c & d) | (e & (c | d))) + 2400959708u + w6;
    c = ((c << 30u) | (c >> 2u));
    w7 ^= w9 ^ w15 ^ w4;
    w7 = ((w7 << 1u) | (w7 >> 31u));
    e += ((a << 5u) | (a >> 27u)) + ((b & c) | (d & (b | c))) + 2400959708u + w7;
    b = ((b << 30u) | (b >> 2u));
    w8 ^= w10 ^ w0 ^ w5;
    w8 = ((w8 << 1u) | (w8 >> 31u));
    d += ((e << 5u) | (e >> 27u)) + ((a & b) | (c & (a | b))) + 2400959708u + w8;
    a = ((a << 30u) | (a >> 2u));
    w9 ^= w11 ^ w1 ^ w6;
    w9 = ((w9 << 1u) | (w9 >> 31u));
    c += ((d << 5u) | (d >> 27u)) + ((e & a) | (b & (e | a))) + 2400959708u + w9;
    e = ((e << 30u) | (e >> 2u));
    w10 ^= w12 ^ w2 ^ w7;
    w10 = ((w10 << 1u) | (w10 >> 31u));
    b += ((c << 5u) | (c >> 27u)) + ((d & e) | (a & (d | e))) + 2400959708u + w10;
    d = ((d << 30u) | (d >> 2u));
    w11 ^= w13 ^ w3 ^ w8;
    w11 = ((w11 << 1u) | (w11 >> 31u));
    a += ((b << 5u) | (b >> 27u)) + ((c & d) | (e & (c | d))) + 2400959708u + w11;
    c = ((c << 30u) | (c >> 2u));
    w12 ^= w14 ^ w4 ^ w9;
    w12 = ((w12 << 1u) | (w12 >> 31u));
    e += ((a << 5u) | (a >> 27u)) + (b ^ c ^ d) + 3395469782u + w12;
    b = ((b << 30u) | (b >> 2u));
    w13 ^= w15 ^ w5 ^ w10;
    w13 = ((w13 << 1u) | (w13 >> 31u));
    d += ((e << 5u) | (e >> 27u)) + (a ^ b ^ c) + 3395469782u + w13;
    a = ((a << 30u) | (a >> 2u));
    w14 ^= w0 ^ w6 ^ w11;
    w14 = ((w14 << 1u) | (w14 >> 31u));
    c += ((d << 5u) | (d >> 27u)) + (e ^ a ^ b) + 3395469782u + w14;
    e = ((e << 30u) | (e >> 2u));
    w15 ^= w1 ^ w7 ^ w12;
    w15 = ((w15 << 1u) | (w15 >> 31u));
    b += ((c << 5u) | (c >> 27u)) + (d ^ e ^ a) + 3395469782u + w15;
    d = ((d << 30u) | (d >> 2u));
    w0 ^= w2 ^ w8 ^ w13;
    w0 = ((w0 << 1u) | (w0 >> 31u));
    a += ((b << 5u) | (b >> 27u)) + (c ^ d ^ e) + 3395469782u + w0;
    c = ((c << 30u) | (c >> 2u));
    w1 ^= w3 ^ w9 ^ w14;
    w1 = ((w1 << 1u) | (w1 >> 31u));
    e += ((a << 5u) | (a >> 27u)) + (b ^ c ^ d) + 3395469782u + w1;
    b = ((b << 30u) | (b >> 2u));
    w2 ^= w4 ^ w10 ^ w15;
    w2 = ((w2 << 1u) | (w2 >> 31u));
    d += ((e << 5u) | (e >> 27u)) + (a ^ b ^ c) + 3395469782u + w2;
    a = ((a << 30u) | (a >> 2u));
    w3 ^= w5 ^ w11 ^ w0;
    w3 = ((w3 << 1u) | (w3 >> 31u));
    c += ((d << 5u) | (d >> 27u)) + (e ^ a ^ b) + 3395469782u + w3;
    e = ((e << 30u) | (e >> 2u));
    w4 ^= w6 ^ w12 ^ w1;
    w4 = ((w4 << 1u) | (w4 >> 31u));
    b += ((c << 5u) | (c >> 27u)) + (d ^ e ^ a) + 3395469782u + w4;
    d = ((d << 30u) | (d >> 2u));
    w5 ^= w7 ^ w13 ^ w2;
    w5 = ((w5 << 1u) | (w5 >> 31u));
    a += ((b << 5u) | (b >> 27u)) + (c ^ d ^ e) + 3395469782u + w5;
    c = ((c << 30u) | (c >> 2u));
    w6 ^= w8 ^ w14 ^ w3;
    w6 = ((w6 << 1u) | (w6 >> 31u));
    e += ((a << 5u) | (a >> 27u)) + (b ^ c ^ d) + 3395469782u + w6;
    b = ((b << 30u) | (b >> 2u));
    w7 ^= w9 ^ w15 ^ w4;
    w7 = ((w7 << 1u) | (w7 >> 31u));
    d += ((e << 5u) | (e >> 27u)) + (a ^ b ^ c) + 3395469782u + w7;
    a = ((a << 30u) | (a >> 2u));
    w8 ^= w10 ^ w0 ^ w5;
    w8 = ((w8 << 1u) | (w8 >> 31u));
    c += ((d << 5u) | (d >> 27u)) + (e ^ a ^ b) + 3395469782u + w8;
    e = ((e << 30u) | (e >> 2u));
    w9 ^= w11 ^ w1 ^ w6;
    w9 = ((w9 << 1u) | (w9 >> 31u));
    b += ((c << 5u) | (c >> 27u)) + (d ^ e ^ a) + 3395469782u + w9;
    d = ((d << 30u) | (d >> 2u));
    w10 ^= w12 ^ w2 ^ w7;
    w10 = ((w10 << 1u) | (w10 >> 31u));
    a += ((b << 5u) | (b >> 27u)) + (c ^ d ^ e) + 3395469782u + w10;
    c = ((c << 30u) | (c >> 2u));
    w11 ^= w13 ^ w3 ^ w8;
    w11 = ((w11 << 1u) | (w11 >> 31u));
    e += ((a << 5u) | (a >> 27u)) + (b ^ c ^ d) + 3395469782u + w11;
    b = ((b << 30u) | (b >> 2u));
    w12 ^= w14 ^ w4 ^ w9;
    w12 = ((w12 << 1u) | (w12 >> 31u));
    d += ((e << 5u) | (e >> 27u)) + (a ^ b ^ c) + 3395469782u + w12;
    a = ((a << 30u) | (a >> 2u));
    w13 ^= w15 ^ w5 ^ w10;
    w13 = ((w13 << 1u) | (w13 >> 31u));
    c += ((d << 5u) | (d >> 27u)) + (e ^ a ^ b) + 3395469782u + w13;
    e = ((e << 30u) | (e >> 2u));
    w14 ^= w0 ^ w6 ^ w11;
    w14 = ((w14 << 1u) | (w14 >> 31u));
    b += ((c << 5u) | (c >> 27u)) + (d ^ e ^ a) + 3395469782u + w14;
    d = ((d << 30u) | (d >> 2u));
    w15 ^= w1 ^ w7 ^ w12;
    w15 = ((w15 << 1u) | (w15 >> 31u));
    a += ((b << 5u) | (b >> 27u)) + (c ^ d ^ e) + 3395469782u + w15;
    c = ((c << 30u) | (c >> 2u));
    return DigestState(state.q0 + vec4<u32>(a, b, c, d), state.q1 + vec4<u32>(e, 0u, 0u, 0u));
}

// One compression a turn, the inner half of an HMAC and its outer half in turns.
fn run(thread: u32) {
    let key = thread * 4u;
    let place = thread * 2u;
    var chain = load(thread);
    var sum = DigestState(total[place], total[place + 1u]);
    if (all((sum.q0 | sum.q1) == vec4<u32>())) {
        return;
    }
    var turn = 0u;
    loop {
        let half = key + (turn & 1u) * 2u;
        chain = digest_absorb(DigestState(keys[half], keys[half + 1u]), DigestBlock(vec4<u32>(chain.q0.x, chain.q0.y, chain.q0.z, chain.q0.w), vec4<u32>(chain.q1.x, 0x80000000u, 0u, 0u), vec4<u32>(0u, 0u, 0u, 0u), vec4<u32>(0u, 0u, 0u, 672u)), 0u, 0u);
        let keep = vec4<u32>(0u - (turn & 1u));
        sum = DigestState(sum.q0 ^ (chain.q0 & keep), sum.q1 ^ (chain.q1 & keep));
        turn++;
        if (turn >= params.turns) {
            break;
        }
    }
    store(thread, chain);
    total[place] = sum.q0;
    total[place + 1u] = sum.q1;
}

@compute @workgroup_size(64, 1, 1)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(local_invocation_id) lid: vec3<u32>,
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) nwg: vec3<u32>,
) {
    let thread = (wid.x + wid.y * nwg.x) * 64u + lid.x + params.first_thread;
    if thread < params.count {
        run(thread);
    }
}
