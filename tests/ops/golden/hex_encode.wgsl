// kernel hex_encode
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;

struct Params {
    count: u32,
    size: u32,
    first_thread: u32,
}

@group(0) @binding(2) var<uniform> params: Params;

// Two bytes as four digits.
fn run(thread: u32) {
    let pair = (x[thread >> 1u] >> ((thread & 1u) * 16u)) & 0xffffu;
    let nibbles = ((pair >> 4u) & 0xfu) | ((pair & 0xfu) << 8u) | ((pair & 0xf000u) << 4u) | ((pair & 0xf00u) << 16u);
    let letters = ((nibbles + 0x06060606u) >> 4u) & 0x01010101u;
    let digits = nibbles + 0x30303030u + letters * 39u;
    y[thread] = select(digits, digits & 0xffffu, thread * 2u + 1u >= params.size);
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
