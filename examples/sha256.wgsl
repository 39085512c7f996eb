// SHA-256 of many messages of any length, one thread a message.
//
// messages  the bytes of all messages end to end, four to a word, the first byte lowest
// offsets   n + 1 byte positions: message i is bytes offsets[i] to offsets[i + 1]
// digests   8 words a message; a digest in hex is its words in order, each as 8 hex digits
//
// Dispatch ceil(n / 64) workgroups; beyond 65 535 of them, spread them over y.
// A message may have up to 4 MB: software drivers stop a thread after 65 535 loop turns, and each block of
// 64 bytes takes one. The rounds are written out, because an array in registers with an index that is
// known only at run time is very slow on most drivers.

@group(0) @binding(0) var<storage, read> messages: array<u32>;
@group(0) @binding(1) var<storage, read> offsets: array<u32>;
@group(0) @binding(2) var<storage, read_write> digests: array<u32>;

fn rotate(x: u32, n: u32) -> u32 {
    return (x >> n) | (x << (32u - n));
}

fn swap(x: u32) -> u32 {
    return (x << 24u) | ((x & 0xff00u) << 8u) | ((x >> 8u) & 0xff00u) | (x >> 24u);
}

// Four bytes of the padded message, big-endian, from position `at` (a multiple of 4) in a message that
// starts at byte `start`: its own bytes, then 0x80, then zeros.
fn word(start: u32, length: u32, at: u32) -> u32 {
    let byte = start + at;
    let shift = (byte & 3u) * 8u;
    let low = messages[byte >> 2u];
    let high = messages[(byte >> 2u) + 1u];
    let text = swap(select((low >> shift) | (high << (32u - shift)), low, shift == 0u));
    let left = length - min(at, length);
    let cut = min(left, 3u) * 8u;
    let ending = (text & ~(0xffffffffu >> cut)) | (0x80000000u >> cut);
    return select(select(ending, text, left >= 4u), 0u, at > length);
}

// The two sums of a round and the two of the message schedule.
fn sum1(e: u32, f: u32, g: u32) -> u32 {
    return (rotate(e, 6u) ^ rotate(e, 11u) ^ rotate(e, 25u)) + ((e & f) ^ (~e & g));
}

fn sum0(a: u32, b: u32, c: u32) -> u32 {
    return (rotate(a, 2u) ^ rotate(a, 13u) ^ rotate(a, 22u)) + ((a & b) ^ (a & c) ^ (b & c));
}

fn late(x: u32) -> u32 {
    return rotate(x, 17u) ^ rotate(x, 19u) ^ (x >> 10u);
}

