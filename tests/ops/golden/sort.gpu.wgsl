// kernel tile_sort_count
@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read_write> counts: array<u32>;

struct Params {
    count: u32,
    total: u32,
    shift: u32,
    first_thread: u32,
}

@group(0) @binding(2) var<uniform> params: Params;

// A number as a word of the same order; every NaN is above all, and the two zeros are equal.
fn key_of(bits: u32) -> u32 {
    let size = bits & 0x7fffffffu;
    let key = select(bits ^ 0x80000000u, ~bits, bits > 0x80000000u);
    return select(select(key, 0x80000000u, size == 0u), 0xffffffffu, size > 0x7f800000u);
}

fn digit_of(key: u32) -> u32 {
    return (key >> params.shift) & 255u;
}

var<workgroup> bins: array<atomic<u32>, 256>;

// How often each digit is in a tile: digit d of tile t at `counts[d * tiles + t]`.
fn run(tile: u32, lane: u32) {
    atomicStore(&bins[lane], 0u);
    workgroupBarrier();
    {
        let at = tile * 3840u + 0u + lane;
        if (at < params.total) {
            atomicAdd(&bins[digit_of(key_of(keys[at]))], 1u);
        }
    }
    {
        let at = tile * 3840u + 256u + lane;
        if (at < params.total) {
            atomicAdd(&bins[digit_of(key_of(keys[at]))], 1u);
        }
    }
    {
        let at = tile * 3840u + 512u + lane;
        if (at < params.total) {
            atomicAdd(&bins[digit_of(key_of(keys[at]))], 1u);
        }
    }
    {
        let at = tile * 3840u + 768u + lane;
        if (at < params.total) {
            atomicAdd(&bins[digit_of(key_of(keys[at]))], 1u);
        }
    }
    {
        let at = tile * 3840u + 1024u + lane;
        if (at < params.total) {
            atomicAdd(&bins[digit_of(key_of(keys[at]))], 1u);
        }
    }
    {
        let at = tile * 3840u + 1280u + lane;
        if (at < params.total) {
            atomicAdd(&bins[digit_of(key_of(keys[at]))], 1u);
        }
    }
    {
        let at = tile * 3840u + 1536u + lane;
        if (at < params.total) {
            atomicAdd(&bins[digit_of(key_of(keys[at]))], 1u);
        }
    }
    {
        let at = tile * 3840u + 1792u + lane;
        if (at < params.total) {
            atomicAdd(&bins[digit_of(key_of(keys[at]))], 1u);
        }
    }
    {
        let at = tile * 3840u + 2048u + lane;
        if (at < params.total) {
            atomicAdd(&bins[digit_of(key_of(keys[at]))], 1u);
        }
    }
    {
        let at = tile * 3840u + 2304u + lane;
        if (at < params.total) {
            atomicAdd(&bins[digit_of(key_of(keys[at]))], 1u);
        }
    }
    {
        let at = tile * 3840u + 2560u + lane;
        if (at < params.total) {
            atomicAdd(&bins[digit_of(key_of(keys[at]))], 1u);
        }
    }
    {
        let at = tile * 3840u + 2816u + lane;
        if (at < params.total) {
            atomicAdd(&bins[digit_of(key_of(keys[at]))], 1u);
        }
    }
    {
        let at = tile * 3840u + 3072u + lane;
        if (at < params.total) {
            atomicAdd(&bins[digit_of(key_of(keys[at]))], 1u);
        }
    }
    {
        let at = tile * 3840u + 3328u + lane;
        if (at < params.total) {
            atomicAdd(&bins[digit_of(key_of(keys[at]))], 1u);
        }
    }
    {
        let at = tile * 3840u + 3584u + lane;
        if (at < params.total) {
            atomicAdd(&bins[digit_of(key_of(keys[at]))], 1u);
        }
    }
    workgroupBarrier();
    counts[lane * params.count + tile] = atomicLoad(&bins[lane]);
}

@compute @workgroup_size(256, 1, 1)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(local_invocation_id) lid: vec3<u32>,
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) nwg: vec3<u32>,
) {
    let thread = (wid.x + wid.y * nwg.x) * 256u + lid.x + params.first_thread;
    let tile = wid.x + wid.y * nwg.x;
    if tile < params.count {
        run(tile, lid.x);
    }
}

// kernel tile_sort_move
@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read_write> new_keys: array<u32>;
@group(0) @binding(3) var<storage, read_write> new_values: array<u32>;

struct Params {
    count: u32,
    total: u32,
    shift: u32,
    first_thread: u32,
}

@group(0) @binding(4) var<uniform> params: Params;

var<workgroup> words: array<u32, 4096>;

// The sum of `value` over the lanes below `lane`, and over all 256 of them; `words` from `at` on serve as scratch.
struct Before {
    sum: u32,
    total: u32,
}

fn before(lane: u32, value: u32, at: u32) -> Before {
    var sum = value;
    words[at + lane] = sum;
    workgroupBarrier();
    sum += select(u32(), words[at + 0u + max(lane, 1u) - 1u], lane >= 1u);
    words[at + 256u + lane] = sum;
    workgroupBarrier();
    sum += select(u32(), words[at + 256u + max(lane, 2u) - 2u], lane >= 2u);
    words[at + 0u + lane] = sum;
    workgroupBarrier();
    sum += select(u32(), words[at + 0u + max(lane, 4u) - 4u], lane >= 4u);
    words[at + 256u + lane] = sum;
    workgroupBarrier();
    sum += select(u32(), words[at + 256u + max(lane, 8u) - 8u], lane >= 8u);
    words[at + 0u + lane] = sum;
    workgroupBarrier();
    sum += select(u32(), words[at + 0u + max(lane, 16u) - 16u], lane >= 16u);
    words[at + 256u + lane] = sum;
    workgroupBarrier();
    sum += select(u32(), words[at + 256u + max(lane, 32u) - 32u], lane >= 32u);
    words[at + 0u + lane] = sum;
    workgroupBarrier();
    sum += select(u32(), words[at + 0u + max(lane, 64u) - 64u], lane >= 64u);
    words[at + 256u + lane] = sum;
    workgroupBarrier();
    sum += select(u32(), words[at + 256u + max(lane, 128u) - 128u], lane >= 128u);
    words[at + 0u + lane] = sum;
    workgroupBarrier();
    return Before(select(u32(), words[at + max(lane, 1u) - 1u], lane > 0u), words[at + 255u]);
}

// A number as a word of the same order; every NaN is above all, and the two zeros are equal.
fn key_of(bits: u32) -> u32 {
    let size = bits & 0x7fffffffu;
    let key = select(bits ^ 0x80000000u, ~bits, bits > 0x80000000u);
    return select(select(key, 0x80000000u, size == 0u), 0xffffffffu, size > 0x7f800000u);
}

fn digit_of(key: u32) -> u32 {
    return (key >> params.shift) & 255u;
}

