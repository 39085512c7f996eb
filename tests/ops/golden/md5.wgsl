// kernel md5_short
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
        vec4<u32>(1732584193u, 4023233417u, 2562383102u, 271733878u),
    );
}

fn load(message: u32) -> DigestState {
    return DigestState(
        state[message * 1u],
    );
}

fn store(message: u32, chain: DigestState) {
    state[message * 1u] = chain.q0;
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
    return DigestBlock(
        digest_join(vec4<u32>(r0, r1, r2, r3), vec4<u32>(r1, r2, r3, r4), shift),
        digest_join(vec4<u32>(r4, r5, r6, r7), vec4<u32>(r5, r6, r7, r8), shift),
        digest_join(vec4<u32>(r8, r9, r10, r11), vec4<u32>(r9, r10, r11, r12), shift),
        digest_join(vec4<u32>(r12, r13, r14, 0u), vec4<u32>(r13, r14, 0u, 0u), shift),
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
        padded.q3.w = hashed >> 29u;
        padded.q3.z = hashed << 3u;
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
    var a = state.q0.x;
    var b = state.q0.y;
    var c = state.q0.z;
    var d = state.q0.w;
    a += (d ^ (b & (c ^ d))) + 3614090360u + block.q0.x;
    a = b + ((a << 7u) | (a >> 25u));
    d += (c ^ (a & (b ^ c))) + 3905402710u + block.q0.y;
    d = a + ((d << 12u) | (d >> 20u));
    c += (b ^ (d & (a ^ b))) + 606105819u + block.q0.z;
    c = d + ((c << 17u) | (c >> 15u));
    b += (a ^ (c & (d ^ a))) + 3250441966u + block.q0.w;
    b = c + ((b << 22u) | (b >> 10u));
    a += (d ^ (b & (c ^ d))) + 4118548399u + block.q1.x;
    a = b + ((a << 7u) | (a >> 25u));
    d += (c ^ (a & (b ^ c))) + 1200080426u + block.q1.y;
    d = a + ((d << 12u) | (d >> 20u));
    c += (b ^ (d & (a ^ b))) + 2821735955u + block.q1.z;
    c = d + ((c << 17u) | (c >> 15u));
    b += (a ^ (c & (d ^ a))) + 4249261313u + block.q1.w;
    b = c + ((b << 22u) | (b >> 10u));
    a += (d ^ (b & (c ^ d))) + 1770035416u + block.q2.x;
    a = b + ((a << 7u) | (a >> 25u));
    d += (c ^ (a & (b ^ c))) + 2336552879u + block.q2.y;
    d = a + ((d << 12u) | (d >> 20u));
    c += (b ^ (d & (a ^ b))) + 4294925233u + block.q2.z;
    c = d + ((c << 17u) | (c >> 15u));
    b += (a ^ (c & (d ^ a))) + 2304563134u + block.q2.w;
    b = c + ((b << 22u) | (b >> 10u));
    a += (d ^ (b & (c ^ d))) + 1804603682u + block.q3.x;
    a = b + ((a << 7u) | (a >> 25u));
    d += (c ^ (a & (b ^ c))) + 4254626195u + block.q3.y;
    d = a + ((d << 12u) | (d >> 20u));
    c += (b ^ (d & (a ^ b))) + 2792965006u + block.q3.z;
    c = d + ((c << 17u) | (c >> 15u));
    b += (a ^ (c & (d ^ a))) + 1236535329u + block.q3.w;
    b = c + ((b << 22u) | (b >> 10u));
    a += (c ^ (d & (b ^ c))) + 4129170786u + block.q0.y;
    a = b + ((a << 5u) | (a >> 27u));
    d += (b ^ (c & (a ^ b))) + 3225465664u + block.q1.z;
    d = a + ((d << 9u) | (d >> 23u));
    c += (a ^ (b & (d ^ a))) + 643717713u + block.q2.w;
    c = d + ((c << 14u) | (c >> 18u));
    b += (d ^ (a & (c ^ d))) + 3921069994u + block.q0.x;
    b = c + ((b << 20u) | (b >> 12u));
    a += (c ^ (d & (b ^ c))) + 3593408605u + block.q1.y;
    a = b + ((a << 5u) | (a >> 27u));
    d += (b ^ (c & (a ^ b))) + 38016083u + block.q2.z;
    d = a + ((d << 9u) | (d >> 23u));
    c += (a ^ (b & (d ^ a))) + 3634488961u + block.q3.w;
    c = d + ((c << 14u) | (c >> 18u));
    b += (d ^ (a & (c ^ d))) + 3889429448u + block.q1.x;
    b = c + ((b << 20u) | (b >> 12u));
    a += (c ^ (d & (b ^ c))) + 568446438u + block.q2.y;
    a = b + ((a << 5u) | (a >> 27u));
    d += (b ^ (c & (a ^ b))) + 3275163606u + block.q3.z;
    d = a + ((d << 9u) | (d >> 23u));
    c += (a ^ (b & (d ^ a))) + 4107603335u + block.q0.w;
    c = d + ((c << 14u) | (c >> 18u));
    b += (d ^ (a & (c ^ d))) + 1163531501u + block.q2.x;
    b = c + ((b << 20u) | (b >> 12u));
    a += (c ^ (d & (b ^ c))) + 2850285829u + block.q3.y;
    a = b + ((a << 5u) | (a >> 27u));
    d += (b ^ (c & (a ^ b))) + 4243563512u + block.q0.z;
    d = a + ((d << 9u) | (d >> 23u));
    c += (a ^ (b & (d ^ a))) + 1735328473u + block.q1.w;
    c = d + ((c << 14u) | (c >> 18u));
    b += (d ^ (a & (c ^ d))) + 2368359562u + block.q3.x;
    b = c + ((b << 20u) | (b >> 12u));
    a += (b ^ c ^ d) + 4294588738u + block.q1.y;
    a = b + ((a << 4u) | (a >> 28u));
    d += (a ^ b ^ c) + 2272392833u + block.q2.x;
    d = a + ((d << 11u) | (d >> 21u));
    c += (d ^ a ^ b) + 1839030562u + block.q2.w;
    c = d + ((c << 16u) | (c >> 16u));
    b += (c ^ d ^ a) + 4259657740u + block.q3.z;
    b = c + ((b << 23u) | (b >> 9u));
    a += (b ^ c ^ d) + 2763975236u + block.q0.y;
    a = b + ((a << 4u) | (a >> 28u));
    d += (a ^ b ^ c) + 1272893353u + block.q1.x;
    d = a + ((d << 11u) | (d >> 21u));
    c += (d ^ a ^ b) + 4139469664u + block.q1.w;
    c = d + ((c << 16u) | (c >> 16u));
    b += (c ^ d ^ a) + 3200236656u + block.q2.z;
    b = c + ((b << 23u) | (b >> 9u));
    a += (b ^ c ^ d) + 681279174u + block.q3.y;
    a = b + ((a << 4u) | (a >> 28u));
    d += (a ^ b ^ c) + 3936430074u + block.q0.x;
    d = a + ((d << 11u) | (d >> 21u));
    c += (d ^ a ^ b) + 3572445317u + block.q0.w;
    c = d + ((c << 16u) | (c >> 16u));
    b += (c ^ d ^ a) + 76029189u + block.q1.z;
    b = c + ((b << 23u) | (b >> 9u));
    a += (b ^ c ^ d) + 3654602809u + block.q2.y;
    a = b + ((a << 4u) | (a >> 28u));
    d += (a ^ b ^ c) + 3873151461u + block.q3.x;
    d = a + ((d << 11u) | (d >> 21u));
    c += (d ^ a ^ b) + 530742520u + block.q3.w;
    c = d + ((c << 16u) | (c >> 16u));
    b += (c ^ d ^ a) + 3299628645u + block.q0.z;
    b = c + ((b << 23u) | (b >> 9u));
    a += (c ^ (b | ~d)) + 4096336452u + block.q0.x;
    a = b + ((a << 6u) | (a >> 26u));
    d += (b ^ (a | ~c)) + 1126891415u + block.q1.w;
    d = a + ((d << 10u) | (d >> 22u));
    c += (a ^ (d | ~b)) + 2878612391u + block.q3.z;
    c = d + ((c << 15u) | (c >> 17u));
    b += (d ^ (c | ~a)) + 4237533241u + block.q1.y;
    b = c + ((b << 21u) | (b >> 11u));
    a += (c ^ (b | ~d)) + 1700485571u + block.q3.x;
    a = b + ((a << 6u) | (a >> 26u));
    d += (b ^ (a | ~c)) + 2399980690u + block.q0.w;
    d = a + ((d << 10u) | (d >> 22u));
    c += (a ^ (d | ~b)) + 4293915773u + block.q2.z;
    c = d + ((c << 15u) | (c >> 17u));
    b += (d ^ (c | ~a)) + 2240044497u + block.q0.y;
    b = c + ((b << 21u) | (b >> 11u));
    a += (c ^ (b | ~d)) + 1873313359u + block.q2.x;
    a = b + ((a << 6u) | (a >> 26u));
    d += (b ^ (a | ~c)) + 4264355552u + block.q3.w;
    d = a + ((d << 10u) | (d >> 22u));
    c += (a ^ (d | ~b)) + 2734768916u + block.q1.z;
    c = d + ((c << 15u) | (c >> 17u));
    b += (d ^ (c | ~a)) + 1309151649u + block.q3.y;
    b = c + ((b << 21u) | (b >> 11u));
    a += (c ^ (b | ~d)) + 4149444226u + block.q1.x;
    a = b + ((a << 6u) | (a >> 26u));
    d += (b ^ (a | ~c)) + 3174756917u + block.q2.w;
    d = a + ((d << 10u) | (d >> 22u));
    c += (a ^ (d | ~b)) + 718787259u + block.q0.z;
    c = d + ((c << 15u) | (c >> 17u));
    b += (d ^ (c | ~a)) + 3951481745u + block.q2.y;
    b = c + ((b << 21u) | (b >> 11u));
    return DigestState(state.q0 + vec4<u32>(a, b, c, d));
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
