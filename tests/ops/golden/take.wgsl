// kernel take
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read> places: array<u32>;
@group(0) @binding(2) var<storage, read_write> y: array<u32>;

struct Params {
    count: u32,
    first: u32,
    extent: u32,
    first_thread: u32,
}

@group(0) @binding(3) var<uniform> params: Params;

// Of `x` are `extent` elements from `first` on; what is at others is 0, or, in a later part, stays as it is.
fn run(thread: u32) {
    let place = places[thread] - params.first;
    let inside = place < params.extent;
    y[thread] = select(0u, x[place], inside);
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
