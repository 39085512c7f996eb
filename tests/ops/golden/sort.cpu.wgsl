// kernel sort_keys
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> keys: array<u32>;
@group(0) @binding(2) var<storage, read_write> places: array<u32>;

struct Params {
    count: u32,
    skipped: u32,
    first_thread: u32,
}

@group(0) @binding(3) var<uniform> params: Params;

// Numbers as words of the same order, or of the opposite one; every NaN is above all, and the two zeros are equal.
fn run(thread: u32) {
    let bits = x[thread];
    let size = bits & 0x7fffffffu;
    let signed = select(bits ^ 0x80000000u, ~bits, bits > 0x80000000u);
    let key = select(select(signed, 0x80000000u, size == 0u), 0xffffffffu, size > 0x7f800000u);
    keys[thread] = key;
    places[thread] = params.skipped + thread;
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

// kernel sort_count
@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read_write> counts: array<u32>;

struct Params {
    count: u32,
    columns: u32,
    chunks: u32,
    chunk: u32,
    shift: u32,
    first_thread: u32,
}

@group(0) @binding(2) var<uniform> params: Params;

// How often each digit is in a chunk: digit d of chunk c of row r at `counts[(r * 256 + d) * chunks + c]`.
fn run(thread: u32) {
    let row = thread / params.chunks;
    let part = thread % params.chunks;
    let first = row * 256u * params.chunks + part;
    var digit = 0u;
    loop {
        counts[first + digit * params.chunks] = 0u;
        digit++;
        if (digit >= 256u) {
            break;
        }
    }
    let end = min((row + 1u) * params.columns, row * params.columns + (part + 1u) * params.chunk);
    var index = row * params.columns + part * params.chunk;
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

// kernel sort_move
@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read> places: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<u32>;
@group(0) @binding(3) var<storage, read_write> new_keys: array<u32>;
@group(0) @binding(4) var<storage, read_write> new_places: array<u32>;

struct Params {
    count: u32,
    columns: u32,
    chunks: u32,
    chunk: u32,
    shift: u32,
    first_thread: u32,
}

@group(0) @binding(5) var<uniform> params: Params;

// Each element of a chunk to its place in its row, in order; `counts` says where the next of each digit goes.
fn run(thread: u32) {
    let row = thread / params.chunks;
    let part = thread % params.chunks;
    let first = row * 256u * params.chunks + part;
    let end = min((row + 1u) * params.columns, row * params.columns + (part + 1u) * params.chunk);
    var index = row * params.columns + part * params.chunk;
    loop {
        let key = keys[index];
        let slot = first + ((key >> params.shift) & 255u) * params.chunks;
        let place = counts[slot];
        counts[slot] = place + 1u;
        new_keys[place] = key;
        new_places[place] = places[index];
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
