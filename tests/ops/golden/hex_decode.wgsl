// kernel hex_decode
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

// The value of a digit, 16 for what is none.
fn digit(byte: u32) -> u32 {
    let letter = (byte | 32u) - 97u;
    return select(select(16u, letter + 10u, letter < 6u), byte - 48u, byte - 48u < 10u);
}

// Eight digits as four bytes.
fn run(thread: u32) {
    var word = 0u;
    var wrong = false;
    if (thread * 8u + 0u < params.size) {
        let value = digit((x[thread * 2u + 0u] >> 0u) & 0xffu);
        wrong = wrong || value > 15u;
        word |= (value & 15u) << 4u;
    }
    if (thread * 8u + 1u < params.size) {
        let value = digit((x[thread * 2u + 0u] >> 8u) & 0xffu);
        wrong = wrong || value > 15u;
        word |= (value & 15u) << 0u;
    }
    if (thread * 8u + 2u < params.size) {
        let value = digit((x[thread * 2u + 0u] >> 16u) & 0xffu);
        wrong = wrong || value > 15u;
        word |= (value & 15u) << 12u;
    }
    if (thread * 8u + 3u < params.size) {
        let value = digit((x[thread * 2u + 0u] >> 24u) & 0xffu);
        wrong = wrong || value > 15u;
        word |= (value & 15u) << 8u;
    }
    if (thread * 8u + 4u < params.size) {
        let value = digit((x[thread * 2u + 1u] >> 0u) & 0xffu);
        wrong = wrong || value > 15u;
        word |= (value & 15u) << 20u;
    }
    if (thread * 8u + 5u < params.size) {
        let value = digit((x[thread * 2u + 1u] >> 8u) & 0xffu);
        wrong = wrong || value > 15u;
        word |= (value & 15u) << 16u;
    }
    if (thread * 8u + 6u < params.size) {
        let value = digit((x[thread * 2u + 1u] >> 16u) & 0xffu);
        wrong = wrong || value > 15u;
        word |= (value & 15u) << 28u;
    }
    if (thread * 8u + 7u < params.size) {
        let value = digit((x[thread * 2u + 1u] >> 24u) & 0xffu);
        wrong = wrong || value > 15u;
        word |= (value & 15u) << 24u;
    }
    if (thread < params.words) {
        y[thread] = word;
    }
    atomicMax(&found[0], select(params.most, 0xffffffffu, wrong || (params.size & 1u) == 1u));
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
