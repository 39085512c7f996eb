// SHA-256 of many messages of any length, one thread a message.
//
// messages  the bytes of all messages end to end, four to a word, the first byte lowest
// offsets   n + 1 byte positions: message i is bytes offsets[i] to offsets[i + 1]
// digests   8 words a message; a digest in hex is its words in order, each as 8 hex digits
//
// Dispatch ceil(n / 64) workgroups; beyond 65 535 of them, spread them over y.
// A message may have up to 800 KB: software drivers stop a thread after 65 535 loop turns, and each block of
// 64 bytes takes five. Words and constants stand in named registers, because an array in registers with an
// index that is known only at run time is very slow on most drivers.

@group(0) @binding(0) var<storage, read> messages: array<u32>;
@group(0) @binding(1) var<storage, read> offsets: array<u32>;
@group(0) @binding(2) var<storage, read_write> digests: array<u32>;

// Four bytes of the padded message, big-endian, from position `at` (a multiple of 4) in a message that
// starts at byte `start`: its own bytes, then 0x80, then zeros.
fn word(start: u32, length: u32, at: u32) -> u32 {
    let byte = start + at;
    let shift = (byte & 3u) * 8u;
    let x = (messages[byte >> 2u] >> shift) | ((messages[(byte >> 2u) + 1u] << (31u - shift)) << 1u);
    let text = (x << 24u) | ((x & 0xff00u) << 8u) | ((x >> 8u) & 0xff00u) | (x >> 24u);
    let unused = 8u * (at + 4u - clamp(length, at, at + 4u)); // bits of this word that lie behind the end
    if (unused == 0u || at > length) {
        return select(text, 0u, at > length);
    }
    let end = 0x80u << (unused - 8u);
    return (text & ~(2u * end - 1u)) | end;
}

// The two sums of a round, and the two of the schedule that makes the words of later rounds.
fn sum1(e: u32, f: u32, g: u32) -> u32 {
    return (((e >> 6u) | (e << 26u)) ^ ((e >> 11u) | (e << 21u)) ^ ((e >> 25u) | (e << 7u))) + (g ^ (e & (f ^ g)));
}

fn sum0(a: u32, b: u32, c: u32) -> u32 {
    return (((a >> 2u) | (a << 30u)) ^ ((a >> 13u) | (a << 19u)) ^ ((a >> 22u) | (a << 10u))) + (b ^ ((b ^ c) & (a ^ b)));
}

fn early(x: u32) -> u32 {
    return ((x >> 7u) | (x << 25u)) ^ ((x >> 18u) | (x << 14u)) ^ (x >> 3u);
}

