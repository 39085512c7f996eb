// kernel places
@group(0) @binding(0) var<storage, read> index: array<i32>;
@group(0) @binding(1) var<storage, read_write> places: array<u32>;

struct Params {
    count: u32,
    size: u32,
    step: u32,
    first: u32,
    extent: u32,
    offset_index: u32,
    offset_out: u32,
    shape: array<vec4<u32>, 1>,
    strides_index: array<vec4<u32>, 1>,
    strides_out: array<vec4<u32>, 1>,
    first_thread: u32,
}

@group(0) @binding(2) var<uniform> params: Params;

fn shape_at(i: u32) -> u32 {
    return params.shape[i >> 2u][i & 3u];
}

fn strides_index_at(i: u32) -> u32 {
    return params.strides_index[i >> 2u][i & 3u];
}

fn strides_out_at(i: u32) -> u32 {
    return params.strides_out[i >> 2u][i & 3u];
}

fn place_of(value: i32, size: u32) -> u32 {
  let place = select(bitcast<u32>(value), bitcast<u32>(value) + size, value < 0i);
  return select(0xffffffffu, place, place < size);
}

@compute @workgroup_size(64, 1, 1)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(local_invocation_id) lid: vec3<u32>,
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) nwg: vec3<u32>,
) {
    let thread = (wid.x + wid.y * nwg.x) * 64u + lid.x + params.first_thread;
    if (thread >= params.count) {
        return;
    }
    var rest = thread;
    let c1 = rest % shape_at(1u);
    rest /= shape_at(1u);
    let c0 = rest;
    let place = place_of(index[params.offset_index + c0 * strides_index_at(0u) + c1 * strides_index_at(1u)], params.size);
    let at = params.offset_out + c0 * strides_out_at(0u) + c1 * strides_out_at(1u) + place * params.step - params.first;
    places[thread] = select(0xffffffffu, at, place < params.size && at < params.extent);
}

// kernel last_writer
@group(0) @binding(0) var<storage, read> places: array<u32>;
@group(0) @binding(1) var<storage, read_write> owners: array<atomic<u32>>;

struct Params {
    count: u32,
    first_thread: u32,
}

@group(0) @binding(2) var<uniform> params: Params;

// The highest number, from 1, of those that write to each place.
fn run(thread: u32) {
    let place = places[thread];
    if (place != 0xffffffffu) {
        atomicMax(&owners[place], thread + 1u);
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

// kernel write_last
@group(0) @binding(0) var<storage, read> places: array<u32>;
@group(0) @binding(1) var<storage, read> values: array<u32>;
@group(0) @binding(2) var<storage, read> owners: array<u32>;
@group(0) @binding(3) var<storage, read_write> y: array<u32>;

struct Params {
    count: u32,
    first_thread: u32,
}

@group(0) @binding(4) var<uniform> params: Params;

// The value of each place's last writer.
fn run(thread: u32) {
    let place = places[thread];
    if (place != 0xffffffffu && owners[place] == thread + 1u) {
        y[place] = values[thread];
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