// The elements of a tile in the order of a digit, equal ones as they were, then each to its place: `starts` says where
// the first of a digit of a tile goes. A tile is sorted by two half digits of four bits. Each lane has 15 neighbours and
// counts its own half digits in `words`, two counters of 16 bits to a word: half digits 0 to 7 low, 8 to 15 high.
fn run(tile: u32, lane: u32) {
    let first = tile * 3840u;
    let valid = min(params.total - first, 3840u);
    {
        let at = 0u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 256u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 512u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 768u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 1024u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 1280u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 1536u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 1792u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 2048u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 2304u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 2560u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 2816u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 3072u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 3328u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 3584u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    workgroupBarrier();
    var k0 = words[lane * 15u + 0u];
    var k1 = words[lane * 15u + 1u];
    var k2 = words[lane * 15u + 2u];
    var k3 = words[lane * 15u + 3u];
    var k4 = words[lane * 15u + 4u];
    var k5 = words[lane * 15u + 5u];
    var k6 = words[lane * 15u + 6u];
    var k7 = words[lane * 15u + 7u];
    var k8 = words[lane * 15u + 8u];
    var k9 = words[lane * 15u + 9u];
    var k10 = words[lane * 15u + 10u];
    var k11 = words[lane * 15u + 11u];
    var k12 = words[lane * 15u + 12u];
    var k13 = words[lane * 15u + 13u];
    var k14 = words[lane * 15u + 14u];
    workgroupBarrier();
    var v0 = first + lane * 15u + 0u;
    var v1 = first + lane * 15u + 1u;
    var v2 = first + lane * 15u + 2u;
    var v3 = first + lane * 15u + 3u;
    var v4 = first + lane * 15u + 4u;
    var v5 = first + lane * 15u + 5u;
    var v6 = first + lane * 15u + 6u;
    var v7 = first + lane * 15u + 7u;
    var v8 = first + lane * 15u + 8u;
    var v9 = first + lane * 15u + 9u;
    var v10 = first + lane * 15u + 10u;
    var v11 = first + lane * 15u + 11u;
    var v12 = first + lane * 15u + 12u;
    var v13 = first + lane * 15u + 13u;
    var v14 = first + lane * 15u + 14u;
    var r0 = 0u;
    var r1 = 0u;
    var r2 = 0u;
    var r3 = 0u;
    var r4 = 0u;
    var r5 = 0u;
    var r6 = 0u;
    var r7 = 0u;
    var r8 = 0u;
    var r9 = 0u;
    var r10 = 0u;
    var r11 = 0u;
    var r12 = 0u;
    var r13 = 0u;
    var r14 = 0u;
    let shift0 = params.shift + 0u;
    words[0u + lane] = 0u;
    words[256u + lane] = 0u;
    words[512u + lane] = 0u;
    words[768u + lane] = 0u;
    words[1024u + lane] = 0u;
    words[1280u + lane] = 0u;
    words[1536u + lane] = 0u;
    words[1792u + lane] = 0u;
    {
        let half = (k0 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r0 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k1 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r1 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k2 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r2 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k3 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r3 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k4 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r4 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k5 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r5 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k6 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r6 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k7 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r7 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k8 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r8 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k9 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r9 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k10 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r10 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k11 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r11 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k12 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r12 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k13 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r13 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k14 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r14 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    workgroupBarrier();
    {
        let c0 = words[lane * 8u + 0u];
        let c1 = words[lane * 8u + 1u];
        let c2 = words[lane * 8u + 2u];
        let c3 = words[lane * 8u + 3u];
        let c4 = words[lane * 8u + 4u];
        let c5 = words[lane * 8u + 5u];
        let c6 = words[lane * 8u + 6u];
        let c7 = words[lane * 8u + 7u];
        let below = before(lane, c0 + c1 + c2 + c3 + c4 + c5 + c6 + c7, 2048u);
        var sum = below.sum + (below.total << 16u);
        words[lane * 8u + 0u] = sum;
        sum += c0;
        words[lane * 8u + 1u] = sum;
        sum += c1;
        words[lane * 8u + 2u] = sum;
        sum += c2;
        words[lane * 8u + 3u] = sum;
        sum += c3;
        words[lane * 8u + 4u] = sum;
        sum += c4;
        words[lane * 8u + 5u] = sum;
        sum += c5;
        words[lane * 8u + 6u] = sum;
        sum += c6;
        words[lane * 8u + 7u] = sum;
        sum += c7;
    }
    workgroupBarrier();
    {
        let half = (k0 >> shift0) & 15u;
        r0 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k1 >> shift0) & 15u;
        r1 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k2 >> shift0) & 15u;
        r2 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k3 >> shift0) & 15u;
        r3 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k4 >> shift0) & 15u;
        r4 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k5 >> shift0) & 15u;
        r5 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k6 >> shift0) & 15u;
        r6 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k7 >> shift0) & 15u;
        r7 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k8 >> shift0) & 15u;
        r8 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k9 >> shift0) & 15u;
        r9 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k10 >> shift0) & 15u;
        r10 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k11 >> shift0) & 15u;
        r11 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k12 >> shift0) & 15u;
        r12 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k13 >> shift0) & 15u;
        r13 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k14 >> shift0) & 15u;
        r14 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    workgroupBarrier();
    words[r0] = k0;
    words[r1] = k1;
    words[r2] = k2;
    words[r3] = k3;
    words[r4] = k4;
    words[r5] = k5;
    words[r6] = k6;
    words[r7] = k7;
    words[r8] = k8;
    words[r9] = k9;
    words[r10] = k10;
    words[r11] = k11;
    words[r12] = k12;
    words[r13] = k13;
    words[r14] = k14;
    workgroupBarrier();
    k0 = words[lane * 15u + 0u];
    k1 = words[lane * 15u + 1u];
    k2 = words[lane * 15u + 2u];
    k3 = words[lane * 15u + 3u];
    k4 = words[lane * 15u + 4u];
    k5 = words[lane * 15u + 5u];
    k6 = words[lane * 15u + 6u];
    k7 = words[lane * 15u + 7u];
    k8 = words[lane * 15u + 8u];
    k9 = words[lane * 15u + 9u];
    k10 = words[lane * 15u + 10u];
    k11 = words[lane * 15u + 11u];
    k12 = words[lane * 15u + 12u];
    k13 = words[lane * 15u + 13u];
    k14 = words[lane * 15u + 14u];
    workgroupBarrier();
    words[r0] = v0;
    words[r1] = v1;
    words[r2] = v2;
    words[r3] = v3;
    words[r4] = v4;
    words[r5] = v5;
    words[r6] = v6;
    words[r7] = v7;
    words[r8] = v8;
    words[r9] = v9;
    words[r10] = v10;
    words[r11] = v11;
    words[r12] = v12;
    words[r13] = v13;
    words[r14] = v14;
    workgroupBarrier();
    v0 = words[lane * 15u + 0u];
    v1 = words[lane * 15u + 1u];
    v2 = words[lane * 15u + 2u];
    v3 = words[lane * 15u + 3u];
    v4 = words[lane * 15u + 4u];
    v5 = words[lane * 15u + 5u];
    v6 = words[lane * 15u + 6u];
    v7 = words[lane * 15u + 7u];
    v8 = words[lane * 15u + 8u];
    v9 = words[lane * 15u + 9u];
    v10 = words[lane * 15u + 10u];
    v11 = words[lane * 15u + 11u];
    v12 = words[lane * 15u + 12u];
    v13 = words[lane * 15u + 13u];
    v14 = words[lane * 15u + 14u];
    workgroupBarrier();
    let shift1 = params.shift + 4u;
    words[0u + lane] = 0u;
    words[256u + lane] = 0u;
    words[512u + lane] = 0u;
    words[768u + lane] = 0u;
    words[1024u + lane] = 0u;
    words[1280u + lane] = 0u;
    words[1536u + lane] = 0u;
    words[1792u + lane] = 0u;
    {
        let half = (k0 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r0 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k1 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r1 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k2 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r2 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k3 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r3 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k4 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r4 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k5 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r5 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k6 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r6 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k7 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r7 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k8 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r8 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k9 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r9 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k10 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r10 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k11 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r11 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k12 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r12 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k13 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r13 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k14 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r14 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    workgroupBarrier();
    {
        let c0 = words[lane * 8u + 0u];
        let c1 = words[lane * 8u + 1u];
        let c2 = words[lane * 8u + 2u];
        let c3 = words[lane * 8u + 3u];
        let c4 = words[lane * 8u + 4u];
        let c5 = words[lane * 8u + 5u];
        let c6 = words[lane * 8u + 6u];
        let c7 = words[lane * 8u + 7u];
        let below = before(lane, c0 + c1 + c2 + c3 + c4 + c5 + c6 + c7, 2048u);
        var sum = below.sum + (below.total << 16u);
        words[lane * 8u + 0u] = sum;
        sum += c0;
        words[lane * 8u + 1u] = sum;
        sum += c1;
        words[lane * 8u + 2u] = sum;
        sum += c2;
        words[lane * 8u + 3u] = sum;
        sum += c3;
        words[lane * 8u + 4u] = sum;
        sum += c4;
        words[lane * 8u + 5u] = sum;
        sum += c5;
        words[lane * 8u + 6u] = sum;
        sum += c6;
        words[lane * 8u + 7u] = sum;
        sum += c7;
    }
    workgroupBarrier();
    {
        let half = (k0 >> shift1) & 15u;
        r0 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k1 >> shift1) & 15u;
        r1 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k2 >> shift1) & 15u;
        r2 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k3 >> shift1) & 15u;
        r3 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k4 >> shift1) & 15u;
        r4 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k5 >> shift1) & 15u;
        r5 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k6 >> shift1) & 15u;
        r6 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k7 >> shift1) & 15u;
        r7 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k8 >> shift1) & 15u;
        r8 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k9 >> shift1) & 15u;
        r9 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k10 >> shift1) & 15u;
        r10 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k11 >> shift1) & 15u;
        r11 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k12 >> shift1) & 15u;
        r12 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k13 >> shift1) & 15u;
        r13 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k14 >> shift1) & 15u;
        r14 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    workgroupBarrier();
    words[r0] = k0;
    words[r1] = k1;
    words[r2] = k2;
    words[r3] = k3;
    words[r4] = k4;
    words[r5] = k5;
    words[r6] = k6;
    words[r7] = k7;
    words[r8] = k8;
    words[r9] = k9;
    words[r10] = k10;
    words[r11] = k11;
    words[r12] = k12;
    words[r13] = k13;
    words[r14] = k14;
    workgroupBarrier();
    k0 = words[0u + lane];
    {
        let at = 0u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k0)) {
            words[3840u + digit_of(k0)] = at;
        }
    }
    k1 = words[256u + lane];
    {
        let at = 256u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k1)) {
            words[3840u + digit_of(k1)] = at;
        }
    }
    k2 = words[512u + lane];
    {
        let at = 512u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k2)) {
            words[3840u + digit_of(k2)] = at;
        }
    }
    k3 = words[768u + lane];
    {
        let at = 768u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k3)) {
            words[3840u + digit_of(k3)] = at;
        }
    }
    k4 = words[1024u + lane];
    {
        let at = 1024u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k4)) {
            words[3840u + digit_of(k4)] = at;
        }
    }
    k5 = words[1280u + lane];
    {
        let at = 1280u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k5)) {
            words[3840u + digit_of(k5)] = at;
        }
    }
    k6 = words[1536u + lane];
    {
        let at = 1536u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k6)) {
            words[3840u + digit_of(k6)] = at;
        }
    }
    k7 = words[1792u + lane];
    {
        let at = 1792u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k7)) {
            words[3840u + digit_of(k7)] = at;
        }
    }
    k8 = words[2048u + lane];
    {
        let at = 2048u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k8)) {
            words[3840u + digit_of(k8)] = at;
        }
    }
    k9 = words[2304u + lane];
    {
        let at = 2304u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k9)) {
            words[3840u + digit_of(k9)] = at;
        }
    }
    k10 = words[2560u + lane];
    {
        let at = 2560u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k10)) {
            words[3840u + digit_of(k10)] = at;
        }
    }
    k11 = words[2816u + lane];
    {
        let at = 2816u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k11)) {
            words[3840u + digit_of(k11)] = at;
        }
    }
    k12 = words[3072u + lane];
    {
        let at = 3072u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k12)) {
            words[3840u + digit_of(k12)] = at;
        }
    }
    k13 = words[3328u + lane];
    {
        let at = 3328u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k13)) {
            words[3840u + digit_of(k13)] = at;
        }
    }
    k14 = words[3584u + lane];
    {
        let at = 3584u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k14)) {
            words[3840u + digit_of(k14)] = at;
        }
    }
    workgroupBarrier();
    let to0 = starts[digit_of(k0) * params.count + tile] + 0u + lane - words[3840u + digit_of(k0)];
    if (0u + lane < valid) {
        new_keys[to0] = k0;
    }
    let to1 = starts[digit_of(k1) * params.count + tile] + 256u + lane - words[3840u + digit_of(k1)];
    if (256u + lane < valid) {
        new_keys[to1] = k1;
    }
    let to2 = starts[digit_of(k2) * params.count + tile] + 512u + lane - words[3840u + digit_of(k2)];
    if (512u + lane < valid) {
        new_keys[to2] = k2;
    }
    let to3 = starts[digit_of(k3) * params.count + tile] + 768u + lane - words[3840u + digit_of(k3)];
    if (768u + lane < valid) {
        new_keys[to3] = k3;
    }
    let to4 = starts[digit_of(k4) * params.count + tile] + 1024u + lane - words[3840u + digit_of(k4)];
    if (1024u + lane < valid) {
        new_keys[to4] = k4;
    }
    let to5 = starts[digit_of(k5) * params.count + tile] + 1280u + lane - words[3840u + digit_of(k5)];
    if (1280u + lane < valid) {
        new_keys[to5] = k5;
    }
    let to6 = starts[digit_of(k6) * params.count + tile] + 1536u + lane - words[3840u + digit_of(k6)];
    if (1536u + lane < valid) {
        new_keys[to6] = k6;
    }
    let to7 = starts[digit_of(k7) * params.count + tile] + 1792u + lane - words[3840u + digit_of(k7)];
    if (1792u + lane < valid) {
        new_keys[to7] = k7;
    }
    let to8 = starts[digit_of(k8) * params.count + tile] + 2048u + lane - words[3840u + digit_of(k8)];
    if (2048u + lane < valid) {
        new_keys[to8] = k8;
    }
    let to9 = starts[digit_of(k9) * params.count + tile] + 2304u + lane - words[3840u + digit_of(k9)];
    if (2304u + lane < valid) {
        new_keys[to9] = k9;
    }
    let to10 = starts[digit_of(k10) * params.count + tile] + 2560u + lane - words[3840u + digit_of(k10)];
    if (2560u + lane < valid) {
        new_keys[to10] = k10;
    }
    let to11 = starts[digit_of(k11) * params.count + tile] + 2816u + lane - words[3840u + digit_of(k11)];
    if (2816u + lane < valid) {
        new_keys[to11] = k11;
    }
    let to12 = starts[digit_of(k12) * params.count + tile] + 3072u + lane - words[3840u + digit_of(k12)];
    if (3072u + lane < valid) {
        new_keys[to12] = k12;
    }
    let to13 = starts[digit_of(k13) * params.count + tile] + 3328u + lane - words[3840u + digit_of(k13)];
    if (3328u + lane < valid) {
        new_keys[to13] = k13;
    }
    let to14 = starts[digit_of(k14) * params.count + tile] + 3584u + lane - words[3840u + digit_of(k14)];
    if (3584u + lane < valid) {
        new_keys[to14] = k14;
    }
    workgroupBarrier();
    words[r0] = v0;
    words[r1] = v1;
    words[r2] = v2;
    words[r3] = v3;
    words[r4] = v4;
    words[r5] = v5;
    words[r6] = v6;
    words[r7] = v7;
    words[r8] = v8;
    words[r9] = v9;
    words[r10] = v10;
    words[r11] = v11;
    words[r12] = v12;
    words[r13] = v13;
    words[r14] = v14;
    workgroupBarrier();
    if (0u + lane < valid) {
        new_values[to0] = words[0u + lane];
    }
    if (256u + lane < valid) {
        new_values[to1] = words[256u + lane];
    }
    if (512u + lane < valid) {
        new_values[to2] = words[512u + lane];
    }
    if (768u + lane < valid) {
        new_values[to3] = words[768u + lane];
    }
    if (1024u + lane < valid) {
        new_values[to4] = words[1024u + lane];
    }
    if (1280u + lane < valid) {
        new_values[to5] = words[1280u + lane];
    }
    if (1536u + lane < valid) {
        new_values[to6] = words[1536u + lane];
    }
    if (1792u + lane < valid) {
        new_values[to7] = words[1792u + lane];
    }
    if (2048u + lane < valid) {
        new_values[to8] = words[2048u + lane];
    }
    if (2304u + lane < valid) {
        new_values[to9] = words[2304u + lane];
    }
    if (2560u + lane < valid) {
        new_values[to10] = words[2560u + lane];
    }
    if (2816u + lane < valid) {
        new_values[to11] = words[2816u + lane];
    }
    if (3072u + lane < valid) {
        new_values[to12] = words[3072u + lane];
    }
    if (3328u + lane < valid) {
        new_values[to13] = words[3328u + lane];
    }
    if (3584u + lane < valid) {
        new_values[to14] = words[3584u + lane];
    }
}

