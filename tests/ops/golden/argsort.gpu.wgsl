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
    let key = bits;
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

// kernel rank_places
@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(1) var<storage, read_write> places: array<u32>;

struct Params {
    count: u32,
    columns: u32,
    first_thread: u32,
}

@group(0) @binding(2) var<uniform> params: Params;

// Where each element of a row goes: after those that are less, and those before it that are equal.
fn run(thread: u32) {
    let column = thread % params.columns;
    let begin = thread - column;
    let key = keys[thread];
    var place = 0u;
    for (var i = 0u; i < params.columns; i++) {
        let other = keys[begin + i];
        place += u32(other < key || (other == key && i < column));
    }
    places[begin + place] = column;
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
