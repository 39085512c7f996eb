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

// A block of a message: 16 words, the first byte of each the most significant.
struct DigestBlock {
    q0: vec4<u32>,
    q1: vec4<u32>,
    q2: vec4<u32>,
    q3: vec4<u32>,
}

fn digest_start() -> DigestState {
    return DigestState(
        vec4<u32>(1779033703u, 3144134277u, 1013904242u, 2773480762u),
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
    return length / 64u + select(1u, 2u, length % 64u > 55u);
}

// How many bytes of a message of `length` bytes remain where block `index` begins, at most a block; negative when the
// message ended in the block before.
fn digest_left(length: u32, index: u32) -> i32 {
    return select(i32(length - index * 64u), 64, length / 64u > index);
}

// Four words of a byte stream whose first byte is the most significant of each word of `high`, begun `shift` bits into
// it. `1u` and `31u - shift` because a shift by 32 is a shift by none.
fn digest_join(high: vec4<u32>, low: vec4<u32>, shift: u32) -> vec4<u32> {
    let joined = (high << vec4<u32>(shift)) | ((low >> vec4<u32>(1u)) >> vec4<u32>(31u - shift));
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
    let kept = ~(0xffffffffu >> used);
    let marker = 2147483648u >> used;
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
    );
    if (left < 56) {
        let hashed = length;
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

fn digest_compress(state: DigestState, block: DigestBlock) -> DigestState {
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
    var f = state.q1.y;
    var g = state.q1.z;
    var h = state.q1.w;
    h += (((e >> 6u) | (e << 26u)) ^ ((e >> 11u) | (e << 21u)) ^ ((e >> 25u) | (e << 7u))) + (g ^ (e & (f ^ g))) + 1116352408u + w0;
    d += h;
    h += (((a >> 2u) | (a << 30u)) ^ ((a >> 13u) | (a << 19u)) ^ ((a >> 22u) | (a << 10u))) + (((a ^ b) & (b ^ c)) ^ b);
    g += (((d >> 6u) | (d << 26u)) ^ ((d >> 11u) | (d << 21u)) ^ ((d >> 25u) | (d << 7u))) + (f ^ (d & (e ^ f))) + 1899447441u + w1;
    c += g;
    g += (((h >> 2u) | (h << 30u)) ^ ((h >> 13u) | (h << 19u)) ^ ((h >> 22u) | (h << 10u))) + (((h ^ a) & (a ^ b)) ^ a);
    f += (((c >> 6u) | (c << 26u)) ^ ((c >> 11u) | (c << 21u)) ^ ((c >> 25u) | (c << 7u))) + (e ^ (c & (d ^ e))) + 3049323471u + w2;
    b += f;
    f += (((g >> 2u) | (g << 30u)) ^ ((g >> 13u) | (g << 19u)) ^ ((g >> 22u) | (g << 10u))) + (((g ^ h) & (h ^ a)) ^ h);
    e += (((b >> 6u) | (b << 26u)) ^ ((b >> 11u) | (b << 21u)) ^ ((b >> 25u) | (b << 7u))) + (d ^ (b & (c ^ d))) + 3921009573u + w3;
    a += e;
    e += (((f >> 2u) | (f << 30u)) ^ ((f >> 13u) | (f << 19u)) ^ ((f >> 22u) | (f << 10u))) + (((f ^ g) & (g ^ h)) ^ g);
    d += (((a >> 6u) | (a << 26u)) ^ ((a >> 11u) | (a << 21u)) ^ ((a >> 25u) | (a << 7u))) + (c ^ (a & (b ^ c))) + 961987163u + w4;
    h += d;
    d += (((e >> 2u) | (e << 30u)) ^ ((e >> 13u) | (e << 19u)) ^ ((e >> 22u) | (e << 10u))) + (((e ^ f) & (f ^ g)) ^ f);
    c += (((h >> 6u) | (h << 26u)) ^ ((h >> 11u) | (h << 21u)) ^ ((h >> 25u) | (h << 7u))) + (b ^ (h & (a ^ b))) + 1508970993u + w5;
    g += c;
    c += (((d >> 2u) | (d << 30u)) ^ ((d >> 13u) | (d << 19u)) ^ ((d >> 22u) | (d << 10u))) + (((d ^ e) & (e ^ f)) ^ e);
    b += (((g >> 6u) | (g << 26u)) ^ ((g >> 11u) | (g << 21u)) ^ ((g >> 25u) | (g << 7u))) + (a ^ (g & (h ^ a))) + 2453635748u + w6;
    f += b;
    b += (((c >> 2u) | (c << 30u)) ^ ((c >> 13u) | (c << 19u)) ^ ((c >> 22u) | (c << 10u))) + (((c ^ d) & (d ^ e)) ^ d);
    a += (((f >> 6u) | (f << 26u)) ^ ((f >> 11u) | (f << 21u)) ^ ((f >> 25u) | (f << 7u))) + (h ^ (f & (g ^ h))) + 2870763221u + w7;
    e += a;
    a += (((b >> 2u) | (b << 30u)) ^ ((b >> 13u) | (b << 19u)) ^ ((b >> 22u) | (b << 10u))) + (((b ^ c) & (c ^ d)) ^ c);
    h += (((e >> 6u) | (e << 26u)) ^ ((e >> 11u) | (e << 21u)) ^ ((e >> 25u) | (e << 7u))) + (g ^ (e & (f ^ g))) + 3624381080u + w8;
    d += h;
    h += (((a >> 2u) | (a << 30u)) ^ ((a >> 13u) | (a << 19u)) ^ ((a >> 22u) | (a << 10u))) + (((a ^ b) & (b ^ c)) ^ b);
    g += (((d >> 6u) | (d << 26u)) ^ ((d >> 11u) | (d << 21u)) ^ ((d >> 25u) | (d << 7u))) + (f ^ (d & (e ^ f))) + 310598401u + w9;
    c += g;
    g += (((h >> 2u) | (h << 30u)) ^ ((h >> 13u) | (h << 19u)) ^ ((h >> 22u) | (h << 10u))) + (((h ^ a) & (a ^ b)) ^ a);
    f += (((c >> 6u) | (c << 26u)) ^ ((c >> 11u) | (c << 21u)) ^ ((c >> 25u) | (c << 7u))) + (e ^ (c & (d ^ e))) + 607225278u + w10;
    b += f;
    f += (((g >> 2u) | (g << 30u)) ^ ((g >> 13u) | (g << 19u)) ^ ((g >> 22u) | (g << 10u))) + (((g ^ h) & (h ^ a)) ^ h);
    e += (((b >> 6u) | (b << 26u)) ^ ((b >> 11u) | (b << 21u)) ^ ((b >> 25u) | (b << 7u))) + (d ^ (b & (c ^ d))) + 1426881987u + w11;
    a += e;
    e += (((f >> 2u) | (f << 30u)) ^ ((f >> 13u) | (f << 19u)) ^ ((f >> 22u) | (f << 10u))) + (((f ^ g) & (g ^ h)) ^ g);
    d += (((a >> 6u) | (a << 26u)) ^ ((a >> 11u) | (a << 21u)) ^ ((a >> 25u) | (a << 7u))) + (c ^ (a & (b ^ c))) + 1925078388u + w12;
    h += d;
    d += (((e >> 2u) | (e << 30u)) ^ ((e >> 13u) | (e << 19u)) ^ ((e >> 22u) | (e << 10u))) + (((e ^ f) & (f ^ g)) ^ f);
    c += (((h >> 6u) | (h << 26u)) ^ ((h >> 11u) | (h << 21u)) ^ ((h >> 25u) | (h << 7u))) + (b ^ (h & (a ^ b))) + 2162078206u + w13;
    g += c;
    c += (((d >> 2u) | (d << 30u)) ^ ((d >> 13u) | (d << 19u)) ^ ((d >> 22u) | (d << 10u))) + (((d ^ e) & (e ^ f)) ^ e);
    b += (((g >> 6u) | (g << 26u)) ^ ((g >> 11u) | (g << 21u)) ^ ((g >> 25u) | (g << 7u))) + (a ^ (g & (h ^ a))) + 2614888103u + w14;
    f += b;
    b += (((c >> 2u) | (c << 30u)) ^ ((c >> 13u) | (c << 19u)) ^ ((c >> 22u) | (c << 10u))) + (((c ^ d) & (d ^ e)) ^ d);
    a += (((f >> 6u) | (f << 26u)) ^ ((f >> 11u) | (f << 21u)) ^ ((f >> 25u) | (f << 7u))) + (h ^ (f & (g ^ h))) + 3248222580u + w15;
    e += a;
    a += (((b >> 2u) | (b << 30u)) ^ ((b >> 13u) | (b << 19u)) ^ ((b >> 22u) | (b << 10u))) + (((b ^ c) & (c ^ d)) ^ c);
    w0 += (((w1 >> 7u) | (w1 << 25u)) ^ ((w1 >> 18u) | (w1 << 14u)) ^ (w1 >> 3u)) + w9 + (((w14 >> 17u) | (w14 << 15u)) ^ ((w14 >> 19u) | (w14 << 13u)) ^ (w14 >> 10u));
    h += (((e >> 6u) | (e << 26u)) ^ ((e >> 11u) | (e << 21u)) ^ ((e >> 25u) | (e << 7u))) + (g ^ (e & (f ^ g))) + 3835390401u + w0;
    d += h;
    h += (((a >> 2u) | (a << 30u)) ^ ((a >> 13u) | (a << 19u)) ^ ((a >> 22u) | (a << 10u))) + (((a ^ b) & (b ^ c)) ^ b);
    w1 += (((w2 >> 7u) | (w2 << 25u)) ^ ((w2 >> 18u) | (w2 << 14u)) ^ (w2 >> 3u)) + w10 + (((w15 >> 17u) | (w15 << 15u)) ^ ((w15 >> 19u) | (w15 << 13u)) ^ (w15 >> 10u));
    g += (((d >> 6u) | (d << 26u)) ^ ((d >> 11u) | (d << 21u)) ^ ((d >> 25u) | (d << 7u))) + (f ^ (d & (e ^ f))) + 4022224774u + w1;
    c += g;
    g += (((h >> 2u) | (h << 30u)) ^ ((h >> 13u) | (h << 19u)) ^ ((h >> 22u) | (h << 10u))) + (((h ^ a) & (a ^ b)) ^ a);
    w2 += (((w3 >> 7u) | (w3 << 25u)) ^ ((w3 >> 18u) | (w3 << 14u)) ^ (w3 >> 3u)) + w11 + (((w0 >> 17u) | (w0 << 15u)) ^ ((w0 >> 19u) | (w0 << 13u)) ^ (w0 >> 10u));
    f += (((c >> 6u) | (c << 26u)) ^ ((c >> 11u) | (c << 21u)) ^ ((c >> 25u) | (c << 7u))) + (e ^ (c & (d ^ e))) + 264347078u + w2;
    b += f;
    f += (((g >> 2u) | (g << 30u)) ^ ((g >> 13u) | (g << 19u)) ^ ((g >> 22u) | (g << 10u))) + (((g ^ h) & (h ^ a)) ^ h);
    w3 += (((w4 >> 7u) | (w4 << 25u)) ^ ((w4 >> 18u) | (w4 << 14u)) ^ (w4 >> 3u)) + w12 + (((w1 >> 17u) | (w1 << 15u)) ^ ((w1 >> 19u) | (w1 << 13u)) ^ (w1 >> 10u));
    e += (((b >> 6u) | (b << 26u)) ^ ((b >> 11u) | (b << 21u)) ^ ((b >> 25u) | (b << 7u))) + (d ^ (b & (c ^ d))) + 604807628u + w3;
    a += e;
    e += (((f >> 2u) | (f << 30u)) ^ ((f >> 13u) | (f << 19u)) ^ ((f >> 22u) | (f << 10u))) + (((f ^ g) & (g ^ h)) ^ g);
    w4 += (((w5 >> 7u) | (w5 << 25u)) ^ ((w5 >> 18u) | (w5 << 14u)) ^ (w5 >> 3u)) + w13 + (((w2 >> 17u) | (w2 << 15u)) ^ ((w2 >> 19u) | (w2 << 13u)) ^ (w2 >> 10u));
    d += (((a >> 6u) | (a << 26u)) ^ ((a >> 11u) | (a << 21u)) ^ ((a >> 25u) | (a << 7u))) + (c ^ (a & (b ^ c))) + 770255983u + w4;
    h += d;
    d += (((e >> 2u) | (e << 30u)) ^ ((e >> 13u) | (e << 19u)) ^ ((e >> 22u) | (e << 10u))) + (((e ^ f) & (f ^ g)) ^ f);
    w5 += (((w6 >> 7u) | (w6 << 25u)) ^ ((w6 >> 18u) | (w6 << 14u)) ^ (w6 >> 3u)) + w14 + (((w3 >> 17u) | (w3 << 15u)) ^ ((w3 >> 19u) | (w3 << 13u)) ^ (w3 >> 10u));
    c += (((h >> 6u) | (h << 26u)) ^ ((h >> 11u) | (h << 21u)) ^ ((h >> 25u) | (h << 7u))) + (b ^ (h & (a ^ b))) + 1249150122u + w5;
    g += c;
    c += (((d >> 2u) | (d << 30u)) ^ ((d >> 13u) | (d << 19u)) ^ ((d >> 22u) | (d << 10u))) + (((d ^ e) & (e ^ f)) ^ e);
    w6 += (((w7 >> 7u) | (w7 << 25u)) ^ ((w7 >> 18u) | (w7 << 14u)) ^ (w7 >> 3u)) + w15 + (((w4 >> 17u) | (w4 << 15u)) ^ ((w4 >> 19u) | (w4 << 13u)) ^ (w4 >> 10u));
    b += (((g >> 6u) | (g << 26u)) ^ ((g >> 11u) | (g << 21u)) ^ ((g >> 25u) | (g << 7u))) + (a ^ (g & (h ^ a))) + 1555081692u + w6;
    f += b;
    b += (((c >> 2u) | (c << 30u)) ^ ((c >> 13u) | (c << 19u)) ^ ((c >> 22u) | (c << 10u))) + (((c ^ d) & (d ^ e)) ^ d);
    w7 += (((w8 >> 7u) | (w8 << 25u)) ^ ((w8 >> 18u) | (w8 << 14u)) ^ (w8 >> 3u)) + w0 + (((w5 >> 17u) | (w5 << 15u)) ^ ((w5 >> 19u) | (w5 << 13u)) ^ (w5 >> 10u));
    a += (((f >> 6u) | (f << 26u)) ^ ((f >> 11u) | (f << 21u)) ^ ((f >> 25u) | (f << 7u))) + (h ^ (f & (g ^ h))) + 1996064986u + w7;
    e += a;
    a += (((b >> 2u) | (b << 30u)) ^ ((b >> 13u) | (b << 19u)) ^ ((b >> 22u) | (b << 10u))) + (((b ^ c) & (c ^ d)) ^ c);
    w8 += (((w9 >> 7u) | (w9 << 25u)) ^ ((w9 >> 18u) | (w9 << 14u)) ^ (w9 >> 3u)) + w1 + (((w6 >> 17u) | (w6 << 15u)) ^ ((w6 >> 19u) | (w6 << 13u)) ^ (w6 >> 10u));
    h += (((e >> 6u) | (e << 26u)) ^ ((e >> 11u) | (e << 21u)) ^ ((e >> 25u) | (e << 7u))) + (g ^ (e & (f ^ g))) + 2554220882u + w8;
    d += h;
    h += (((a >> 2u) | (a << 30u)) ^ ((a >> 13u) | (a << 19u)) ^ ((a >> 22u) | (a << 10u))) + (((a ^ b) & (b ^ c)) ^ b);
    w9 += (((w10 >> 7u) | (w10 << 25u)) ^ ((w10 >> 18u) | (w10 << 14u)) ^ (w10 >> 3u)) + w2 + (((w7 >> 17u) | (w7 << 15u)) ^ ((w7 >> 19u) | (w7 << 13u)) ^ (w7 >> 10u));
    g += (((d >> 6u) | (d << 26u)) ^ ((d >> 11u) | (d << 21u)) ^ ((d >> 25u) | (d << 7u))) + (f ^ (d & (e ^ f))) + 2821834349u + w9;
    c += g;
    g += (((h >> 2u) | (h << 30u)) ^ ((h >> 13u) | (h << 19u)) ^ ((h >> 22u) | (h << 10u))) + (((h ^ a) & (a ^ b)) ^ a);
    w10 += (((w11 >> 7u) | (w11 << 25u)) ^ ((w11 >> 18u) | (w11 << 14u)) ^ (w11 >> 3u)) + w3 + (((w8 >> 17u) | (w8 << 15u)) ^ ((w8 >> 19u) | (w8 << 13u)) ^ (w8 >> 10u));
    f += (((c >> 6u) | (c << 26u)) ^ ((c >> 11u) | (c << 21u)) ^ ((c >> 25u) | (c << 7u))) + (e ^ (c & (d ^ e))) + 2952996808u + w10;
    b += f;
    f += (((g >> 2u) | (g << 30u)) ^ ((g >> 13u) | (g << 19u)) ^ ((g >> 22u) | (g << 10u))) + (((g ^ h) & (h ^ a)) ^ h);
    w11 += (((w12 >> 7u) | (w12 << 25u)) ^ ((w12 >> 18u) | (w12 << 14u)) ^ (w12 >> 3u)) + w4 + (((w9 >> 17u) | (w9 << 15u)) ^ ((w9 >> 19u) | (w9 << 13u)) ^ (w9 >> 10u));
    e += (((b >> 6u) | (b << 26u)) ^ ((b >> 11u) | (b << 21u)) ^ ((b >> 25u) | (b << 7u))) + (d ^ (b & (c ^ d))) + 3210313671u + w11;
    a += e;
    e += (((f >> 2u) | (f << 30u)) ^ ((f >> 13u) | (f << 19u)) ^ ((f >> 22u) | (f << 10u))) + (((f ^ g) & (g ^ h)) ^ g);
    w12 += (((w13 >> 7u) | (w13 << 25u)) ^ ((w13 >> 18u) | (w13 << 14u)) ^ (w13 >> 3u)) + w5 + (((w10 >> 17u) | (w10 << 15u)) ^ ((w10 >> 19u) | (w10 << 13u)) ^ (w10 >> 10u));
    d += (((a >> 6u) | (a << 26u)) ^ ((a >> 11u) | (a << 21u)) ^ ((a >> 25u) | (a << 7u))) + (c ^ (a & (b ^ c))) + 3336571891u + w12;
    h += d;
    d += (((e >> 2u) | (e << 30u)) ^ ((e >> 13u) | (e << 19u)) ^ ((e >> 22u) | (e << 10u))) + (((e ^ f) & (f ^ g)) ^ f);
    w13 += (((w14 >> 7u) | (w14 << 25u)) ^ ((w14 >> 18u) | (w14 << 14u)) ^ (w14 >> 3u)) + w6 + (((w11 >> 17u) | (w11 << 15u)) ^ ((w11 >> 19u) | (w11 << 13u)) ^ (w11 >> 10u));
    c += (((h >> 6u) | (h << 26u)) ^ ((h >> 11u) | (h << 21u)) ^ ((h >> 25u) | (h << 7u))) + (b ^ (h & (a ^ b))) + 3584528711u + w13;
    g += c;
    c += (((d >> 2u) | (d << 30u)) ^ ((d >> 13u) | (d << 19u)) ^ ((d >> 22u) | (d << 10u))) + (((d ^ e) & (e ^ f)) ^ e);
    w14 += (((w15 >> 7u) | (w15 << 25u)) ^ ((w15 >> 18u) | (w15 << 14u)) ^ (w15 >> 3u)) + w7 + (((w12 >> 17u) | (w12 << 15u)) ^ ((w12 >> 19u) | (w12 << 13u)) ^ (w12 >> 10u));
    b += (((g >> 6u) | (g << 26u)) ^ ((g >> 11u) | (g << 21u)) ^ ((g >> 25u) | (g << 7u))) + (a ^ (g & (h ^ a))) + 113926993u + w14;
    f += b;
    b += (((c >> 2u) | (c << 30u)) ^ ((c >> 13u) | (c << 19u)) ^ ((c >> 22u) | (c << 10u))) + (((c ^ d) & (d ^ e)) ^ d);
    w15 += (((w0 >> 7u) | (w0 << 25u)) ^ ((w0 >> 18u) | (w0 << 14u)) ^ (w0 >> 3u)) + w8 + (((w13 >> 17u) | (w13 << 15u)) ^ ((w13 >> 19u) | (w13 << 13u)) ^ (w13 >> 10u));
    a += (((f >> 6u) | (f << 26u)) ^ ((f >> 11u) | (f << 21u)) ^ ((f >> 25u) | (f << 7u))) + (h ^ (f & (g ^ h))) + 338241895u + w15;
    e += a;
    a += (((b >> 2u) | (b << 30u)) ^ ((b >> 13u) | (b << 19u)) ^ ((b >> 22u) | (b << 10u))) + (((b ^ c) & (c ^ d)) ^ c);
    w0 += (((w1 >> 7u) | (w1 << 25u)) ^ ((w1 >> 18u) | (w1 << 14u)) ^ (w1 >> 3u)) + w9 + (((w14 >> 17u) | (w14 << 15u)) ^ ((w14 >> 19u) | (w14 << 13u)) ^ (w14 >> 10u));
    h += (((e >> 6u) | (e << 26u)) ^ ((e >> 11u) | (e << 21u)) ^ ((e >> 25u) | (e << 7u))) + (g ^ (e & (f ^ g))) + 666307205u + w0;
    d += h;
    h += (((a >> 2u) | (a << 30u)) ^ ((a >> 13u) | (a << 19u)) ^ ((a >> 22u) | (a << 10u))) + (((a ^ b) & (b ^ c)) ^ b);
    w1 += (((w2 >> 7u) | (w2 << 25u)) ^ ((w2 >> 18u) | (w2 << 14u)) ^ (w2 >> 3u)) + w10 + (((w15 >> 17u) | (w15 << 15u)) ^ ((w15 >> 19u) | (w15 << 13u)) ^ (w15 >> 10u));
    g += (((d >> 6u) | (d << 26u)) ^ ((d >> 11u) | (d << 21u)) ^ ((d >> 25u) | (d << 7u))) + (f ^ (d & (e ^ f))) + 773529912u + w1;
    c += g;
    g += (((h >> 2u) | (h << 30u)) ^ ((h >> 13u) | (h << 19u)) ^ ((h >> 22u) | (h << 10u))) + (((h ^ a) & (a ^ b)) ^ a);
    w2 += (((w3 >> 7u) | (w3 << 25u)) ^ ((w3 >> 18u) | (w3 << 14u)) ^ (w3 >> 3u)) + w11 + (((w0 >> 17u) | (w0 << 15u)) ^ ((w0 >> 19u) | (w0 << 13u)) ^ (w0 >> 10u));
    f += (((c >> 6u) | (c << 26u)) ^ ((c >> 11u) | (c << 21u)) ^ ((c >> 25u) | (c << 7u))) + (e ^ (c & (d ^ e))) + 1294757372u + w2;
    b += f;
    f += (((g >> 2u) | (g << 30u)) ^ ((g >> 13u) | (g << 19u)) ^ ((g >> 22u) | (g << 10u))) + (((g ^ h) & (h ^ a)) ^ h);
    w3 += (((w4 >> 7u) | (w4 << 25u)) ^ ((w4 >> 18u) | (w4 << 14u)) ^ (w4 >> 3u)) + w12 + (((w1 >> 17u) | (w1 << 15u)) ^ ((w1 >> 19u) | (w1 << 13u)) ^ (w1 >> 10u));
    e += (((b >> 6u) | (b << 26u)) ^ ((b >> 11u) | (b << 21u)) ^ ((b >> 25u) | (b << 7u))) + (d ^ (b & (c ^ d))) + 1396182291u + w3;
    a += e;
    e += (((f >> 2u) | (f << 30u)) ^ ((f >> 13u) | (f << 19u)) ^ ((f >> 22u) | (f << 10u))) + (((f ^ g) & (g ^ h)) ^ g);
    w4 += (((w5 >> 7u) | (w5 << 25u)) ^ ((w5 >> 18u) | (w5 << 14u)) ^ (w5 >> 3u)) + w13 + (((w2 >> 17u) | (w2 << 15u)) ^ ((w2 >> 19u) | (w2 << 13u)) ^ (w2 >> 10u));
    d += (((a >> 6u) | (a << 26u)) ^ ((a >> 11u) | (a << 21u)) ^ ((a >> 25u) | (a << 7u))) + (c ^ (a & (b ^ c))) + 1695183700u + w4;
    h += d;
    d += (((e >> 2u) | (e << 30u)) ^ ((e >> 13u) | (e << 19u)) ^ ((e >> 22u) | (e << 10u))) + (((e ^ f) & (f ^ g)) ^ f);
    w5 += (((w6 >> 7u) | (w6 << 25u)) ^ ((w6 >> 18u) | (w6 << 14u)) ^ (w6 >> 3u)) + w14 + (((w3 >> 17u) | (w3 << 15u)) ^ ((w3 >> 19u) | (w3 << 13u)) ^ (w3 >> 10u));
    c += (((h >> 6u) | (h << 26u)) ^ ((h >> 11u) | (h << 21u)) ^ ((h >> 25u) | (h << 7u))) + (b ^ (h & (a ^ b))) + 1986661051u + w5;
    g += c;
    c += (((d >> 2u) | (d << 30u)) ^ ((d >> 13u) | (d << 19u)) ^ ((d >> 22u) | (d << 10u))) + (((d ^ e) & (e ^ f)) ^ e);
    w6 += (((w7 >> 7u) | (w7 << 25u)) ^ ((w7 >> 18u) | (w7 << 14u)) ^ (w7 >> 3u)) + w15 + (((w4 >> 17u) | (w4 << 15u)) ^ ((w4 >> 19u) | (w4 << 13u)) ^ (w4 >> 10u));
    b += (((g >> 6u) | (g << 26u)) ^ ((g >> 11u) | (g << 21u)) ^ ((g >> 25u) | (g << 7u))) + (a ^ (g & (h ^ a))) + 2177026350u + w6;
    f += b;
    b += (((c >> 2u) | (c << 30u)) ^ ((c >> 13u) | (c << 19u)) ^ ((c >> 22u) | (c << 10u))) + (((c ^ d) & (d ^ e)) ^ d);
    w7 += (((w8 >> 7u) | (w8 << 25u)) ^ ((w8 >> 18u) | (w8 << 14u)) ^ (w8 >> 3u)) + w0 + (((w5 >> 17u) | (w5 << 15u)) ^ ((w5 >> 19u) | (w5 << 13u)) ^ (w5 >> 10u));
    a += (((f >> 6u) | (f << 26u)) ^ ((f >> 11u) | (f << 21u)) ^ ((f >> 25u) | (f << 7u))) + (h ^ (f & (g ^ h))) + 2456956037u + w7;
    e += a;
    a += (((b >> 2u) | (b << 30u)) ^ ((b >> 13u) | (b << 19u)) ^ ((b >> 22u) | (b << 10u))) + (((b ^ c) & (c ^ d)) ^ c);
    w8 += (((w9 >> 7u) | (w9 << 25u)) ^ ((w9 >> 18u) | (w9 << 14u)) ^ (w9 >> 3u)) + w1 + (((w6 >> 17u) | (w6 << 15u)) ^ ((w6 >> 19u) | (w6 << 13u)) ^ (w6 >> 10u));
    h += (((e >> 6u) | (e << 26u)) ^ ((e >> 11u) | (e << 21u)) ^ ((e >> 25u) | (e << 7u))) + (g ^ (e & (f ^ g))) + 2730485921u + w8;
    d += h;
    h += (((a >> 2u) | (a << 30u)) ^ ((a >> 13u) | (a << 19u)) ^ ((a >> 22u) | (a << 10u))) + (((a ^ b) & (b ^ c)) ^ b);
    w9 += (((w10 >> 7u) | (w10 << 25u)) ^ ((w10 >> 18u) | (w10 << 14u)) ^ (w10 >> 3u)) + w2 + (((w7 >> 17u) | (w7 << 15u)) ^ ((w7 >> 19u) | (w7 << 13u)) ^ (w7 >> 10u));
    g += (((d >> 6u) | (d << 26u)) ^ ((d >> 11u) | (d << 21u)) ^ ((d >> 25u) | (d << 7u))) + (f ^ (d & (e ^ f))) + 2820302411u + w9;
    c += g;
    g += (((h >> 2u) | (h << 30u)) ^ ((h >> 13u) | (h << 19u)) ^ ((h >> 22u) | (h << 10u))) + (((h ^ a) & (a ^ b)) ^ a);
    w10 += (((w11 >> 7u) | (w11 << 25u)) ^ ((w11 >> 18u) | (w11 << 14u)) ^ (w11 >> 3u)) + w3 + (((w8 >> 17u) | (w8 << 15u)) ^ ((w8 >> 19u) | (w8 << 13u)) ^ (w8 >> 10u));
    f += (((c >> 6u) | (c << 26u)) ^ ((c >> 11u) | (c << 21u)) ^ ((c >> 25u) | (c << 7u))) + (e ^ (c & (d ^ e))) + 3259730800u + w10;
    b += f;
    f += (((g >> 2u) | (g << 30u)) ^ ((g >> 13u) | (g << 19u)) ^ ((g >> 22u) | (g << 10u))) + (((g ^ h) & (h ^ a)) ^ h);
    w11 += (((w12 >> 7u) | (w12 << 25u)) ^ ((w12 >> 18u) | (w12 << 14u)) ^ (w12 >> 3u)) + w4 + (((w9 >> 17u) | (w9 << 15u)) ^ ((w9 >> 19u) | (w9 << 13u)) ^ (w9 >> 10u));
    e += (((b >> 6u) | (b << 26u)) ^ ((b >> 11u) | (b << 21u)) ^ ((b >> 25u) | (b << 7u))) + (d ^ (b & (c ^ d))) + 3345764771u + w11;
    a += e;
    e += (((f >> 2u) | (f << 30u)) ^ ((f >> 13u) | (f << 19u)) ^ ((f >> 22u) | (f << 10u))) + (((f ^ g) & (g ^ h)) ^ g);
    w12 += (((w13 >> 7u) | (w13 << 25u)) ^ ((w13 >> 18u) | (w13 << 14u)) ^ (w13 >> 3u)) + w5 + (((w10 >> 17u) | (w10 << 15u)) ^ ((w10 >> 19u) | (w10 << 13u)) ^ (w10 >> 10u));
    d += (((a >> 6u) | (a << 26u)) ^ ((a >> 11u) | (a << 21u)) ^ ((a >> 25u) | (a << 7u))) + (c ^ (a & (b ^ c))) + 3516065817u + w12;
    h += d;
    d += (((e >> 2u) | (e << 30u)) ^ ((e >> 13u) | (e << 19u)) ^ ((e >> 22u) | (e << 10u))) + (((e ^ f) & (f ^ g)) ^ f);
    w13 += (((w14 >> 7u) | (w14 << 25u)) ^ ((w14 >> 18u) | (w14 << 14u)) ^ (w14 >> 3u)) + w6 + (((w11 >> 17u) | (w11 << 15u)) ^ ((w11 >> 19u) | (w11 << 13u)) ^ (w11 >> 10u));
    c += (((h >> 6u) | (h << 26u)) ^ ((h >> 11u) | (h << 21u)) ^ ((h >> 25u) | (h << 7u))) + (b ^ (h & (a ^ b))) + 3600352804u + w13;
    g += c;
    c += (((d >> 2u) | (d << 30u)) ^ ((d >> 13u) | (d << 19u)) ^ ((d >> 22u) | (d << 10u))) + (((d ^ e) & (e ^ f)) ^ e);
    w14 += (((w15 >> 7u) | (w15 << 25u)) ^ ((w15 >> 18u) | (w15 << 14u)) ^ (w15 >> 3u)) + w7 + (((w12 >> 17u) | (w12 << 15u)) ^ ((w12 >> 19u) | (w12 << 13u)) ^ (w12 >> 10u));
    b += (((g >> 6u) | (g << 26u)) ^ ((g >> 11u) | (g << 21u)) ^ ((g >> 25u) | (g << 7u))) + (a ^ (g & (h ^ a))) + 4094571909u + w14;
    f += b;
    b += (((c >> 2u) | (c << 30u)) ^ ((c >> 13u) | (c << 19u)) ^ ((c >> 22u) | (c << 10u))) + (((c ^ d) & (d ^ e)) ^ d);
    w15 += (((w0 >> 7u) | (w0 << 25u)) ^ ((w0 >> 18u) | (w0 << 14u)) ^ (w0 >> 3u)) + w8 + (((w13 >> 17u) | (w13 << 15u)) ^ ((w13 >> 19u) | (w13 << 13u)) ^ (w13 >> 10u));
    a += (((f >> 6u) | (f << 26u)) ^ ((f >> 11u) | (f << 21u)) ^ ((f >> 25u) | (f << 7u))) + (h ^ (f & (g ^ h))) + 275423344u + w15;
    e += a;
    a += (((b >> 2u) | (b << 30u)) ^ ((b >> 13u) | (b << 19u)) ^ ((b >> 22u) | (b << 10u))) + (((b ^ c) & (c ^ d)) ^ c);
    w0 += (((w1 >> 7u) | (w1 << 25u)) ^ ((w1 >> 18u) | (w1 << 14u)) ^ (w1 >> 3u)) + w9 + (((w14 >> 17u) | (w14 << 15u)) ^ ((w14 >> 19u) | (w14 << 13u)) ^ (w14 >> 10u));
    h += (((e >> 6u) | (e << 26u)) ^ ((e >> 11u) | (e << 21u)) ^ ((e >> 25u) | (e << 7u))) + (g ^ (e & (f ^ g))) + 430227734u + w0;
    d += h;
    h += (((a >> 2u) | (a << 30u)) ^ ((a >> 13u) | (a << 19u)) ^ ((a >> 22u) | (a << 10u))) + (((a ^ b) & (b ^ c)) ^ b);
    w1 += (((w2 >> 7u) | (w2 << 25u)) ^ ((w2 >> 18u) | (w2 << 14u)) ^ (w2 >> 3u)) + w10 + (((w15 >> 17u) | (w15 << 15u)) ^ ((w15 >> 19u) | (w15 << 13u)) ^ (w15 >> 10u));
    g += (((d >> 6u) | (d << 26u)) ^ ((d >> 11u) | (d << 21u)) ^ ((d >> 25u) | (d << 7u))) + (f ^ (d & (e ^ f))) + 506948616u + w1;
    c += g;
    g += (((h >> 2u) | (h << 30u)) ^ ((h >> 13u) | (h << 19u)) ^ ((h >> 22u) | (h << 10u))) + (((h ^ a) & (a ^ b)) ^ a);
    w2 += (((w3 >> 7u) | (w3 << 25u)) ^ ((w3 >> 18u) | (w3 << 14u)) ^ (w3 >> 3u)) + w11 + (((w0 >> 17u) | (w0 << 15u)) ^ ((w0 >> 19u) | (w0 << 13u)) ^ (w0 >> 10u));
    f += (((c >> 6u) | (c << 26u)) ^ ((c >> 11u) | (c << 21u)) ^ ((c >> 25u) | (c << 7u))) + (e ^ (c & (d ^ e))) + 659060556u + w2;
    b += f;
    f += (((g >> 2u) | (g << 30u)) ^ ((g >> 13u) | (g << 19u)) ^ ((g >> 22u) | (g << 10u))) + (((g ^ h) & (h ^ a)) ^ h);
    w3 += (((w4 >> 7u) | (w4 << 25u)) ^ ((w4 >> 18u) | (w4 << 14u)) ^ (w4 >> 3u)) + w12 + (((w1 >> 17u) | (w1 << 15u)) ^ ((w1 >> 19u) | (w1 << 13u)) ^ (w1 >> 10u));
    e += (((b >> 6u) | (b << 26u)) ^ ((b >> 11u) | (b << 21u)) ^ ((b >> 25u) | (b << 7u))) + (d ^ (b & (c ^ d))) + 883997877u + w3;
    a += e;
    e += (((f >> 2u) | (f << 30u)) ^ ((f >> 13u) | (f << 19u)) ^ ((f >> 22u) | (f << 10u))) + (((f ^ g) & (g ^ h)) ^ g);
    w4 += (((w5 >> 7u) | (w5 << 25u)) ^ ((w5 >> 18u) | (w5 << 14u)) ^ (w5 >> 3u)) + w13 + (((w2 >> 17u) | (w2 << 15u)) ^ ((w2 >> 19u) | (w2 << 13u)) ^ (w2 >> 10u));
    d += (((a >> 6u) | (a << 26u)) ^ ((a >> 11u) | (a << 21u)) ^ ((a >> 25u) | (a << 7u))) + (c ^ (a & (b ^ c))) + 958139571u + w4;
    h += d;
    d += (((e >> 2u) | (e << 30u)) ^ ((e >> 13u) | (e << 19u)) ^ ((e >> 22u) | (e << 10u))) + (((e ^ f) & (f ^ g)) ^ f);
    w5 += (((w6 >> 7u) | (w6 << 25u)) ^ ((w6 >> 18u) | (w6 << 14u)) ^ (w6 >> 3u)) + w14 + (((w3 >> 17u) | (w3 << 15u)) ^ ((w3 >> 19u) | (w3 << 13u)) ^ (w3 >> 10u));
    c += (((h >> 6u) | (h << 26u)) ^ ((h >> 11u) | (h << 21u)) ^ ((h >> 25u) | (h << 7u))) + (b ^ (h & (a ^ b))) + 1322822218u + w5;
    g += c;
    c += (((d >> 2u) | (d << 30u)) ^ ((d >> 13u) | (d << 19u)) ^ ((d >> 22u) | (d << 10u))) + (((d ^ e) & (e ^ f)) ^ e);
    w6 += (((w7 >> 7u) | (w7 << 25u)) ^ ((w7 >> 18u) | (w7 << 14u)) ^ (w7 >> 3u)) + w15 + (((w4 >> 17u) | (w4 << 15u)) ^ ((w4 >> 19u) | (w4 << 13u)) ^ (w4 >> 10u));
    b += (((g >> 6u) | (g << 26u)) ^ ((g >> 11u) | (g << 21u)) ^ ((g >> 25u) | (g << 7u))) + (a ^ (g & (h ^ a))) + 1537002063u + w6;
    f += b;
    b += (((c >> 2u) | (c << 30u)) ^ ((c >> 13u) | (c << 19u)) ^ ((c >> 22u) | (c << 10u))) + (((c ^ d) & (d ^ e)) ^ d);
    w7 += (((w8 >> 7u) | (w8 << 25u)) ^ ((w8 >> 18u) | (w8 << 14u)) ^ (w8 >> 3u)) + w0 + (((w5 >> 17u) | (w5 << 15u)) ^ ((w5 >> 19u) | (w5 << 13u)) ^ (w5 >> 10u));
    a += (((f >> 6u) | (f << 26u)) ^ ((f >> 11u) | (f << 21u)) ^ ((f >> 25u) | (f << 7u))) + (h ^ (f & (g ^ h))) + 1747873779u + w7;
    e += a;
    a += (((b >> 2u) | (b << 30u)) ^ ((b >> 13u) | (b << 19u)) ^ ((b >> 22u) | (b << 10u))) + (((b ^ c) & (c ^ d)) ^ c);
    w8 += (((w9 >> 7u) | (w9 << 25u)) ^ ((w9 >> 18u) | (w9 << 14u)) ^ (w9 >> 3u)) + w1 + (((w6 >> 17u) | (w6 << 15u)) ^ ((w6 >> 19u) | (w6 << 13u)) ^ (w6 >> 10u));
    h += (((e >> 6u) | (e << 26u)) ^ ((e >> 11u) | (e << 21u)) ^ ((e >> 25u) | (e << 7u))) + (g ^ (e & (f ^ g))) + 1955562222u + w8;
    d += h;
    h += (((a >> 2u) | (a << 30u)) ^ ((a >> 13u) | (a << 19u)) ^ ((a >> 22u) | (a << 10u))) + (((a ^ b) & (b ^ c)) ^ b);
    w9 += (((w10 >> 7u) | (w10 << 25u)) ^ ((w10 >> 18u) | (w10 << 14u)) ^ (w10 >> 3u)) + w2 + (((w7 >> 17u) | (w7 << 15u)) ^ ((w7 >> 19u) | (w7 << 13u)) ^ (w7 >> 10u));
    g += (((d >> 6u) | (d << 26u)) ^ ((d >> 11u) | (d << 21u)) ^ ((d >> 25u) | (d << 7u))) + (f ^ (d & (e ^ f))) + 2024104815u + w9;
    c += g;
    g += (((h >> 2u) | (h << 30u)) ^ ((h >> 13u) | (h << 19u)) ^ ((h >> 22u) | (h << 10u))) + (((h ^ a) & (a ^ b)) ^ a);
    w10 += (((w11 >> 7u) | (w11 << 25u)) ^ ((w11 >> 18u) | (w11 << 14u)) ^ (w11 >> 3u)) + w3 + (((w8 >> 17u) | (w8 << 15u)) ^ ((w8 >> 19u) | (w8 << 13u)) ^ (w8 >> 10u));
    f += (((c >> 6u) | (c << 26u)) ^ ((c >> 11u) | (c << 21u)) ^ ((c >> 25u) | (c << 7u))) + (e ^ (c & (d ^ e))) + 2227730452u + w10;
    b += f;
    f += (((g >> 2u) | (g << 30u)) ^ ((g >> 13u) | (g << 19u)) ^ ((g >> 22u) | (g << 10u))) + (((g ^ h) & (h ^ a)) ^ h);
    w11 += (((w12 >> 7u) | (w12 << 25u)) ^ ((w12 >> 18u) | (w12 << 14u)) ^ (w12 >> 3u)) + w4 + (((w9 >> 17u) | (w9 << 15u)) ^ ((w9 >> 19u) | (w9 << 13u)) ^ (w9 >> 10u));
    e += (((b >> 6u) | (b << 26u)) ^ ((b >> 11u) | (b << 21u)) ^ ((b >> 25u) | (b << 7u))) + (d ^ (b & (c ^ d))) + 2361852424u + w11;
    a += e;
    e += (((f >> 2u) | (f << 30u)) ^ ((f >> 13u) | (f << 19u)) ^ ((f >> 22u) | (f << 10u))) + (((f ^ g) & (g ^ h)) ^ g);
    w12 += (((w13 >> 7u) | (w13 << 25u)) ^ ((w13 >> 18u) | (w13 << 14u)) ^ (w13 >> 3u)) + w5 + (((w10 >> 17u) | (w10 << 15u)) ^ ((w10 >> 19u) | (w10 << 13u)) ^ (w10 >> 10u));
    d += (((a >> 6u) | (a << 26u)) ^ ((a >> 11u) | (a << 21u)) ^ ((a >> 25u) | (a << 7u))) + (c ^ (a & (b ^ c))) + 2428436474u + w12;
    h += d;
    d += (((e >> 2u) | (e << 30u)) ^ ((e >> 13u) | (e << 19u)) ^ ((e >> 22u) | (e << 10u))) + (((e ^ f) & (f ^ g)) ^ f);
    w13 += (((w14 >> 7u) | (w14 << 25u)) ^ ((w14 >> 18u) | (w14 << 14u)) ^ (w14 >> 3u)) + w6 + (((w11 >> 17u) | (w11 << 15u)) ^ ((w11 >> 19u) | (w11 << 13u)) ^ (w11 >> 10u));
    c += (((h >> 6u) | (h << 26u)) ^ ((h >> 11u) | (h << 21u)) ^ ((h >> 25u) | (h << 7u))) + (b ^ (h & (a ^ b))) + 2756734187u + w13;
    g += c;
    c += (((d >> 2u) | (d << 30u)) ^ ((d >> 13u) | (d << 19u)) ^ ((d >> 22u) | (d << 10u))) + (((d ^ e) & (e ^ f)) ^ e);
    w14 += (((w15 >> 7u) | (w15 << 25u)) ^ ((w15 >> 18u) | (w15 << 14u)) ^ (w15 >> 3u)) + w7 + (((w12 >> 17u) | (w12 << 15u)) ^ ((w12 >> 19u) | (w12 << 13u)) ^ (w12 >> 10u));
    b += (((g >> 6u) | (g << 26u)) ^ ((g >> 11u) | (g << 21u)) ^ ((g >> 25u) | (g << 7u))) + (a ^ (g & (h ^ a))) + 3204031479u + w14;
    f += b;
    b += (((c >> 2u) | (c << 30u)) ^ ((c >> 13u) | (c << 19u)) ^ ((c >> 22u) | (c << 10u))) + (((c ^ d) & (d ^ e)) ^ d);
    w15 += (((w0 >> 7u) | (w0 << 25u)) ^ ((w0 >> 18u) | (w0 << 14u)) ^ (w0 >> 3u)) + w8 + (((w13 >> 17u) | (w13 << 15u)) ^ ((w13 >> 19u) | (w13 << 13u)) ^ (w13 >> 10u));
    a += (((f >> 6u) | (f << 26u)) ^ ((f >> 11u) | (f << 21u)) ^ ((f >> 25u) | (f << 7u))) + (h ^ (f & (g ^ h))) + 3329325298u + w15;
    e += a;
    a += (((b >> 2u) | (b << 30u)) ^ ((b >> 13u) | (b << 19u)) ^ ((b >> 22u) | (b << 10u))) + (((b ^ c) & (c ^ d)) ^ c);
    return DigestState(state.q0 + vec4<u32>(a, b, c, d), state.q1 + vec4<u32>(e, f, g, h));
}

fn digest_absorb(state: DigestState, block: DigestBlock, index: u32, length: u32) -> DigestState {
    return digest_compress(state, block);
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

    let total = digest_blocks(length);
    let at = select(start + params.first_block * digest_block_bytes, start, params.first_block == 0u);
    if params.first_block >= total || (in_data(start, end) && !in_window(at)) {
        return;
    }
    var chain = digest_start();
    if params.first_block > 0u {
        chain = load(thread);
    }
    let stop = min(total, params.first_block + params.blocks);
    // Tested at its head: of a loop left in its midst only, llvmpipe may give those that leave first values of later turns.
    for (var index = params.first_block; index < stop; index++) {
        let block = digest_pad(digest_read(start + index * digest_block_bytes), length, index);
        chain = digest_absorb(chain, block, index, length);
    }
    finish(thread, chain, in_data(start, end) && (params.last == 0u || stop == total));
}
