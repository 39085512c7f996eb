// kernel pcg32
@group(0) @binding(0) var<storage, read_write> y: array<u32>;

struct Params {
    count: u32,
    total: u32,
    skipped: u32,
    seed_low: u32,
    seed_high: u32,
    stream_low: u32,
    stream_high: u32,
    first_thread: u32,
}

@group(0) @binding(1) var<uniform> params: Params;

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

const multiplier = vec2<u32>(0x4c957f2du, 0x5851f42du);

// The state of the generator `steps` on, by squaring.
fn advance(state: vec2<u32>, increment: vec2<u32>, steps: u32) -> vec2<u32> {
    var rest = steps;
    var factor = vec2<u32>(1u, 0u);
    var sum = vec2<u32>();
    var power = multiplier;
    var plus = increment;
    loop {
        if (rest == 0u) {
            break;
        }
        if ((rest & 1u) == 1u) {
            factor = mul64(factor, power);
            sum = add64(mul64(sum, power), plus);
        }
        plus = mul64(add64(power, vec2<u32>(1u, 0u)), plus);
        power = mul64(power, power);
        rest >>= 1u;
    }
    return add64(mul64(factor, state), sum);
}

// Sixteen numbers, from where the generator is after the units before.
fn run(thread: u32) {
    let increment = vec2<u32>(params.stream_low * 2u + 1u, (params.stream_high << 1u) | (params.stream_low >> 31u));
    let start = add64(increment, vec2<u32>(params.seed_low, params.seed_high));
    var state = advance(add64(mul64(start, multiplier), increment), increment, (params.skipped + thread) * 16u);
    var index = thread * 16u;
    let end = min(index + 16u, params.total);
    loop {
        let mixed = state ^ vec2<u32>((state.x >> 18u) | (state.y << 14u), state.y >> 18u);
        let word = (mixed.x >> 27u) | (mixed.y << 5u);
        let turn = state.y >> 27u;
        y[index] = (word >> turn) | (word << ((32u - turn) & 31u));
        state = add64(mul64(state, multiplier), increment);
        index++;
        if (index >= end) {
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