fn late(x: u32) -> u32 {
    return ((x >> 17u) | (x << 15u)) ^ ((x >> 19u) | (x << 13u)) ^ (x >> 10u);
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

        // 64 rounds, 16 at a time. The eight names take turns instead of being moved.
        for (var turn = 0u; turn < 4u; turn++) {
            var k0: vec4<u32>;
            var k1: vec4<u32>;
            var k2: vec4<u32>;
            var k3: vec4<u32>;
            switch (turn) {
                case 0u: {
                    k0 = vec4<u32>(0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u);
                    k1 = vec4<u32>(0x3956c25bu, 0x59f111f1u, 0x923f82a4u, 0xab1c5ed5u);
                    k2 = vec4<u32>(0xd807aa98u, 0x12835b01u, 0x243185beu, 0x550c7dc3u);
                    k3 = vec4<u32>(0x72be5d74u, 0x80deb1feu, 0x9bdc06a7u, 0xc19bf174u);
                }
                case 1u: {
                    k0 = vec4<u32>(0xe49b69c1u, 0xefbe4786u, 0x0fc19dc6u, 0x240ca1ccu);
                    k1 = vec4<u32>(0x2de92c6fu, 0x4a7484aau, 0x5cb0a9dcu, 0x76f988dau);
                    k2 = vec4<u32>(0x983e5152u, 0xa831c66du, 0xb00327c8u, 0xbf597fc7u);
                    k3 = vec4<u32>(0xc6e00bf3u, 0xd5a79147u, 0x06ca6351u, 0x14292967u);
                }
                case 2u: {
                    k0 = vec4<u32>(0x27b70a85u, 0x2e1b2138u, 0x4d2c6dfcu, 0x53380d13u);
                    k1 = vec4<u32>(0x650a7354u, 0x766a0abbu, 0x81c2c92eu, 0x92722c85u);
                    k2 = vec4<u32>(0xa2bfe8a1u, 0xa81a664bu, 0xc24b8b70u, 0xc76c51a3u);
                    k3 = vec4<u32>(0xd192e819u, 0xd6990624u, 0xf40e3585u, 0x106aa070u);
                }
                default: {
                    k0 = vec4<u32>(0x19a4c116u, 0x1e376c08u, 0x2748774cu, 0x34b0bcb5u);
                    k1 = vec4<u32>(0x391c0cb3u, 0x4ed8aa4au, 0x5b9cca4fu, 0x682e6ff3u);
                    k2 = vec4<u32>(0x748f82eeu, 0x78a5636fu, 0x84c87814u, 0x8cc70208u);
                    k3 = vec4<u32>(0x90befffau, 0xa4506cebu, 0xbef9a3f7u, 0xc67178f2u);
                }
            }
            if (turn > 0u) { // the words of these rounds, from those of 16, 15, 7 and 2 rounds before each
                w0 += early(w1) + w9 + late(w14);
                w1 += early(w2) + w10 + late(w15);
                w2 += early(w3) + w11 + late(w0);
                w3 += early(w4) + w12 + late(w1);
                w4 += early(w5) + w13 + late(w2);
                w5 += early(w6) + w14 + late(w3);
                w6 += early(w7) + w15 + late(w4);
                w7 += early(w8) + w0 + late(w5);
                w8 += early(w9) + w1 + late(w6);
                w9 += early(w10) + w2 + late(w7);
                w10 += early(w11) + w3 + late(w8);
                w11 += early(w12) + w4 + late(w9);
                w12 += early(w13) + w5 + late(w10);
                w13 += early(w14) + w6 + late(w11);
                w14 += early(w15) + w7 + late(w12);
                w15 += early(w0) + w8 + late(w13);
            }
            h += sum1(e, f, g) + k0.x + w0; d += h; h += sum0(a, b, c);
            g += sum1(d, e, f) + k0.y + w1; c += g; g += sum0(h, a, b);
            f += sum1(c, d, e) + k0.z + w2; b += f; f += sum0(g, h, a);
            e += sum1(b, c, d) + k0.w + w3; a += e; e += sum0(f, g, h);
            d += sum1(a, b, c) + k1.x + w4; h += d; d += sum0(e, f, g);
            c += sum1(h, a, b) + k1.y + w5; g += c; c += sum0(d, e, f);
            b += sum1(g, h, a) + k1.z + w6; f += b; b += sum0(c, d, e);
            a += sum1(f, g, h) + k1.w + w7; e += a; a += sum0(b, c, d);
            h += sum1(e, f, g) + k2.x + w8; d += h; h += sum0(a, b, c);
            g += sum1(d, e, f) + k2.y + w9; c += g; g += sum0(h, a, b);
            f += sum1(c, d, e) + k2.z + w10; b += f; f += sum0(g, h, a);
            e += sum1(b, c, d) + k2.w + w11; a += e; e += sum0(f, g, h);
            d += sum1(a, b, c) + k3.x + w12; h += d; d += sum0(e, f, g);
            c += sum1(h, a, b) + k3.y + w13; g += c; c += sum0(d, e, f);
            b += sum1(g, h, a) + k3.z + w14; f += b; b += sum0(c, d, e);
            a += sum1(f, g, h) + k3.w + w15; e += a; a += sum0(b, c, d);
        }

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
