// kernel gather
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read> index: array<i32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;

struct Params {
    count: u32,
    size: u32,
    first: u32,
    extent: u32,
    step: u32,
    offset_x: u32,
    offset_index: u32,
    shape: array<vec4<u32>, 1>,
    strides_x: array<vec4<u32>, 1>,
    strides_index: array<vec4<u32>, 1>,
    first_thread: u32,
}

@group(0) @binding(3) var<uniform> params: Params;

fn shape_at(i: u32) -> u32 {
    return params.shape[i >> 2u][i & 3u];
}

fn strides_x_at(i: u32) -> u32 {
    return params.strides_x[i >> 2u][i & 3u];
}

fn strides_index_at(i: u32) -> u32 {
    return params.strides_index[i >> 2u][i & 3u];
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
    let place = place_of(index[params.offset_index + c0 * strides_index_at(0u) + c1 * strides_index_at(1u)], params.size) - params.first;
    let at = params.offset_x + c0 * strides_x_at(0u) + c1 * strides_x_at(1u);
    let value = x[at + min(place, params.extent - 1u) * params.step];
    if (place < params.extent || params.first == 0u) {
        out[thread] = select(u32(), value, place < params.extent);
    }
}
