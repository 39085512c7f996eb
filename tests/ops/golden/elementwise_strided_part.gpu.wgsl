// kernel elementwise_strided
@group(0) @binding(0) var<storage, read> in0: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

struct Params {
    count: u32,
    offset_in0: u32,
    offset_out: u32,
    shape: array<vec4<u32>, 1>,
    strides_in0: array<vec4<u32>, 1>,
    strides_out: array<vec4<u32>, 1>,
    first_thread: u32,
}

@group(0) @binding(2) var<uniform> params: Params;

fn shape_at(i: u32) -> u32 {
    return params.shape[i >> 2u][i & 3u];
}

fn strides_in0_at(i: u32) -> u32 {
    return params.strides_in0[i >> 2u][i & 3u];
}

fn strides_out_at(i: u32) -> u32 {
    return params.strides_out[i >> 2u][i & 3u];
}

fn element(x0: u32) -> u32 {
  return x0;
}

@compute @workgroup_size(128, 1, 1)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(local_invocation_id) lid: vec3<u32>,
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) nwg: vec3<u32>,
) {
    let thread = (wid.x + wid.y * nwg.x) * 128u + lid.x + params.first_thread;
    if (thread >= params.count) {
        return;
    }
    var rest = thread * 1u;
    let c1 = rest % shape_at(1u);
    rest /= shape_at(1u);
    let c0 = rest;
    let at_in0 = params.offset_in0 + c0 * strides_in0_at(0u) + c1 * strides_in0_at(1u);
    let at_out = params.offset_out + c0 * strides_out_at(0u) + c1 * strides_out_at(1u);
    out[at_out] = element(in0[at_in0]);
}
