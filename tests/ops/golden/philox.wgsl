// kernel philox
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

// Four words of Philox4x32-10 for each counter.
fn run(thread: u32) {
    var c = count_up(thread);
    var key = vec2<u32>(key_at(0u), key_at(1u));
    {
        let first = mul_wide(0xD2511F53u, c.x);
        let second = mul_wide(0xCD9E8D57u, c.z);
        c = vec4<u32>(second.y ^ c.y ^ key.x, second.x, first.y ^ c.w ^ key.y, first.x);
        key += vec2<u32>(0x9E3779B9u, 0xBB67AE85u);
    }
    {
        let first = mul_wide(0xD2511F53u, c.x);
        let second = mul_wide(0xCD9E8D57u, c.z);
        c = vec4<u32>(second.y ^ c.y ^ key.x, second.x, first.y ^ c.w ^ key.y, first.x);
        key += vec2<u32>(0x9E3779B9u, 0xBB67AE85u);
    }
    {
        let first = mul_wide(0xD2511F53u, c.x);
        let second = mul_wide(0xCD9E8D57u, c.z);
        c = vec4<u32>(second.y ^ c.y ^ key.x, second.x, first.y ^ c.w ^ key.y, first.x);
        key += vec2<u32>(0x9E3779B9u, 0xBB67AE85u);
    }
    {
        let first = mul_wide(0xD2511F53u, c.x);
        let second = mul_wide(0xCD9E8D57u, c.z);
        c = vec4<u32>(second.y ^ c.y ^ key.x, second.x, first.y ^ c.w ^ key.y, first.x);
        key += vec2<u32>(0x9E3779B9u, 0xBB67AE85u);
    }
    {
        let first = mul_wide(0xD2511F53u, c.x);
        let second = mul_wide(0xCD9E8D57u, c.z);
        c = vec4<u32>(second.y ^ c.y ^ key.x, second.x, first.y ^ c.w ^ key.y, first.x);
        key += vec2<u32>(0x9E3779B9u, 0xBB67AE85u);
    }
    {
        let first = mul_wide(0xD2511F53u, c.x);
        let second = mul_wide(0xCD9E8D57u, c.z);
        c = vec4<u32>(second.y ^ c.y ^ key.x, second.x, first.y ^ c.w ^ key.y, first.x);
        key += vec2<u32>(0x9E3779B9u, 0xBB67AE85u);
    }
    {
        let first = mul_wide(0xD2511F53u, c.x);
        let second = mul_wide(0xCD9E8D57u, c.z);
        c = vec4<u32>(second.y ^ c.y ^ key.x, second.x, first.y ^ c.w ^ key.y, first.x);
        key += vec2<u32>(0x9E3779B9u, 0xBB67AE85u);
    }
    {
        let first = mul_wide(0xD2511F53u, c.x);
        let second = mul_wide(0xCD9E8D57u, c.z);
        c = vec4<u32>(second.y ^ c.y ^ key.x, second.x, first.y ^ c.w ^ key.y, first.x);
        key += vec2<u32>(0x9E3779B9u, 0xBB67AE85u);
    }
    {
        let first = mul_wide(0xD2511F53u, c.x);
        let second = mul_wide(0xCD9E8D57u, c.z);
        c = vec4<u32>(second.y ^ c.y ^ key.x, second.x, first.y ^ c.w ^ key.y, first.x);
        key += vec2<u32>(0x9E3779B9u, 0xBB67AE85u);
    }
    {
        let first = mul_wide(0xD2511F53u, c.x);
        let second = mul_wide(0xCD9E8D57u, c.z);
        c = vec4<u32>(second.y ^ c.y ^ key.x, second.x, first.y ^ c.w ^ key.y, first.x);
        key += vec2<u32>(0x9E3779B9u, 0xBB67AE85u);
    }
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
