// kernel run_flags
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> keep: array<u32>;

struct Params {
    count: u32,
    first_thread: u32,
}

@group(0) @binding(2) var<uniform> params: Params;

// Whether the next element is another.
fn run(thread: u32) {
    keep[thread + 1u] = select(0u, 1u, x[thread] != x[thread + 1u]);
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