@compute @workgroup_size(256, 1, 1)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(local_invocation_id) lid: vec3<u32>,
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) nwg: vec3<u32>,
) {
    let thread = (wid.x + wid.y * nwg.x) * 256u + lid.x + params.first_thread;
    let tile = wid.x + wid.y * nwg.x;
    if tile < params.count {
        run(tile, lid.x);
    }
}

// kernel tile_sort_count
@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read_write> counts: array<u32>;

struct Params {
    count: u32,
    total: u32,
    shift: u32,
    first_thread: u32,
}

@group(0) @binding(2) var<uniform> params: Params;

// A number as a word of the same order; every NaN is above all, and the two zeros are equal.
fn key_of(bits: u32) -> u32 {
    return bits;
}

fn digit_of(key: u32) -> u32 {
    return (key >> params.shift) & 255u;
}

var<workgroup> bins: array<atomic<u32>, 256>;

// How often each digit is in a tile: digit d of tile t at `counts[d * tiles + t]`.
fn run(tile: u32, lane: u32) {
    atomicStore(&bins[lane], 0u);
    workgroupBarrier();
    {
        let at = tile * 3840u + 0u + lane;
        if (at < params.total) {
            atomicAdd(&bins[digit_of(key_of(keys[at]))], 1u);
        }
    }
    {
        let at = tile * 3840u + 256u + lane;
        if (at < params.total) {
            atomicAdd(&bins[digit_of(key_of(keys[at]))], 1u);
        }
    }
    {
        let at = tile * 3840u + 512u + lane;
        if (at < params.total) {
            atomicAdd(&bins[digit_of(key_of(keys[at]))], 1u);
        }
    }
    {
        let at = tile * 3840u + 768u + lane;
        if (at < params.total) {
            atomicAdd(&bins[digit_of(key_of(keys[at]))], 1u);
        }
    }
    {
        let at = tile * 3840u + 1024u + lane;
        if (at < params.total) {
            atomicAdd(&bins[digit_of(key_of(keys[at]))], 1u);
        }
    }
    {
        let at = tile * 3840u + 1280u + lane;
        if (at < params.total) {
            atomicAdd(&bins[digit_of(key_of(keys[at]))], 1u);
        }
    }
    {
        let at = tile * 3840u + 1536u + lane;
        if (at < params.total) {
            atomicAdd(&bins[digit_of(key_of(keys[at]))], 1u);
        }
    }
    {
        let at = tile * 3840u + 1792u + lane;
        if (at < params.total) {
            atomicAdd(&bins[digit_of(key_of(keys[at]))], 1u);
        }
    }
    {
        let at = tile * 3840u + 2048u + lane;
        if (at < params.total) {
            atomicAdd(&bins[digit_of(key_of(keys[at]))], 1u);
        }
    }
    {
        let at = tile * 3840u + 2304u + lane;
        if (at < params.total) {
            atomicAdd(&bins[digit_of(key_of(keys[at]))], 1u);
        }
    }
    {
        let at = tile * 3840u + 2560u + lane;
        if (at < params.total) {
            atomicAdd(&bins[digit_of(key_of(keys[at]))], 1u);
        }
    }
    {
        let at = tile * 3840u + 2816u + lane;
        if (at < params.total) {
            atomicAdd(&bins[digit_of(key_of(keys[at]))], 1u);
        }
    }
    {
        let at = tile * 3840u + 3072u + lane;
        if (at < params.total) {
            atomicAdd(&bins[digit_of(key_of(keys[at]))], 1u);
        }
    }
    {
        let at = tile * 3840u + 3328u + lane;
        if (at < params.total) {
            atomicAdd(&bins[digit_of(key_of(keys[at]))], 1u);
        }
    }
    {
        let at = tile * 3840u + 3584u + lane;
        if (at < params.total) {
            atomicAdd(&bins[digit_of(key_of(keys[at]))], 1u);
        }
    }
    workgroupBarrier();
    counts[lane * params.count + tile] = atomicLoad(&bins[lane]);
}