fn early(x: u32) -> u32 {
    return rotate(x, 7u) ^ rotate(x, 18u) ^ (x >> 3u);
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>,
        @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(local_invocation_index) lane: u32) {
    let message = (group.y * groups.x + group.x) * 64u + lane;
    if (message + 1u >= arrayLength(&offsets)) {
        return;
    }
    let start = offsets[message];
    let length = offsets[message + 1u] - start;
    let blocks = (length + 8u) / 64u + 1u;
    var h0 = 0x6a09e667u;
    var h1 = 0xbb67ae85u;
    var h2 = 0x3c6ef372u;
    var h3 = 0xa54ff53au;
    var h4 = 0x510e527fu;
    var h5 = 0x9b05688cu;
    var h6 = 0x1f83d9abu;
    var h7 = 0x5be0cd19u;

    for (var block = 0u; block < blocks; block++) {
        let at = block * 64u;
        var w0 = word(start, length, at + 0u);
        var w1 = word(start, length, at + 4u);
        var w2 = word(start, length, at + 8u);
        var w3 = word(start, length, at + 12u);
        var w4 = word(start, length, at + 16u);
        var w5 = word(start, length, at + 20u);
        var w6 = word(start, length, at + 24u);
        var w7 = word(start, length, at + 28u);
        var w8 = word(start, length, at + 32u);
        var w9 = word(start, length, at + 36u);
        var w10 = word(start, length, at + 40u);
        var w11 = word(start, length, at + 44u);
        var w12 = word(start, length, at + 48u);
        var w13 = word(start, length, at + 52u);
        var w14 = word(start, length, at + 56u);
        var w15 = word(start, length, at + 60u);
        if (block == blocks - 1u) { // the last block ends with the length in bits
            w14 = length >> 29u;
            w15 = length << 3u;
        }

        var a = h0;
        var b = h1;
        var c = h2;
        var d = h3;
        var e = h4;
        var f = h5;
        var g = h6;
        var h = h7;

        // 64 rounds: the eight names take turns instead of being moved.
        h += sum1(e, f, g) + 0x428a2f98u + w0; d += h; h += sum0(a, b, c);
        g += sum1(d, e, f) + 0x71374491u + w1; c += g; g += sum0(h, a, b);
        f += sum1(c, d, e) + 0xb5c0fbcfu + w2; b += f; f += sum0(g, h, a);
        e += sum1(b, c, d) + 0xe9b5dba5u + w3; a += e; e += sum0(f, g, h);
        d += sum1(a, b, c) + 0x3956c25bu + w4; h += d; d += sum0(e, f, g);
        c += sum1(h, a, b) + 0x59f111f1u + w5; g += c; c += sum0(d, e, f);
        b += sum1(g, h, a) + 0x923f82a4u + w6; f += b; b += sum0(c, d, e);
        a += sum1(f, g, h) + 0xab1c5ed5u + w7; e += a; a += sum0(b, c, d);
        h += sum1(e, f, g) + 0xd807aa98u + w8; d += h; h += sum0(a, b, c);
        g += sum1(d, e, f) + 0x12835b01u + w9; c += g; g += sum0(h, a, b);
        f += sum1(c, d, e) + 0x243185beu + w10; b += f; f += sum0(g, h, a);
        e += sum1(b, c, d) + 0x550c7dc3u + w11; a += e; e += sum0(f, g, h);
        d += sum1(a, b, c) + 0x72be5d74u + w12; h += d; d += sum0(e, f, g);
        c += sum1(h, a, b) + 0x80deb1feu + w13; g += c; c += sum0(d, e, f);
        b += sum1(g, h, a) + 0x9bdc06a7u + w14; f += b; b += sum0(c, d, e);
        a += sum1(f, g, h) + 0xc19bf174u + w15; e += a; a += sum0(b, c, d);

        // From here each round first makes its word from those of 16, 15, 7 and 2 rounds ago.
        w0 += early(w1) + w9 + late(w14);
        h += sum1(e, f, g) + 0xe49b69c1u + w0; d += h; h += sum0(a, b, c);
        w1 += early(w2) + w10 + late(w15);
        g += sum1(d, e, f) + 0xefbe4786u + w1; c += g; g += sum0(h, a, b);
        w2 += early(w3) + w11 + late(w0);
        f += sum1(c, d, e) + 0x0fc19dc6u + w2; b += f; f += sum0(g, h, a);
        w3 += early(w4) + w12 + late(w1);
        e += sum1(b, c, d) + 0x240ca1ccu + w3; a += e; e += sum0(f, g, h);
        w4 += early(w5) + w13 + late(w2);
        d += sum1(a, b, c) + 0x2de92c6fu + w4; h += d; d += sum0(e, f, g);
        w5 += early(w6) + w14 + late(w3);
        c += sum1(h, a, b) + 0x4a7484aau + w5; g += c; c += sum0(d, e, f);
        w6 += early(w7) + w15 + late(w4);
        b += sum1(g, h, a) + 0x5cb0a9dcu + w6; f += b; b += sum0(c, d, e);
        w7 += early(w8) + w0 + late(w5);
        a += sum1(f, g, h) + 0x76f988dau + w7; e += a; a += sum0(b, c, d);
        w8 += early(w9) + w1 + late(w6);
        h += sum1(e, f, g) + 0x983e5152u + w8; d += h; h += sum0(a, b, c);
        w9 += early(w10) + w2 + late(w7);
        g += sum1(d, e, f) + 0xa831c66du + w9; c += g; g += sum0(h, a, b);
        w10 += early(w11) + w3 + late(w8);
        f += sum1(c, d, e) + 0xb00327c8u + w10; b += f; f += sum0(g, h, a);
        w11 += early(w12) + w4 + late(w9);
        e += sum1(b, c, d) + 0xbf597fc7u + w11; a += e; e += sum0(f, g, h);
        w12 += early(w13) + w5 + late(w10);
        d += sum1(a, b, c) + 0xc6e00bf3u + w12; h += d; d += sum0(e, f, g);
        w13 += early(w14) + w6 + late(w11);
        c += sum1(h, a, b) + 0xd5a79147u + w13; g += c; c += sum0(d, e, f);
        w14 += early(w15) + w7 + late(w12);
        b += sum1(g, h, a) + 0x06ca6351u + w14; f += b; b += sum0(c, d, e);
        w15 += early(w0) + w8 + late(w13);
        a += sum1(f, g, h) + 0x14292967u + w15; e += a; a += sum0(b, c, d);
        w0 += early(w1) + w9 + late(w14);
        h += sum1(e, f, g) + 0x27b70a85u + w0; d += h; h += sum0(a, b, c);
        w1 += early(w2) + w10 + late(w15);
        g += sum1(d, e, f) + 0x2e1b2138u + w1; c += g; g += sum0(h, a, b);
        w2 += early(w3) + w11 + late(w0);
        f += sum1(c, d, e) + 0x4d2c6dfcu + w2; b += f; f += sum0(g, h, a);
        w3 += early(w4) + w12 + late(w1);
        e += sum1(b, c, d) + 0x53380d13u + w3; a += e; e += sum0(f, g, h);
        w4 += early(w5) + w13 + late(w2);
        d += sum1(a, b, c) + 0x650a7354u + w4; h += d; d += sum0(e, f, g);
        w5 += early(w6) + w14 + late(w3);
        c += sum1(h, a, b) + 0x766a0abbu + w5; g += c; c += sum0(d, e, f);
        w6 += early(w7) + w15 + late(w4);
        b += sum1(g, h, a) + 0x81c2c92eu + w6; f += b; b += sum0(c, d, e);
        w7 += early(w8) + w0 + late(w5);
        a += sum1(f, g, h) + 0x92722c85u + w7; e += a; a += sum0(b, c, d);
        w8 += early(w9) + w1 + late(w6);
        h += sum1(e, f, g) + 0xa2bfe8a1u + w8; d += h; h += sum0(a, b, c);
        w9 += early(w10) + w2 + late(w7);
        g += sum1(d, e, f) + 0xa81a664bu + w9; c += g; g += sum0(h, a, b);
        w10 += early(w11) + w3 + late(w8);
        f += sum1(c, d, e) + 0xc24b8b70u + w10; b += f; f += sum0(g, h, a);
        w11 += early(w12) + w4 + late(w9);
        e += sum1(b, c, d) + 0xc76c51a3u + w11; a += e; e += sum0(f, g, h);
        w12 += early(w13) + w5 + late(w10);
        d += sum1(a, b, c) + 0xd192e819u + w12; h += d; d += sum0(e, f, g);
        w13 += early(w14) + w6 + late(w11);
        c += sum1(h, a, b) + 0xd6990624u + w13; g += c; c += sum0(d, e, f);
        w14 += early(w15) + w7 + late(w12);
        b += sum1(g, h, a) + 0xf40e3585u + w14; f += b; b += sum0(c, d, e);
        w15 += early(w0) + w8 + late(w13);
        a += sum1(f, g, h) + 0x106aa070u + w15; e += a; a += sum0(b, c, d);
        w0 += early(w1) + w9 + late(w14);
        h += sum1(e, f, g) + 0x19a4c116u + w0; d += h; h += sum0(a, b, c);
        w1 += early(w2) + w10 + late(w15);
        g += sum1(d, e, f) + 0x1e376c08u + w1; c += g; g += sum0(h, a, b);
        w2 += early(w3) + w11 + late(w0);
        f += sum1(c, d, e) + 0x2748774cu + w2; b += f; f += sum0(g, h, a);
        w3 += early(w4) + w12 + late(w1);
        e += sum1(b, c, d) + 0x34b0bcb5u + w3; a += e; e += sum0(f, g, h);
        w4 += early(w5) + w13 + late(w2);
        d += sum1(a, b, c) + 0x391c0cb3u + w4; h += d; d += sum0(e, f, g);
        w5 += early(w6) + w14 + late(w3);
        c += sum1(h, a, b) + 0x4ed8aa4au + w5; g += c; c += sum0(d, e, f);
        w6 += early(w7) + w15 + late(w4);
        b += sum1(g, h, a) + 0x5b9cca4fu + w6; f += b; b += sum0(c, d, e);
        w7 += early(w8) + w0 + late(w5);
        a += sum1(f, g, h) + 0x682e6ff3u + w7; e += a; a += sum0(b, c, d);
        w8 += early(w9) + w1 + late(w6);
        h += sum1(e, f, g) + 0x748f82eeu + w8; d += h; h += sum0(a, b, c);
        w9 += early(w10) + w2 + late(w7);
        g += sum1(d, e, f) + 0x78a5636fu + w9; c += g; g += sum0(h, a, b);
        w10 += early(w11) + w3 + late(w8);
        f += sum1(c, d, e) + 0x84c87814u + w10; b += f; f += sum0(g, h, a);
        w11 += early(w12) + w4 + late(w9);
        e += sum1(b, c, d) + 0x8cc70208u + w11; a += e; e += sum0(f, g, h);
        w12 += early(w13) + w5 + late(w10);
        d += sum1(a, b, c) + 0x90befffau + w12; h += d; d += sum0(e, f, g);
        w13 += early(w14) + w6 + late(w11);
        c += sum1(h, a, b) + 0xa4506cebu + w13; g += c; c += sum0(d, e, f);
        w14 += early(w15) + w7 + late(w12);
        b += sum1(g, h, a) + 0xbef9a3f7u + w14; f += b; b += sum0(c, d, e);
        w15 += early(w0) + w8 + late(w13);
        a += sum1(f, g, h) + 0xc67178f2u + w15; e += a; a += sum0(b, c, d);

        h0 += a;
        h1 += b;
        h2 += c;
        h3 += d;
        h4 += e;
        h5 += f;
        h6 += g;
        h7 += h;
    }

    let out = message * 8u;
    digests[out] = h0;
    digests[out + 1u] = h1;
    digests[out + 2u] = h2;
    digests[out + 3u] = h3;
    digests[out + 4u] = h4;
    digests[out + 5u] = h5;
    digests[out + 6u] = h6;
    digests[out + 7u] = h7;
}
