// kernel threefry
@group(0) @binding(0) var<storage, read_write> y: array<u32>;

struct Params {
    count: u32,
    total: u32,
    skipped: u32,
    key: array<vec4<u32>, 1>,
    counter: array<vec4<u32>, 1>,
    first_thread: u32,
}

@group(0) @binding(1) var<uniform> params: Params;

fn key_at(i: u32) -> u32 {
    return params.key[i >> 2u][i & 3u];
}

fn counter_at(i: u32) -> u32 {
    return params.counter[i >> 2u][i & 3u];
}

// The counter of a unit, of 128 bits.
fn count_up(unit: u32) -> vec4<u32> {
    let steps = params.skipped + unit;
    let x = counter_at(0u) + steps;
    let y = counter_at(1u) + select(0u, 1u, x < steps);
    let z = counter_at(2u) + select(0u, 1u, x < steps && y == 0u);
    let w = counter_at(3u) + select(0u, 1u, x < steps && y == 0u && z == 0u);
    return vec4<u32>(x, y, z, w);
}

// The four words of a unit, as far as the result goes.
fn put(unit: u32, words: vec4<u32>) {
    if (unit * 4u + 0u < params.total) {
        y[unit * 4u + 0u] = words.x;
    }
    if (unit * 4u + 1u < params.total) {
        y[unit * 4u + 1u] = words.y;
    }
    if (unit * 4u + 2u < params.total) {
        y[unit * 4u + 2u] = words.z;
    }
    if (unit * 4u + 3u < params.total) {
        y[unit * 4u + 3u] = words.w;
    }
}

// Four words of Threefry4x32-20 for each counter.
fn run(thread: u32) {
    let k = vec4<u32>(key_at(0u), key_at(1u), key_at(2u), key_at(3u));
    let parity = 0x1BD11BDAu ^ k.x ^ k.y ^ k.z ^ k.w;
    var c = count_up(thread) + k;
    c.x += c.y;
    c.y = ((c.y << 10u) | (c.y >> 22u)) ^ c.x;
    c.z += c.w;
    c.w = ((c.w << 26u) | (c.w >> 6u)) ^ c.z;
    c.x += c.w;
    c.w = ((c.w << 11u) | (c.w >> 21u)) ^ c.x;
    c.z += c.y;
    c.y = ((c.y << 21u) | (c.y >> 11u)) ^ c.z;
    c.x += c.y;
    c.y = ((c.y << 13u) | (c.y >> 19u)) ^ c.x;
    c.z += c.w;
    c.w = ((c.w << 27u) | (c.w >> 5u)) ^ c.z;
    c.x += c.w;
    c.w = ((c.w << 23u) | (c.w >> 9u)) ^ c.x;
    c.z += c.y;
    c.y = ((c.y << 5u) | (c.y >> 27u)) ^ c.z;
    c += vec4<u32>(k.y, k.z, k.w, parity);
    c.w += 1u;
    c.x += c.y;
    c.y = ((c.y << 6u) | (c.y >> 26u)) ^ c.x;
    c.z += c.w;
    c.w = ((c.w << 20u) | (c.w >> 12u)) ^ c.z;
    c.x += c.w;
    c.w = ((c.w << 17u) | (c.w >> 15u)) ^ c.x;
    c.z += c.y;
    c.y = ((c.y << 11u) | (c.y >> 21u)) ^ c.z;
    c.x += c.y;
    c.y = ((c.y << 25u) | (c.y >> 7u)) ^ c.x;
    c.z += c.w;
    c.w = ((c.w << 10u) | (c.w >> 22u)) ^ c.z;
    c.x += c.w;
    c.w = ((c.w << 18u) | (c.w >> 14u)) ^ c.x;
    c.z += c.y;
    c.y = ((c.y << 20u) | (c.y >> 12u)) ^ c.z;
    c += vec4<u32>(k.z, k.w, parity, k.x);
    c.w += 2u;
    c.x += c.y;
    c.y = ((c.y << 10u) | (c.y >> 22u)) ^ c.x;
    c.z += c.w;
    c.w = ((c.w << 26u) | (c.w >> 6u)) ^ c.z;
    c.x += c.w;
    c.w = ((c.w << 11u) | (c.w >> 21u)) ^ c.x;
    c.z += c.y;
    c.y = ((c.y << 21u) | (c.y >> 11u)) ^ c.z;
    c.x += c.y;
    c.y = ((c.y << 13u) | (c.y >> 19u)) ^ c.x;
    c.z += c.w;
    c.w = ((c.w << 27u) | (c.w >> 5u)) ^ c.z;
    c.x += c.w;
    c.w = ((c.w << 23u) | (c.w >> 9u)) ^ c.x;
    c.z += c.y;
    c.y = ((c.y << 5u) | (c.y >> 27u)) ^ c.z;
    c += vec4<u32>(k.w, parity, k.x, k.y);
    c.w += 3u;
    c.x += c.y;
    c.y = ((c.y << 6u) | (c.y >> 26u)) ^ c.x;
    c.z += c.w;
    c.w = ((c.w << 20u) | (c.w >> 12u)) ^ c.z;
    c.x += c.w;
    c.w = ((c.w << 17u) | (c.w >> 15u)) ^ c.x;
    c.z += c.y;
    c.y = ((c.y << 11u) | (c.y >> 21u)) ^ c.z;
    c.x += c.y;
    c.y = ((c.y << 25u) | (c.y >> 7u)) ^ c.x;
    c.z += c.w;
    c.w = ((c.w << 10u) | (c.w >> 22u)) ^ c.z;
    c.x += c.w;
    c.w = ((c.w << 18u) | (c.w >> 14u)) ^ c.x;
    c.z += c.y;
    c.y = ((c.y << 20u) | (c.y >> 12u)) ^ c.z;
    c += vec4<u32>(parity, k.x, k.y, k.z);
    c.w += 4u;
    c.x += c.y;
    c.y = ((c.y << 10u) | (c.y >> 22u)) ^ c.x;
    c.z += c.w;
    c.w = ((c.w << 26u) | (c.w >> 6u)) ^ c.z;
    c.x += c.w;
    c.w = ((c.w << 11u) | (c.w >> 21u)) ^ c.x;
    c.z += c.y;
    c.y = ((c.y << 21u) | (c.y >> 11u)) ^ c.z;
    c.x += c.y;
    c.y = ((c.y << 13u) | (c.y >> 19u)) ^ c.x;
    c.z += c.w;
    c.w = ((c.w << 27u) | (c.w >> 5u)) ^ c.z;
    c.x += c.w;
    c.w = ((c.w << 23u) | (c.w >> 9u)) ^ c.x;
    c.z += c.y;
    c.y = ((c.y << 5u) | (c.y >> 27u)) ^ c.z;
    c += vec4<u32>(k.x, k.y, k.z, k.w);
    c.w += 5u;
    put(thread, c);
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
