// kernel bloom_query
@group(0) @binding(0) var<storage, read> first: array<u32>;
@group(0) @binding(1) var<storage, read> second: array<u32>;
@group(0) @binding(2) var<storage, read> x: array<u32>;
@group(0) @binding(3) var<storage, read_write> y: array<u32>;

struct Params {
    count: u32,
    bits: u32,
    hashes: u32,
    first: u32,
    extent: u32,
    first_thread: u32,
}

@group(0) @binding(4) var<uniform> params: Params;

// Whether all bits of a message are set, of those in `extent` words from `first` on and in those before.
fn run(thread: u32) {
    let step = second[thread] | 1u;
    var place = first[thread];
    var there = 1u;
    var turn = 0u;
    loop {
        let bit = place % params.bits;
        let word = (bit >> 5u) - params.first;
        there &= select(1u, x[word] >> (bit & 31u), word < params.extent);
        place += step;
        turn++;
        if (turn >= params.hashes) {
            break;
        }
    }
    if (params.first > 0u) {
        there &= y[thread];
    }
    y[thread] = there;
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
