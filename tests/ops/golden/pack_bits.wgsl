// kernel pack_bits
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;

struct Params {
    count: u32,
    total: u32,
    first_thread: u32,
}

@group(0) @binding(2) var<uniform> params: Params;

fn run(thread: u32) {
    let end = min(params.total, (thread + 1u) * 32u);
    var index = thread * 32u;
    var word = 0u;
    for (; index < end; index++) {
        word |= select(0u, 1u, x[index] != 0u) << (index & 31u);
    }
    y[thread] = word;
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
