// kernel pad
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

struct Params {
    count: u32,
    offset_x: u32,
    shape: array<vec4<u32>, 1>,
    strides_x: array<vec4<u32>, 1>,
    sizes: array<vec4<u32>, 1>,
    before: array<vec4<u32>, 1>,
    first: array<vec4<u32>, 1>,
    extent: array<vec4<u32>, 1>,
    first_thread: u32,
}

@group(0) @binding(2) var<uniform> params: Params;

fn shape_at(i: u32) -> u32 {
    return params.shape[i >> 2u][i & 3u];
}

fn strides_x_at(i: u32) -> u32 {
    return params.strides_x[i >> 2u][i & 3u];
}

fn sizes_at(i: u32) -> u32 {
    return params.sizes[i >> 2u][i & 3u];
}

fn before_at(i: u32) -> u32 {
    return params.before[i >> 2u][i & 3u];
}

fn first_at(i: u32) -> u32 {
    return params.first[i >> 2u][i & 3u];
}

fn extent_at(i: u32) -> u32 {
    return params.extent[i >> 2u][i & 3u];
}

fn mod_u32(x: u32, y: u32) -> u32 {
  return select(x % max(y, 1u), x, y == 0u);
}
fn size_of_i32(x: i32) -> u32 {
  return bitcast<u32>(select(x, -x, x < 0i));
}
fn fmod_i32(x: i32, y: i32) -> i32 {
  let size = bitcast<i32>(mod_u32(size_of_i32(x), size_of_i32(y)));
  return select(size, -size, x < 0i);
}
fn remainder_i32(x: i32, y: i32) -> i32 {
  let rest = fmod_i32(x, y);
  return select(rest, rest + y, rest != 0i && (rest < 0i) != (y < 0i));
}
fn source_of(p: i32, n: i32) -> i32 {
  return n - 1i - abs(remainder_i32(p, max(2i * n - 2i, 1i)) - n + 1i);
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
    let begin = thread * 1u;
    var rest = begin;
    let c1 = rest % shape_at(1u);
    rest /= shape_at(1u);
    let c0 = rest;
    let m0 = bitcast<u32>(source_of(bitcast<i32>(c0 - before_at(0u)), bitcast<i32>(sizes_at(0u))));
    let row = params.offset_x + min(m0 - first_at(0u), extent_at(0u) - 1u) * strides_x_at(0u);
    for (var n = 0u; n < 1u; n++) {
    let m = bitcast<u32>(source_of(bitcast<i32>(c1 + n - before_at(1u)), bitcast<i32>(sizes_at(1u))));
    out[begin + n] = x[row + min(m - first_at(1u), extent_at(1u) - 1u) * strides_x_at(1u)];
    }
}