@compute @workgroup_size(256, 1, 1)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(local_invocation_id) lid: vec3<u32>,
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) nwg: vec3<u32>,
) {
    let thread = (wid.x + wid.y * nwg.x) * 256u + lid.x + params.first_thread;
    let tile = wid.x + wid.y * nwg.x;
    if tile < params.count {
        run(tile, lid.x);
    }
}

// kernel tile_sort_move
@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read> values: array<u32>;
@group(0) @binding(2) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read_write> new_keys: array<u32>;
@group(0) @binding(4) var<storage, read_write> new_values: array<u32>;

struct Params {
    count: u32,
    total: u32,
    shift: u32,
    first_thread: u32,
}

@group(0) @binding(5) var<uniform> params: Params;

var<workgroup> words: array<u32, 4096>;

// The sum of `value` over the lanes below `lane`, and over all 256 of them; `words` from `at` on serve as scratch.
struct Before {
    sum: u32,
    total: u32,
}

fn before(lane: u32, value: u32, at: u32) -> Before {
    var sum = value;
    words[at + lane] = sum;
    workgroupBarrier();
    sum += select(u32(), words[at + 0u + max(lane, 1u) - 1u], lane >= 1u);
    words[at + 256u + lane] = sum;
    workgroupBarrier();
    sum += select(u32(), words[at + 256u + max(lane, 2u) - 2u], lane >= 2u);
    words[at + 0u + lane] = sum;
    workgroupBarrier();
    sum += select(u32(), words[at + 0u + max(lane, 4u) - 4u], lane >= 4u);
    words[at + 256u + lane] = sum;
    workgroupBarrier();
    sum += select(u32(), words[at + 256u + max(lane, 8u) - 8u], lane >= 8u);
    words[at + 0u + lane] = sum;
    workgroupBarrier();
    sum += select(u32(), words[at + 0u + max(lane, 16u) - 16u], lane >= 16u);
    words[at + 256u + lane] = sum;
    workgroupBarrier();
    sum += select(u32(), words[at + 256u + max(lane, 32u) - 32u], lane >= 32u);
    words[at + 0u + lane] = sum;
    workgroupBarrier();
    sum += select(u32(), words[at + 0u + max(lane, 64u) - 64u], lane >= 64u);
    words[at + 256u + lane] = sum;
    workgroupBarrier();
    sum += select(u32(), words[at + 256u + max(lane, 128u) - 128u], lane >= 128u);
    words[at + 0u + lane] = sum;
    workgroupBarrier();
    return Before(select(u32(), words[at + max(lane, 1u) - 1u], lane > 0u), words[at + 255u]);
}

// A number as a word of the same order; every NaN is above all, and the two zeros are equal.
fn key_of(bits: u32) -> u32 {
    return bits;
}

fn digit_of(key: u32) -> u32 {
    return (key >> params.shift) & 255u;
}

