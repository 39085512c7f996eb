// kernel sort_count_part
@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read_write> counts: array<u32>;

struct Params {
    count: u32,
    total: u32,
    first_chunk: u32,
    chunks: u32,
    chunk: u32,
    shift: u32,
    first_thread: u32,
}

@group(0) @binding(2) var<uniform> params: Params;

// How often each digit is in a chunk of a part of an array: digit d of chunk c of all at `counts[d * chunks + c]`.
fn run(thread: u32) {
    let first = params.first_chunk + thread;
    var digit = 0u;
    loop {
        counts[first + digit * params.chunks] = 0u;
        digit++;
        if (digit >= 256u) {
            break;
        }
    }
    let end = min((thread + 1u) * params.chunk, params.total);
    var index = thread * params.chunk;
    loop {
        counts[first + ((keys[index] >> params.shift) & 255u) * params.chunks] += 1u;
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

// kernel sort_places_part
@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read_write> counts: array<u32>;
@group(0) @binding(2) var<storage, read_write> goes: array<u32>;

struct Params {
    count: u32,
    total: u32,
    first_chunk: u32,
    chunks: u32,
    chunk: u32,
    shift: u32,
    first_thread: u32,
}

@group(0) @binding(3) var<uniform> params: Params;

// Where among all each element of a chunk goes, in order; `counts` says where the next of each digit goes.
fn run(thread: u32) {
    let first = params.first_chunk + thread;
    let end = min((thread + 1u) * params.chunk, params.total);
    var index = thread * params.chunk;
    loop {
        let slot = first + ((keys[index] >> params.shift) & 255u) * params.chunks;
        let place = counts[slot];
        counts[slot] = place + 1u;
        goes[index] = place;
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

// kernel sort_move_part
@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read> places: array<u32>;
@group(0) @binding(2) var<storage, read> goes: array<u32>;
@group(0) @binding(3) var<storage, read_write> new_keys: array<u32>;
@group(0) @binding(4) var<storage, read_write> new_places: array<u32>;

struct Params {
    count: u32,
    first: u32,
    extent: u32,
    first_thread: u32,
}

@group(0) @binding(5) var<uniform> params: Params;

// Each element to its place, if that is among the `extent` from `first` on that are seen.
fn run(thread: u32) {
    let place = goes[thread] - params.first;
    if (place < params.extent) {
        new_keys[place] = keys[thread];
        new_places[place] = places[thread];
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
