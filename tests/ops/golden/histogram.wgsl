// kernel histogram
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>>;

struct Params {
    count: u32,
    first: u32,
    extent: u32,
    first_thread: u32,
}

@group(0) @binding(2) var<uniform> params: Params;

// Counts the numbers from `first` on for which there is a place.
fn run(thread: u32) {
    let value = x[thread] - params.first;
    if (value < arrayLength(&counts)) {
        atomicAdd(&counts[value], 1u);
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