// The elements of a tile in the order of a digit, equal ones as they were, then each to its place: `starts` says where
// the first of a digit of a tile goes. A tile is sorted by two half digits of four bits. Each lane has 15 neighbours and
// counts its own half digits in `words`, two counters of 16 bits to a word: half digits 0 to 7 low, 8 to 15 high.
fn run(tile: u32, lane: u32) {
    let first = tile * 3840u;
    let valid = min(params.total - first, 3840u);
    {
        let at = 0u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 256u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 512u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 768u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 1024u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 1280u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 1536u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 1792u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 2048u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 2304u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 2560u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 2816u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 3072u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 3328u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 3584u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    workgroupBarrier();
    var k0 = words[lane * 15u + 0u];
    var k1 = words[lane * 15u + 1u];
    var k2 = words[lane * 15u + 2u];
    var k3 = words[lane * 15u + 3u];
    var k4 = words[lane * 15u + 4u];
    var k5 = words[lane * 15u + 5u];
    var k6 = words[lane * 15u + 6u];
    var k7 = words[lane * 15u + 7u];
    var k8 = words[lane * 15u + 8u];
    var k9 = words[lane * 15u + 9u];
    var k10 = words[lane * 15u + 10u];
    var k11 = words[lane * 15u + 11u];
    var k12 = words[lane * 15u + 12u];
    var k13 = words[lane * 15u + 13u];
    var k14 = words[lane * 15u + 14u];
    workgroupBarrier();
    {
        let at = 0u + lane;
        words[at] = values[first + min(at, valid - 1u)];
    }
    {
        let at = 256u + lane;
        words[at] = values[first + min(at, valid - 1u)];
    }
    {
        let at = 512u + lane;
        words[at] = values[first + min(at, valid - 1u)];
    }
    {
        let at = 768u + lane;
        words[at] = values[first + min(at, valid - 1u)];
    }
    {
        let at = 1024u + lane;
        words[at] = values[first + min(at, valid - 1u)];
    }
    {
        let at = 1280u + lane;
        words[at] = values[first + min(at, valid - 1u)];
    }
    {
        let at = 1536u + lane;
        words[at] = values[first + min(at, valid - 1u)];
    }
    {
        let at = 1792u + lane;
        words[at] = values[first + min(at, valid - 1u)];
    }
    {
        let at = 2048u + lane;
        words[at] = values[first + min(at, valid - 1u)];
    }
    {
        let at = 2304u + lane;
        words[at] = values[first + min(at, valid - 1u)];
    }
    {
        let at = 2560u + lane;
        words[at] = values[first + min(at, valid - 1u)];
    }
    {
        let at = 2816u + lane;
        words[at] = values[first + min(at, valid - 1u)];
    }
    {
        let at = 3072u + lane;
        words[at] = values[first + min(at, valid - 1u)];
    }
    {
        let at = 3328u + lane;
        words[at] = values[first + min(at, valid - 1u)];
    }
    {
        let at = 3584u + lane;
        words[at] = values[first + min(at, valid - 1u)];
    }
    workgroupBarrier();
    var v0 = words[lane * 15u + 0u];
    var v1 = words[lane * 15u + 1u];
    var v2 = words[lane * 15u + 2u];
    var v3 = words[lane * 15u + 3u];
    var v4 = words[lane * 15u + 4u];
    var v5 = words[lane * 15u + 5u];
    var v6 = words[lane * 15u + 6u];
    var v7 = words[lane * 15u + 7u];
    var v8 = words[lane * 15u + 8u];
    var v9 = words[lane * 15u + 9u];
    var v10 = words[lane * 15u + 10u];
    var v11 = words[lane * 15u + 11u];
    var v12 = words[lane * 15u + 12u];
    var v13 = words[lane * 15u + 13u];
    var v14 = words[lane * 15u + 14u];
    workgroupBarrier();
    var r0 = 0u;
    var r1 = 0u;
    var r2 = 0u;
    var r3 = 0u;
    var r4 = 0u;
    var r5 = 0u;
    var r6 = 0u;
    var r7 = 0u;
    var r8 = 0u;
    var r9 = 0u;
    var r10 = 0u;
    var r11 = 0u;
    var r12 = 0u;
    var r13 = 0u;
    var r14 = 0u;
    let shift0 = params.shift + 0u;
    words[0u + lane] = 0u;
    words[256u + lane] = 0u;
    words[512u + lane] = 0u;
    words[768u + lane] = 0u;
    words[1024u + lane] = 0u;
    words[1280u + lane] = 0u;
    words[1536u + lane] = 0u;
    words[1792u + lane] = 0u;
    {
        let half = (k0 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r0 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k1 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r1 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k2 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r2 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k3 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r3 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k4 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r4 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k5 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r5 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k6 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r6 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k7 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r7 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k8 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r8 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k9 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r9 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k10 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r10 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k11 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r11 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k12 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r12 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k13 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r13 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k14 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r14 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    workgroupBarrier();
    {
        let c0 = words[lane * 8u + 0u];
        let c1 = words[lane * 8u + 1u];
        let c2 = words[lane * 8u + 2u];
        let c3 = words[lane * 8u + 3u];
        let c4 = words[lane * 8u + 4u];
        let c5 = words[lane * 8u + 5u];
        let c6 = words[lane * 8u + 6u];
        let c7 = words[lane * 8u + 7u];
        let below = before(lane, c0 + c1 + c2 + c3 + c4 + c5 + c6 + c7, 2048u);
        var sum = below.sum + (below.total << 16u);
        words[lane * 8u + 0u] = sum;
        sum += c0;
        words[lane * 8u + 1u] = sum;
        sum += c1;
        words[lane * 8u + 2u] = sum;
        sum += c2;
        words[lane * 8u + 3u] = sum;
        sum += c3;
        words[lane * 8u + 4u] = sum;
        sum += c4;
        words[lane * 8u + 5u] = sum;
        sum += c5;
        words[lane * 8u + 6u] = sum;
        sum += c6;
        words[lane * 8u + 7u] = sum;
        sum += c7;
    }
    workgroupBarrier();
    {
        let half = (k0 >> shift0) & 15u;
        r0 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k1 >> shift0) & 15u;
        r1 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k2 >> shift0) & 15u;
        r2 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k3 >> shift0) & 15u;
        r3 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k4 >> shift0) & 15u;
        r4 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k5 >> shift0) & 15u;
        r5 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k6 >> shift0) & 15u;
        r6 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k7 >> shift0) & 15u;
        r7 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k8 >> shift0) & 15u;
        r8 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k9 >> shift0) & 15u;
        r9 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k10 >> shift0) & 15u;
        r10 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k11 >> shift0) & 15u;
        r11 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k12 >> shift0) & 15u;
        r12 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k13 >> shift0) & 15u;
        r13 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k14 >> shift0) & 15u;
        r14 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    workgroupBarrier();
    words[r0] = k0;
    words[r1] = k1;
    words[r2] = k2;
    words[r3] = k3;
    words[r4] = k4;
    words[r5] = k5;
    words[r6] = k6;
    words[r7] = k7;
    words[r8] = k8;
    words[r9] = k9;
    words[r10] = k10;
    words[r11] = k11;
    words[r12] = k12;
    words[r13] = k13;
    words[r14] = k14;
    workgroupBarrier();
    k0 = words[lane * 15u + 0u];
    k1 = words[lane * 15u + 1u];
    k2 = words[lane * 15u + 2u];
    k3 = words[lane * 15u + 3u];
    k4 = words[lane * 15u + 4u];
    k5 = words[lane * 15u + 5u];
    k6 = words[lane * 15u + 6u];
    k7 = words[lane * 15u + 7u];
    k8 = words[lane * 15u + 8u];
    k9 = words[lane * 15u + 9u];
    k10 = words[lane * 15u + 10u];
    k11 = words[lane * 15u + 11u];
    k12 = words[lane * 15u + 12u];
    k13 = words[lane * 15u + 13u];
    k14 = words[lane * 15u + 14u];
    workgroupBarrier();
    words[r0] = v0;
    words[r1] = v1;
    words[r2] = v2;
    words[r3] = v3;
    words[r4] = v4;
    words[r5] = v5;
    words[r6] = v6;
    words[r7] = v7;
    words[r8] = v8;
    words[r9] = v9;
    words[r10] = v10;
    words[r11] = v11;
    words[r12] = v12;
    words[r13] = v13;
    words[r14] = v14;
    workgroupBarrier();
    v0 = words[lane * 15u + 0u];
    v1 = words[lane * 15u + 1u];
    v2 = words[lane * 15u + 2u];
    v3 = words[lane * 15u + 3u];
    v4 = words[lane * 15u + 4u];
    v5 = words[lane * 15u + 5u];
    v6 = words[lane * 15u + 6u];
    v7 = words[lane * 15u + 7u];
    v8 = words[lane * 15u + 8u];
    v9 = words[lane * 15u + 9u];
    v10 = words[lane * 15u + 10u];
    v11 = words[lane * 15u + 11u];
    v12 = words[lane * 15u + 12u];
    v13 = words[lane * 15u + 13u];
    v14 = words[lane * 15u + 14u];
    workgroupBarrier();
    let shift1 = params.shift + 4u;
    words[0u + lane] = 0u;
    words[256u + lane] = 0u;
    words[512u + lane] = 0u;
    words[768u + lane] = 0u;
    words[1024u + lane] = 0u;
    words[1280u + lane] = 0u;
    words[1536u + lane] = 0u;
    words[1792u + lane] = 0u;
    {
        let half = (k0 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r0 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k1 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r1 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k2 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r2 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k3 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r3 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k4 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r4 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k5 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r5 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k6 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r6 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k7 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r7 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k8 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r8 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k9 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r9 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k10 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r10 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k11 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r11 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k12 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r12 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k13 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r13 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k14 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r14 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    workgroupBarrier();
    {
        let c0 = words[lane * 8u + 0u];
        let c1 = words[lane * 8u + 1u];
        let c2 = words[lane * 8u + 2u];
        let c3 = words[lane * 8u + 3u];
        let c4 = words[lane * 8u + 4u];
        let c5 = words[lane * 8u + 5u];
        let c6 = words[lane * 8u + 6u];
        let c7 = words[lane * 8u + 7u];
        let below = before(lane, c0 + c1 + c2 + c3 + c4 + c5 + c6 + c7, 2048u);
        var sum = below.sum + (below.total << 16u);
        words[lane * 8u + 0u] = sum;
        sum += c0;
        words[lane * 8u + 1u] = sum;
        sum += c1;
        words[lane * 8u + 2u] = sum;
        sum += c2;
        words[lane * 8u + 3u] = sum;
        sum += c3;
        words[lane * 8u + 4u] = sum;
        sum += c4;
        words[lane * 8u + 5u] = sum;
        sum += c5;
        words[lane * 8u + 6u] = sum;
        sum += c6;
        words[lane * 8u + 7u] = sum;
        sum += c7;
    }
    workgroupBarrier();
    {
        let half = (k0 >> shift1) & 15u;
        r0 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k1 >> shift1) & 15u;
        r1 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k2 >> shift1) & 15u;
        r2 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k3 >> shift1) & 15u;
        r3 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k4 >> shift1) & 15u;
        r4 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k5 >> shift1) & 15u;
        r5 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k6 >> shift1) & 15u;
        r6 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k7 >> shift1) & 15u;
        r7 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k8 >> shift1) & 15u;
        r8 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k9 >> shift1) & 15u;
        r9 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k10 >> shift1) & 15u;
        r10 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k11 >> shift1) & 15u;
        r11 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k12 >> shift1) & 15u;
        r12 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k13 >> shift1) & 15u;
        r13 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k14 >> shift1) & 15u;
        r14 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    workgroupBarrier();
    words[r0] = k0;
    words[r1] = k1;
    words[r2] = k2;
    words[r3] = k3;
    words[r4] = k4;
    words[r5] = k5;
    words[r6] = k6;
    words[r7] = k7;
    words[r8] = k8;
    words[r9] = k9;
    words[r10] = k10;
    words[r11] = k11;
    words[r12] = k12;
    words[r13] = k13;
    words[r14] = k14;
    workgroupBarrier();
    k0 = words[0u + lane];
    {
        let at = 0u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k0)) {
            words[3840u + digit_of(k0)] = at;
        }
    }
    k1 = words[256u + lane];
    {
        let at = 256u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k1)) {
            words[3840u + digit_of(k1)] = at;
        }
    }
    k2 = words[512u + lane];
    {
        let at = 512u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k2)) {
            words[3840u + digit_of(k2)] = at;
        }
    }
    k3 = words[768u + lane];
    {
        let at = 768u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k3)) {
            words[3840u + digit_of(k3)] = at;
        }
    }
    k4 = words[1024u + lane];
    {
        let at = 1024u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k4)) {
            words[3840u + digit_of(k4)] = at;
        }
    }
    k5 = words[1280u + lane];
    {
        let at = 1280u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k5)) {
            words[3840u + digit_of(k5)] = at;
        }
    }
    k6 = words[1536u + lane];
    {
        let at = 1536u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k6)) {
            words[3840u + digit_of(k6)] = at;
        }
    }
    k7 = words[1792u + lane];
    {
        let at = 1792u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k7)) {
            words[3840u + digit_of(k7)] = at;
        }
    }
    k8 = words[2048u + lane];
    {
        let at = 2048u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k8)) {
            words[3840u + digit_of(k8)] = at;
        }
    }
    k9 = words[2304u + lane];
    {
        let at = 2304u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k9)) {
            words[3840u + digit_of(k9)] = at;
        }
    }
    k10 = words[2560u + lane];
    {
        let at = 2560u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k10)) {
            words[3840u + digit_of(k10)] = at;
        }
    }
    k11 = words[2816u + lane];
    {
        let at = 2816u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k11)) {
            words[3840u + digit_of(k11)] = at;
        }
    }
    k12 = words[3072u + lane];
    {
        let at = 3072u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k12)) {
            words[3840u + digit_of(k12)] = at;
        }
    }
    k13 = words[3328u + lane];
    {
        let at = 3328u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k13)) {
            words[3840u + digit_of(k13)] = at;
        }
    }
    k14 = words[3584u + lane];
    {
        let at = 3584u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k14)) {
            words[3840u + digit_of(k14)] = at;
        }
    }
    workgroupBarrier();
    let to0 = starts[digit_of(k0) * params.count + tile] + 0u + lane - words[3840u + digit_of(k0)];
    if (0u + lane < valid) {
        new_keys[to0] = k0;
    }
    let to1 = starts[digit_of(k1) * params.count + tile] + 256u + lane - words[3840u + digit_of(k1)];
    if (256u + lane < valid) {
        new_keys[to1] = k1;
    }
    let to2 = starts[digit_of(k2) * params.count + tile] + 512u + lane - words[3840u + digit_of(k2)];
    if (512u + lane < valid) {
        new_keys[to2] = k2;
    }
    let to3 = starts[digit_of(k3) * params.count + tile] + 768u + lane - words[3840u + digit_of(k3)];
    if (768u + lane < valid) {
        new_keys[to3] = k3;
    }
    let to4 = starts[digit_of(k4) * params.count + tile] + 1024u + lane - words[3840u + digit_of(k4)];
    if (1024u + lane < valid) {
        new_keys[to4] = k4;
    }
    let to5 = starts[digit_of(k5) * params.count + tile] + 1280u + lane - words[3840u + digit_of(k5)];
    if (1280u + lane < valid) {
        new_keys[to5] = k5;
    }
    let to6 = starts[digit_of(k6) * params.count + tile] + 1536u + lane - words[3840u + digit_of(k6)];
    if (1536u + lane < valid) {
        new_keys[to6] = k6;
    }
    let to7 = starts[digit_of(k7) * params.count + tile] + 1792u + lane - words[3840u + digit_of(k7)];
    if (1792u + lane < valid) {
        new_keys[to7] = k7;
    }
    let to8 = starts[digit_of(k8) * params.count + tile] + 2048u + lane - words[3840u + digit_of(k8)];
    if (2048u + lane < valid) {
        new_keys[to8] = k8;
    }
    let to9 = starts[digit_of(k9) * params.count + tile] + 2304u + lane - words[3840u + digit_of(k9)];
    if (2304u + lane < valid) {
        new_keys[to9] = k9;
    }
    let to10 = starts[digit_of(k10) * params.count + tile] + 2560u + lane - words[3840u + digit_of(k10)];
    if (2560u + lane < valid) {
        new_keys[to10] = k10;
    }
    let to11 = starts[digit_of(k11) * params.count + tile] + 2816u + lane - words[3840u + digit_of(k11)];
    if (2816u + lane < valid) {
        new_keys[to11] = k11;
    }
    let to12 = starts[digit_of(k12) * params.count + tile] + 3072u + lane - words[3840u + digit_of(k12)];
    if (3072u + lane < valid) {
        new_keys[to12] = k12;
    }
    let to13 = starts[digit_of(k13) * params.count + tile] + 3328u + lane - words[3840u + digit_of(k13)];
    if (3328u + lane < valid) {
        new_keys[to13] = k13;
    }
    let to14 = starts[digit_of(k14) * params.count + tile] + 3584u + lane - words[3840u + digit_of(k14)];
    if (3584u + lane < valid) {
        new_keys[to14] = k14;
    }
    workgroupBarrier();
    words[r0] = v0;
    words[r1] = v1;
    words[r2] = v2;
    words[r3] = v3;
    words[r4] = v4;
    words[r5] = v5;
    words[r6] = v6;
    words[r7] = v7;
    words[r8] = v8;
    words[r9] = v9;
    words[r10] = v10;
    words[r11] = v11;
    words[r12] = v12;
    words[r13] = v13;
    words[r14] = v14;
    workgroupBarrier();
    if (0u + lane < valid) {
        new_values[to0] = words[0u + lane];
    }
    if (256u + lane < valid) {
        new_values[to1] = words[256u + lane];
    }
    if (512u + lane < valid) {
        new_values[to2] = words[512u + lane];
    }
    if (768u + lane < valid) {
        new_values[to3] = words[768u + lane];
    }
    if (1024u + lane < valid) {
        new_values[to4] = words[1024u + lane];
    }
    if (1280u + lane < valid) {
        new_values[to5] = words[1280u + lane];
    }
    if (1536u + lane < valid) {
        new_values[to6] = words[1536u + lane];
    }
    if (1792u + lane < valid) {
        new_values[to7] = words[1792u + lane];
    }
    if (2048u + lane < valid) {
        new_values[to8] = words[2048u + lane];
    }
    if (2304u + lane < valid) {
        new_values[to9] = words[2304u + lane];
    }
    if (2560u + lane < valid) {
        new_values[to10] = words[2560u + lane];
    }
    if (2816u + lane < valid) {
        new_values[to11] = words[2816u + lane];
    }
    if (3072u + lane < valid) {
        new_values[to12] = words[3072u + lane];
    }
    if (3328u + lane < valid) {
        new_values[to13] = words[3328u + lane];
    }
    if (3584u + lane < valid) {
        new_values[to14] = words[3584u + lane];
    }
}

