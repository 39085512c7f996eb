// kernel murmur3_short
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
    seed_low: u32,
    first_thread: u32,
}

@group(0) @binding(3) var<uniform> params: Params;

const digest_block_bytes = 16u;

// The chaining value.
struct DigestState {
    q0: vec4<u32>,
}

// A block of a message: 4 words, the first byte of each the least significant.
struct DigestBlock {
    q0: vec4<u32>,
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
    return length / 16u + 1u;
}

// How many bytes of a message of `length` bytes remain where block `index` begins, at most a block; negative when the
// message ended in the block before.
fn digest_left(length: u32, index: u32) -> i32 {
    return select(i32(length - index * 16u), 16, length / 16u > index);
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
    return DigestBlock(
        digest_join(vec4<u32>(r0, r1, r2, r3), vec4<u32>(r1, r2, r3, r4), shift),
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

fn digest_start() -> DigestState {
    return DigestState(vec4<u32>(params.seed_low, 0u, 0u, 0u));
}

fn murmur_word(word: u32) -> u32 {
    let mixed = word * 0xcc9e2d51u;
    return ((mixed << 15u) | (mixed >> 17u)) * 0x1b873593u;
}

fn digest_absorb(state: DigestState, block: DigestBlock, index: u32, length: u32) -> DigestState {
    let left = digest_left(length, index);
    var hash = state.q0.x;
    if (left >= 4) {
        hash ^= murmur_word(block.q0.x);
        hash = ((hash << 13u) | (hash >> 19u)) * 5u + 0xe6546b64u;
    } else if (left > 0) {
        hash ^= murmur_word(block.q0.x);
    }
    if (left >= 8) {
        hash ^= murmur_word(block.q0.y);
        hash = ((hash << 13u) | (hash >> 19u)) * 5u + 0xe6546b64u;
    } else if (left > 4) {
        hash ^= murmur_word(block.q0.y);
    }
    if (left >= 12) {
        hash ^= murmur_word(block.q0.z);
        hash = ((hash << 13u) | (hash >> 19u)) * 5u + 0xe6546b64u;
    } else if (left > 8) {
        hash ^= murmur_word(block.q0.z);
    }
    if (left >= 16) {
        hash ^= murmur_word(block.q0.w);
        hash = ((hash << 13u) | (hash >> 19u)) * 5u + 0xe6546b64u;
    } else if (left > 12) {
        hash ^= murmur_word(block.q0.w);
    }
    if (left < 16) {
        hash ^= length;
        hash = (hash ^ (hash >> 16u)) * 0x85ebca6bu;
        hash = (hash ^ (hash >> 13u)) * 0xc2b2ae35u;
        hash ^= hash >> 16u;
    }
    return DigestState(vec4<u32>(hash, 0u, 0u, 0u));
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

// kernel bloom_build
@group(0) @binding(0) var<storage, read> first: array<u32>;
@group(0) @binding(1) var<storage, read> second: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<atomic<u32>>;

struct Params {
    count: u32,
    bits: u32,
    hashes: u32,
    first: u32,
    extent: u32,
    first_thread: u32,
}

@group(0) @binding(3) var<uniform> params: Params;

// Sets `hashes` bits of the filter for each message, those in `extent` words from `first` on.
fn run(thread: u32) {
    let step = second[thread] | 1u;
    var place = first[thread];
    var turn = 0u;
    loop {
        let bit = place % params.bits;
        let word = (bit >> 5u) - params.first;
        if (word < params.extent) {
            atomicOr(&y[word], 1u << (bit & 31u));
        }
        place += step;
        turn++;
        if (turn >= params.hashes) {
            break;
        }
    }
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
