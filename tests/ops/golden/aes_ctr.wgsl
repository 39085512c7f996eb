// kernel aes_key
@group(0) @binding(0) var<storage, read> key: array<u32>;
@group(0) @binding(1) var<storage, read_write> round_keys: array<u32>;

struct Params {
    count: u32,
    words: u32,
    sbox: array<vec4<u32>, 16>,
    first_thread: u32,
}

@group(0) @binding(2) var<uniform> params: Params;

fn sbox_at(i: u32) -> u32 {
    return params.sbox[i >> 2u][i & 3u];
}

// The S-box, four bytes a word; reading it takes a time that depends on the key.
fn substitute(byte: u32) -> u32 {
    return (sbox_at((byte & 0xffu) >> 2u) >> ((byte & 3u) * 8u)) & 0xffu;
}

fn substitute_word(word: u32) -> u32 {
    return substitute(word) | (substitute(word >> 8u) << 8u)
        | (substitute(word >> 16u) << 16u) | (substitute(word >> 24u) << 24u);
}

// Four bytes times two in the field of AES.
fn double(word: u32) -> u32 {
    return ((word & 0x7f7f7f7fu) << 1u) ^ (((word >> 7u) & 0x01010101u) * 0x1bu);
}

// The round keys, in order.
fn run(thread: u32) {
    let size = arrayLength(&key);
    var constant = 1u;
    var index = 0u;
    loop {
        if (index < size) {
            round_keys[index] = key[index];
        } else {
            var word = round_keys[index - 1u];
            if (index % size == 0u) {
                word = substitute_word((word >> 8u) | (word << 24u)) ^ constant;
                constant = double(constant);
            } else if (size > 6u && index % size == 4u) {
                word = substitute_word(word);
            }
            round_keys[index] = round_keys[index - size] ^ word;
        }
        index++;
        if (index >= params.words) {
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

// kernel aes_ctr
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read> round_keys: array<u32>;
@group(0) @binding(2) var<storage, read> first: array<u32>;
@group(0) @binding(3) var<storage, read_write> y: array<u32>;

struct Params {
    count: u32,
    total: u32,
    skipped: u32,
    rounds: u32,
    sbox: array<vec4<u32>, 16>,
    first_thread: u32,
}

@group(0) @binding(4) var<uniform> params: Params;

fn sbox_at(i: u32) -> u32 {
    return params.sbox[i >> 2u][i & 3u];
}

// The S-box, four bytes a word; reading it takes a time that depends on the key.
fn substitute(byte: u32) -> u32 {
    return (sbox_at((byte & 0xffu) >> 2u) >> ((byte & 3u) * 8u)) & 0xffu;
}

fn substitute_word(word: u32) -> u32 {
    return substitute(word) | (substitute(word >> 8u) << 8u)
        | (substitute(word >> 16u) << 16u) | (substitute(word >> 24u) << 24u);
}

// Four bytes times two in the field of AES.
fn double(word: u32) -> u32 {
    return ((word & 0x7f7f7f7fu) << 1u) ^ (((word >> 7u) & 0x01010101u) * 0x1bu);
}

fn swap(word: u32) -> u32 {
    let halves = ((word << 8u) & 0xff00ff00u) | ((word >> 8u) & 0x00ff00ffu);
    return (halves << 16u) | (halves >> 16u);
}

// The first counter block, read as a number whose first byte is the highest, `steps` on.
fn counter(steps: u32) -> vec4<u32> {
    let w = swap(first[3]) + steps;
    let z = swap(first[2]) + select(0u, 1u, w < steps);
    let y = swap(first[1]) + select(0u, 1u, w < steps && z == 0u);
    let x = swap(first[0]) + select(0u, 1u, w < steps && z == 0u && y == 0u);
    return vec4<u32>(swap(x), swap(y), swap(z), swap(w));
}

fn round_key(round: u32) -> vec4<u32> {
    let at = round * 4u;
    return vec4<u32>(round_keys[at], round_keys[at + 1u], round_keys[at + 2u], round_keys[at + 3u]);
}

// Substitution and the shift of rows: each column takes its bytes from four columns.
fn shifted(s: vec4<u32>) -> vec4<u32> {
    return vec4<u32>(
        substitute(s.x) | (substitute(s.y >> 8u) << 8u)
            | (substitute(s.z >> 16u) << 16u)
            | (substitute(s.w >> 24u) << 24u),
        substitute(s.y) | (substitute(s.z >> 8u) << 8u)
            | (substitute(s.w >> 16u) << 16u)
            | (substitute(s.x >> 24u) << 24u),
        substitute(s.z) | (substitute(s.w >> 8u) << 8u)
            | (substitute(s.x >> 16u) << 16u)
            | (substitute(s.y >> 24u) << 24u),
        substitute(s.w) | (substitute(s.x >> 8u) << 8u)
            | (substitute(s.y >> 16u) << 16u)
            | (substitute(s.z >> 24u) << 24u),
    );
}

fn mixed(column: u32) -> u32 {
    let next = (column >> 8u) | (column << 24u);
    return double(column ^ next) ^ next ^ ((column >> 16u) | (column << 16u)) ^ ((column >> 24u) | (column << 8u));
}

fn run(thread: u32) {
    var s = counter(params.skipped + thread) ^ round_key(0u);
    var round = 1u;
    loop {
        s = shifted(s);
        if (round < params.rounds) {
            s = vec4<u32>(mixed(s.x), mixed(s.y), mixed(s.z), mixed(s.w));
        }
        s ^= round_key(round);
        round++;
        if (round > params.rounds) {
            break;
        }
    }
    if (thread * 4u + 0u < params.total) {
        y[thread * 4u + 0u] = x[thread * 4u + 0u] ^ s.x;
    }
    if (thread * 4u + 1u < params.total) {
        y[thread * 4u + 1u] = x[thread * 4u + 1u] ^ s.y;
    }
    if (thread * 4u + 2u < params.total) {
        y[thread * 4u + 2u] = x[thread * 4u + 2u] ^ s.z;
    }
    if (thread * 4u + 3u < params.total) {
        y[thread * 4u + 3u] = x[thread * 4u + 3u] ^ s.w;
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