@compute @workgroup_size(256, 1, 1)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(local_invocation_id) lid: vec3<u32>,
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) nwg: vec3<u32>,
) {
    let thread = (wid.x + wid.y * nwg.x) * 256u + lid.x + params.first_thread;
    let tile = wid.x + wid.y * nwg.x;
    if tile < params.count {
        run(tile, lid.x);
    }
}

// kernel tile_sort_move
@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read> values: array<u32>;
@group(0) @binding(2) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read_write> new_values: array<u32>;

struct Params {
    count: u32,
    total: u32,
    shift: u32,
    first_thread: u32,
}

@group(0) @binding(4) var<uniform> params: Params;

var<workgroup> words: array<u32, 4096>;

// The sum of `value` over the lanes below `lane`, and over all 256 of them; `words` from `at` on serve as scratch.
struct Before {
    sum: u32,
    total: u32,
}

fn before(lane: u32, value: u32, at: u32) -> Before {
    var sum = value;
    words[at + lane] = sum;
    workgroupBarrier();
    sum += select(u32(), words[at + 0u + max(lane, 1u) - 1u], lane >= 1u);
    words[at + 256u + lane] = sum;
    workgroupBarrier();
    sum += select(u32(), words[at + 256u + max(lane, 2u) - 2u], lane >= 2u);
    words[at + 0u + lane] = sum;
    workgroupBarrier();
    sum += select(u32(), words[at + 0u + max(lane, 4u) - 4u], lane >= 4u);
    words[at + 256u + lane] = sum;
    workgroupBarrier();
    sum += select(u32(), words[at + 256u + max(lane, 8u) - 8u], lane >= 8u);
    words[at + 0u + lane] = sum;
    workgroupBarrier();
    sum += select(u32(), words[at + 0u + max(lane, 16u) - 16u], lane >= 16u);
    words[at + 256u + lane] = sum;
    workgroupBarrier();
    sum += select(u32(), words[at + 256u + max(lane, 32u) - 32u], lane >= 32u);
    words[at + 0u + lane] = sum;
    workgroupBarrier();
    sum += select(u32(), words[at + 0u + max(lane, 64u) - 64u], lane >= 64u);
    words[at + 256u + lane] = sum;
    workgroupBarrier();
    sum += select(u32(), words[at + 256u + max(lane, 128u) - 128u], lane >= 128u);
    words[at + 0u + lane] = sum;
    workgroupBarrier();
    return Before(select(u32(), words[at + max(lane, 1u) - 1u], lane > 0u), words[at + 255u]);
}

// A number as a word of the same order; every NaN is above all, and the two zeros are equal.
fn key_of(bits: u32) -> u32 {
    return bits;
}

fn digit_of(key: u32) -> u32 {
    return (key >> params.shift) & 255u;
}

