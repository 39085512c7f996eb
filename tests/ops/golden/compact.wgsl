// kernel scatter_kept
@group(0) @binding(0) var<storage, read> keep: array<u32>;
@group(0) @binding(1) var<storage, read> places: array<u32>;
@group(0) @binding(2) var<storage, read> x: array<u32>;
@group(0) @binding(3) var<storage, read_write> y: array<u32>;

struct Params {
    count: u32,
    first: u32,
    extent: u32,
    skipped: u32,
    first_thread: u32,
}

@group(0) @binding(4) var<uniform> params: Params;

// `places` counts those kept up to each element; of `y` are `extent` elements from `first` on.
fn run(thread: u32) {
    let place = places[thread] - 1u - params.first;
    if (keep[thread] != 0u && place < params.extent) {
        y[place] = x[thread];
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
