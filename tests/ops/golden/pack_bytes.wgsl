// kernel pack
@group(0) @binding(0) var<storage, read> in0: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

struct Params {
    count: u32,
    offset_in: u32,
    offset_out: u32,
    first_thread: u32,
}

@group(0) @binding(2) var<uniform> params: Params;

fn u8_words(x: vec4<u32>) -> u32 {
  let bytes = x & vec4<u32>(0xffu);
  return bytes.x | (bytes.y << 8u) | (bytes.z << 16u) | (bytes.w << 24u);
}

@compute @workgroup_size(64, 1, 1)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(local_invocation_id) lid: vec3<u32>,
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) nwg: vec3<u32>,
) {
    let thread = (wid.x + wid.y * nwg.x) * 64u + lid.x + params.first_thread;
    if (thread * 4u >= params.count) {
        return;
    }
    let at = params.offset_in + thread * 4u;
    let left = params.count - thread * 4u;
    out[params.offset_out + thread] = u8_words(vec4<u32>(in0[at], select(u32(), in0[at + min(1u, left - 1u)], left > 1u), select(u32(), in0[at + min(2u, left - 1u)], left > 2u), select(u32(), in0[at + min(3u, left - 1u)], left > 3u)));
}