// The elements of a tile in the order of a digit, equal ones as they were, then each to its place: `starts` says where
// the first of a digit of a tile goes. A tile is sorted by two half digits of four bits. Each lane has 15 neighbours and
// counts its own half digits in `words`, two counters of 16 bits to a word: half digits 0 to 7 low, 8 to 15 high.
fn run(tile: u32, lane: u32) {
    let first = tile * 3840u;
    let valid = min(params.total - first, 3840u);
    {
        let at = 0u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 256u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 512u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 768u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 1024u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 1280u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 1536u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 1792u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 2048u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 2304u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 2560u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 2816u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 3072u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 3328u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    {
        let at = 3584u + lane;
        words[at] = select(0xffffffffu, key_of(keys[first + min(at, valid - 1u)]), at < valid);
    }
    workgroupBarrier();
    var k0 = words[lane * 15u + 0u];
    var k1 = words[lane * 15u + 1u];
    var k2 = words[lane * 15u + 2u];
    var k3 = words[lane * 15u + 3u];
    var k4 = words[lane * 15u + 4u];
    var k5 = words[lane * 15u + 5u];
    var k6 = words[lane * 15u + 6u];
    var k7 = words[lane * 15u + 7u];
    var k8 = words[lane * 15u + 8u];
    var k9 = words[lane * 15u + 9u];
    var k10 = words[lane * 15u + 10u];
    var k11 = words[lane * 15u + 11u];
    var k12 = words[lane * 15u + 12u];
    var k13 = words[lane * 15u + 13u];
    var k14 = words[lane * 15u + 14u];
    workgroupBarrier();
    {
        let at = 0u + lane;
        words[at] = values[first + min(at, valid - 1u)];
    }
    {
        let at = 256u + lane;
        words[at] = values[first + min(at, valid - 1u)];
    }
    {
        let at = 512u + lane;
        words[at] = values[first + min(at, valid - 1u)];
    }
    {
        let at = 768u + lane;
        words[at] = values[first + min(at, valid - 1u)];
    }
    {
        let at = 1024u + lane;
        words[at] = values[first + min(at, valid - 1u)];
    }
    {
        let at = 1280u + lane;
        words[at] = values[first + min(at, valid - 1u)];
    }
    {
        let at = 1536u + lane;
        words[at] = values[first + min(at, valid - 1u)];
    }
    {
        let at = 1792u + lane;
        words[at] = values[first + min(at, valid - 1u)];
    }
    {
        let at = 2048u + lane;
        words[at] = values[first + min(at, valid - 1u)];
    }
    {
        let at = 2304u + lane;
        words[at] = values[first + min(at, valid - 1u)];
    }
    {
        let at = 2560u + lane;
        words[at] = values[first + min(at, valid - 1u)];
    }
    {
        let at = 2816u + lane;
        words[at] = values[first + min(at, valid - 1u)];
    }
    {
        let at = 3072u + lane;
        words[at] = values[first + min(at, valid - 1u)];
    }
    {
        let at = 3328u + lane;
        words[at] = values[first + min(at, valid - 1u)];
    }
    {
        let at = 3584u + lane;
        words[at] = values[first + min(at, valid - 1u)];
    }
    workgroupBarrier();
    var v0 = words[lane * 15u + 0u];
    var v1 = words[lane * 15u + 1u];
    var v2 = words[lane * 15u + 2u];
    var v3 = words[lane * 15u + 3u];
    var v4 = words[lane * 15u + 4u];
    var v5 = words[lane * 15u + 5u];
    var v6 = words[lane * 15u + 6u];
    var v7 = words[lane * 15u + 7u];
    var v8 = words[lane * 15u + 8u];
    var v9 = words[lane * 15u + 9u];
    var v10 = words[lane * 15u + 10u];
    var v11 = words[lane * 15u + 11u];
    var v12 = words[lane * 15u + 12u];
    var v13 = words[lane * 15u + 13u];
    var v14 = words[lane * 15u + 14u];
    workgroupBarrier();
    var r0 = 0u;
    var r1 = 0u;
    var r2 = 0u;
    var r3 = 0u;
    var r4 = 0u;
    var r5 = 0u;
    var r6 = 0u;
    var r7 = 0u;
    var r8 = 0u;
    var r9 = 0u;
    var r10 = 0u;
    var r11 = 0u;
    var r12 = 0u;
    var r13 = 0u;
    var r14 = 0u;
    let shift0 = params.shift + 0u;
    words[0u + lane] = 0u;
    words[256u + lane] = 0u;
    words[512u + lane] = 0u;
    words[768u + lane] = 0u;
    words[1024u + lane] = 0u;
    words[1280u + lane] = 0u;
    words[1536u + lane] = 0u;
    words[1792u + lane] = 0u;
    {
        let half = (k0 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r0 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k1 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r1 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k2 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r2 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k3 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r3 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k4 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r4 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k5 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r5 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k6 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r6 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k7 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r7 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k8 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r8 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k9 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r9 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k10 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r10 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k11 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r11 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k12 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r12 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k13 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r13 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k14 >> shift0) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r14 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    workgroupBarrier();
    {
        let c0 = words[lane * 8u + 0u];
        let c1 = words[lane * 8u + 1u];
        let c2 = words[lane * 8u + 2u];
        let c3 = words[lane * 8u + 3u];
        let c4 = words[lane * 8u + 4u];
        let c5 = words[lane * 8u + 5u];
        let c6 = words[lane * 8u + 6u];
        let c7 = words[lane * 8u + 7u];
        let below = before(lane, c0 + c1 + c2 + c3 + c4 + c5 + c6 + c7, 2048u);
        var sum = below.sum + (below.total << 16u);
        words[lane * 8u + 0u] = sum;
        sum += c0;
        words[lane * 8u + 1u] = sum;
        sum += c1;
        words[lane * 8u + 2u] = sum;
        sum += c2;
        words[lane * 8u + 3u] = sum;
        sum += c3;
        words[lane * 8u + 4u] = sum;
        sum += c4;
        words[lane * 8u + 5u] = sum;
        sum += c5;
        words[lane * 8u + 6u] = sum;
        sum += c6;
        words[lane * 8u + 7u] = sum;
        sum += c7;
    }
    workgroupBarrier();
    {
        let half = (k0 >> shift0) & 15u;
        r0 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k1 >> shift0) & 15u;
        r1 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k2 >> shift0) & 15u;
        r2 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k3 >> shift0) & 15u;
        r3 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k4 >> shift0) & 15u;
        r4 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k5 >> shift0) & 15u;
        r5 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k6 >> shift0) & 15u;
        r6 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k7 >> shift0) & 15u;
        r7 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k8 >> shift0) & 15u;
        r8 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k9 >> shift0) & 15u;
        r9 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k10 >> shift0) & 15u;
        r10 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k11 >> shift0) & 15u;
        r11 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k12 >> shift0) & 15u;
        r12 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k13 >> shift0) & 15u;
        r13 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k14 >> shift0) & 15u;
        r14 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    workgroupBarrier();
    words[r0] = k0;
    words[r1] = k1;
    words[r2] = k2;
    words[r3] = k3;
    words[r4] = k4;
    words[r5] = k5;
    words[r6] = k6;
    words[r7] = k7;
    words[r8] = k8;
    words[r9] = k9;
    words[r10] = k10;
    words[r11] = k11;
    words[r12] = k12;
    words[r13] = k13;
    words[r14] = k14;
    workgroupBarrier();
    k0 = words[lane * 15u + 0u];
    k1 = words[lane * 15u + 1u];
    k2 = words[lane * 15u + 2u];
    k3 = words[lane * 15u + 3u];
    k4 = words[lane * 15u + 4u];
    k5 = words[lane * 15u + 5u];
    k6 = words[lane * 15u + 6u];
    k7 = words[lane * 15u + 7u];
    k8 = words[lane * 15u + 8u];
    k9 = words[lane * 15u + 9u];
    k10 = words[lane * 15u + 10u];
    k11 = words[lane * 15u + 11u];
    k12 = words[lane * 15u + 12u];
    k13 = words[lane * 15u + 13u];
    k14 = words[lane * 15u + 14u];
    workgroupBarrier();
    words[r0] = v0;
    words[r1] = v1;
    words[r2] = v2;
    words[r3] = v3;
    words[r4] = v4;
    words[r5] = v5;
    words[r6] = v6;
    words[r7] = v7;
    words[r8] = v8;
    words[r9] = v9;
    words[r10] = v10;
    words[r11] = v11;
    words[r12] = v12;
    words[r13] = v13;
    words[r14] = v14;
    workgroupBarrier();
    v0 = words[lane * 15u + 0u];
    v1 = words[lane * 15u + 1u];
    v2 = words[lane * 15u + 2u];
    v3 = words[lane * 15u + 3u];
    v4 = words[lane * 15u + 4u];
    v5 = words[lane * 15u + 5u];
    v6 = words[lane * 15u + 6u];
    v7 = words[lane * 15u + 7u];
    v8 = words[lane * 15u + 8u];
    v9 = words[lane * 15u + 9u];
    v10 = words[lane * 15u + 10u];
    v11 = words[lane * 15u + 11u];
    v12 = words[lane * 15u + 12u];
    v13 = words[lane * 15u + 13u];
    v14 = words[lane * 15u + 14u];
    workgroupBarrier();
    let shift1 = params.shift + 4u;
    words[0u + lane] = 0u;
    words[256u + lane] = 0u;
    words[512u + lane] = 0u;
    words[768u + lane] = 0u;
    words[1024u + lane] = 0u;
    words[1280u + lane] = 0u;
    words[1536u + lane] = 0u;
    words[1792u + lane] = 0u;
    {
        let half = (k0 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r0 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k1 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r1 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k2 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r2 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k3 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r3 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k4 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r4 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k5 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r5 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k6 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r6 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k7 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r7 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k8 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r8 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k9 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r9 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k10 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r10 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k11 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r11 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k12 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r12 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k13 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r13 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    {
        let half = (k14 >> shift1) & 15u;
        let cell = (half & 7u) * 256u + lane;
        let bits = (half >> 3u) * 16u;
        let counter = words[cell];
        r14 = (counter >> bits) & 0xffffu;
        words[cell] = counter + (1u << bits);
    }
    workgroupBarrier();
    {
        let c0 = words[lane * 8u + 0u];
        let c1 = words[lane * 8u + 1u];
        let c2 = words[lane * 8u + 2u];
        let c3 = words[lane * 8u + 3u];
        let c4 = words[lane * 8u + 4u];
        let c5 = words[lane * 8u + 5u];
        let c6 = words[lane * 8u + 6u];
        let c7 = words[lane * 8u + 7u];
        let below = before(lane, c0 + c1 + c2 + c3 + c4 + c5 + c6 + c7, 2048u);
        var sum = below.sum + (below.total << 16u);
        words[lane * 8u + 0u] = sum;
        sum += c0;
        words[lane * 8u + 1u] = sum;
        sum += c1;
        words[lane * 8u + 2u] = sum;
        sum += c2;
        words[lane * 8u + 3u] = sum;
        sum += c3;
        words[lane * 8u + 4u] = sum;
        sum += c4;
        words[lane * 8u + 5u] = sum;
        sum += c5;
        words[lane * 8u + 6u] = sum;
        sum += c6;
        words[lane * 8u + 7u] = sum;
        sum += c7;
    }
    workgroupBarrier();
    {
        let half = (k0 >> shift1) & 15u;
        r0 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k1 >> shift1) & 15u;
        r1 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k2 >> shift1) & 15u;
        r2 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k3 >> shift1) & 15u;
        r3 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k4 >> shift1) & 15u;
        r4 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k5 >> shift1) & 15u;
        r5 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k6 >> shift1) & 15u;
        r6 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k7 >> shift1) & 15u;
        r7 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k8 >> shift1) & 15u;
        r8 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k9 >> shift1) & 15u;
        r9 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k10 >> shift1) & 15u;
        r10 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k11 >> shift1) & 15u;
        r11 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k12 >> shift1) & 15u;
        r12 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k13 >> shift1) & 15u;
        r13 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    {
        let half = (k14 >> shift1) & 15u;
        r14 += (words[(half & 7u) * 256u + lane] >> ((half >> 3u) * 16u)) & 0xffffu;
    }
    workgroupBarrier();
    words[r0] = k0;
    words[r1] = k1;
    words[r2] = k2;
    words[r3] = k3;
    words[r4] = k4;
    words[r5] = k5;
    words[r6] = k6;
    words[r7] = k7;
    words[r8] = k8;
    words[r9] = k9;
    words[r10] = k10;
    words[r11] = k11;
    words[r12] = k12;
    words[r13] = k13;
    words[r14] = k14;
    workgroupBarrier();
    k0 = words[0u + lane];
    {
        let at = 0u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k0)) {
            words[3840u + digit_of(k0)] = at;
        }
    }
    k1 = words[256u + lane];
    {
        let at = 256u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k1)) {
            words[3840u + digit_of(k1)] = at;
        }
    }
    k2 = words[512u + lane];
    {
        let at = 512u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k2)) {
            words[3840u + digit_of(k2)] = at;
        }
    }
    k3 = words[768u + lane];
    {
        let at = 768u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k3)) {
            words[3840u + digit_of(k3)] = at;
        }
    }
    k4 = words[1024u + lane];
    {
        let at = 1024u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k4)) {
            words[3840u + digit_of(k4)] = at;
        }
    }
    k5 = words[1280u + lane];
    {
        let at = 1280u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k5)) {
            words[3840u + digit_of(k5)] = at;
        }
    }
    k6 = words[1536u + lane];
    {
        let at = 1536u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k6)) {
            words[3840u + digit_of(k6)] = at;
        }
    }
    k7 = words[1792u + lane];
    {
        let at = 1792u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k7)) {
            words[3840u + digit_of(k7)] = at;
        }
    }
    k8 = words[2048u + lane];
    {
        let at = 2048u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k8)) {
            words[3840u + digit_of(k8)] = at;
        }
    }
    k9 = words[2304u + lane];
    {
        let at = 2304u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k9)) {
            words[3840u + digit_of(k9)] = at;
        }
    }
    k10 = words[2560u + lane];
    {
        let at = 2560u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k10)) {
            words[3840u + digit_of(k10)] = at;
        }
    }
    k11 = words[2816u + lane];
    {
        let at = 2816u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k11)) {
            words[3840u + digit_of(k11)] = at;
        }
    }
    k12 = words[3072u + lane];
    {
        let at = 3072u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k12)) {
            words[3840u + digit_of(k12)] = at;
        }
    }
    k13 = words[3328u + lane];
    {
        let at = 3328u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k13)) {
            words[3840u + digit_of(k13)] = at;
        }
    }
    k14 = words[3584u + lane];
    {
        let at = 3584u + lane;
        if (at == 0u || digit_of(words[max(at, 1u) - 1u]) != digit_of(k14)) {
            words[3840u + digit_of(k14)] = at;
        }
    }
    workgroupBarrier();
    let to0 = starts[digit_of(k0) * params.count + tile] + 0u + lane - words[3840u + digit_of(k0)];
    let to1 = starts[digit_of(k1) * params.count + tile] + 256u + lane - words[3840u + digit_of(k1)];
    let to2 = starts[digit_of(k2) * params.count + tile] + 512u + lane - words[3840u + digit_of(k2)];
    let to3 = starts[digit_of(k3) * params.count + tile] + 768u + lane - words[3840u + digit_of(k3)];
    let to4 = starts[digit_of(k4) * params.count + tile] + 1024u + lane - words[3840u + digit_of(k4)];
    let to5 = starts[digit_of(k5) * params.count + tile] + 1280u + lane - words[3840u + digit_of(k5)];
    let to6 = starts[digit_of(k6) * params.count + tile] + 1536u + lane - words[3840u + digit_of(k6)];
    let to7 = starts[digit_of(k7) * params.count + tile] + 1792u + lane - words[3840u + digit_of(k7)];
    let to8 = starts[digit_of(k8) * params.count + tile] + 2048u + lane - words[3840u + digit_of(k8)];
    let to9 = starts[digit_of(k9) * params.count + tile] + 2304u + lane - words[3840u + digit_of(k9)];
    let to10 = starts[digit_of(k10) * params.count + tile] + 2560u + lane - words[3840u + digit_of(k10)];
    let to11 = starts[digit_of(k11) * params.count + tile] + 2816u + lane - words[3840u + digit_of(k11)];
    let to12 = starts[digit_of(k12) * params.count + tile] + 3072u + lane - words[3840u + digit_of(k12)];
    let to13 = starts[digit_of(k13) * params.count + tile] + 3328u + lane - words[3840u + digit_of(k13)];
    let to14 = starts[digit_of(k14) * params.count + tile] + 3584u + lane - words[3840u + digit_of(k14)];
    workgroupBarrier();
    words[r0] = v0;
    words[r1] = v1;
    words[r2] = v2;
    words[r3] = v3;
    words[r4] = v4;
    words[r5] = v5;
    words[r6] = v6;
    words[r7] = v7;
    words[r8] = v8;
    words[r9] = v9;
    words[r10] = v10;
    words[r11] = v11;
    words[r12] = v12;
    words[r13] = v13;
    words[r14] = v14;
    workgroupBarrier();
    if (0u + lane < valid) {
        new_values[to0] = words[0u + lane];
    }
    if (256u + lane < valid) {
        new_values[to1] = words[256u + lane];
    }
    if (512u + lane < valid) {
        new_values[to2] = words[512u + lane];
    }
    if (768u + lane < valid) {
        new_values[to3] = words[768u + lane];
    }
    if (1024u + lane < valid) {
        new_values[to4] = words[1024u + lane];
    }
    if (1280u + lane < valid) {
        new_values[to5] = words[1280u + lane];
    }
    if (1536u + lane < valid) {
        new_values[to6] = words[1536u + lane];
    }
    if (1792u + lane < valid) {
        new_values[to7] = words[1792u + lane];
    }
    if (2048u + lane < valid) {
        new_values[to8] = words[2048u + lane];
    }
    if (2304u + lane < valid) {
        new_values[to9] = words[2304u + lane];
    }
    if (2560u + lane < valid) {
        new_values[to10] = words[2560u + lane];
    }
    if (2816u + lane < valid) {
        new_values[to11] = words[2816u + lane];
    }
    if (3072u + lane < valid) {
        new_values[to12] = words[3072u + lane];
    }
    if (3328u + lane < valid) {
        new_values[to13] = words[3328u + lane];
    }
    if (3584u + lane < valid) {
        new_values[to14] = words[3584u + lane];
    }
}

@compute @workgroup_size(256, 1, 1)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(local_invocation_id) lid: vec3<u32>,
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) nwg: vec3<u32>,
) {
    let thread = (wid.x + wid.y * nwg.x) * 256u + lid.x + params.first_thread;
    let tile = wid.x + wid.y * nwg.x;
    if tile < params.count {
        run(tile, lid.x);
    }
}
