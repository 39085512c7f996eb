// kernel base64_decode
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
@group(0) @binding(2) var<storage, read_write> found: array<atomic<u32>>;

struct Params {
    count: u32,
    words: u32,
    size: u32,
    most: u32,
    first_thread: u32,
}

@group(0) @binding(3) var<uniform> params: Params;

// The value of a letter, 64 for what is none.
fn value(byte: u32) -> u32 {
    let lower = byte - 97u;
    let upper = byte - 65u;
    let digit = byte - 48u;
    let sign = select(select(64u, 63u, byte == 47u), 62u, byte == 43u);
    return select(select(select(sign, digit + 52u, digit < 10u), lower + 26u, lower < 26u), upper, upper < 26u);
}

// The twenty-four bits of four letters; `found` gets how many bytes there are, or that something is wrong.
fn bits(quad: u32) -> u32 {
    if (quad * 4u >= params.size) {
        return 0u;
    }
    let last = quad * 4u + 4u >= params.size;
    let word = x[quad];
    let ends = select(select(0u, 1u, word >> 24u == 61u), 2u, word >> 16u == 0x3d3du) * select(0u, 1u, last);
    var sum = 0u;
    var wrong = false;
    if (0u < 4u - ends) {
        let found = value((word >> 0u) & 0xffu);
        wrong = wrong || found > 63u;
        sum |= (found & 63u) << 18u;
    }
    if (1u < 4u - ends) {
        let found = value((word >> 8u) & 0xffu);
        wrong = wrong || found > 63u;
        sum |= (found & 63u) << 12u;
    }
    if (2u < 4u - ends) {
        let found = value((word >> 16u) & 0xffu);
        wrong = wrong || found > 63u;
        sum |= (found & 63u) << 6u;
    }
    if (3u < 4u - ends) {
        let found = value((word >> 24u) & 0xffu);
        wrong = wrong || found > 63u;
        sum |= (found & 63u) << 0u;
    }
    if (last) {
        atomicMax(&found[0], params.most - ends);
    }
    if (wrong || (params.size & 3u) != 0u) {
        atomicMax(&found[0], 0xffffffffu);
    }
    return sum;
}

fn swap(word: u32) -> u32 {
    let halves = ((word << 8u) & 0xff00ff00u) | ((word >> 8u) & 0x00ff00ffu);
    return (halves << 16u) | (halves >> 16u);
}

// Sixteen letters as twelve bytes.
fn run(thread: u32) {
    let a = bits(thread * 4u);
    let b = bits(thread * 4u + 1u);
    let c = bits(thread * 4u + 2u);
    let d = bits(thread * 4u + 3u);
    let words = vec3<u32>(swap((a << 8u) | (b >> 16u)), swap((b << 16u) | (c >> 8u)), swap((c << 24u) | d));
    if (thread * 3u + 0u < params.words) {
        y[thread * 3u + 0u] = words.x;
    }
    if (thread * 3u + 1u < params.words) {
        y[thread * 3u + 1u] = words.y;
    }
    if (thread * 3u + 2u < params.words) {
        y[thread * 3u + 2u] = words.z;
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
