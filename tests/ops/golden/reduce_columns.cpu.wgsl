// kernel reduce
@group(0) @binding(0) var<storage, read> in0: array<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;

struct Params {
    count: u32,
    rows: u32,
    columns: u32,
    part: u32,
    parts: u32,
    offset_in0: u32,
    step_in0: u32,
    shape: array<vec4<u32>, 1>,
    strides_in0: array<vec4<u32>, 1>,
    first_thread: u32,
}

@group(0) @binding(2) var<uniform> params: Params;

fn shape_at(i: u32) -> u32 {
    return params.shape[i >> 2u][i & 3u];
}

fn strides_in0_at(i: u32) -> u32 {
    return params.strides_in0[i >> 2u][i & 3u];
}

fn load(x0: i32) -> i32 {
  return x0;
}
fn combine(a: i32, b: i32) -> i32 {
  return max(a, b);
}
fn finish(a: i32) -> i32 {
  return a;
}

@compute @workgroup_size(8, 1, 1)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(local_invocation_id) lid: vec3<u32>,
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) nwg: vec3<u32>,
) {
    let thread = (wid.x + wid.y * nwg.x) * 8u + lid.x + params.first_thread;
    if (thread >= params.count) {
        return;
    }
    let row = thread % params.rows;
    let part = thread / params.rows;
    var rest = row;
    let c1 = rest % shape_at(1u);
    rest /= shape_at(1u);
    let c0 = rest;
    let at_in0 = params.offset_in0 + c0 * strides_in0_at(0u) + c1 * strides_in0_at(1u);
    let begin = part * params.part;
    let end = min(begin + params.part, params.columns);
    let start: i32 = load(in0[at_in0 + begin * params.step_in0]);
    var total = start;
    var i = begin;
    while (i < end) {
    let stop = min(i + 1024u, end);
    var a0 = start;
    var a1 = start;
    var a2 = start;
    var a3 = start;
    var a4 = start;
    var a5 = start;
    var a6 = start;
    var a7 = start;
    for (; i + 8u <= stop; i += 8u) {
        let in0_0 = in0[at_in0 + (i + 0u) * params.step_in0];
        a0 = combine(a0, load(in0_0));
        let in0_1 = in0[at_in0 + (i + 1u) * params.step_in0];
        a1 = combine(a1, load(in0_1));
        let in0_2 = in0[at_in0 + (i + 2u) * params.step_in0];
        a2 = combine(a2, load(in0_2));
        let in0_3 = in0[at_in0 + (i + 3u) * params.step_in0];
        a3 = combine(a3, load(in0_3));
        let in0_4 = in0[at_in0 + (i + 4u) * params.step_in0];
        a4 = combine(a4, load(in0_4));
        let in0_5 = in0[at_in0 + (i + 5u) * params.step_in0];
        a5 = combine(a5, load(in0_5));
        let in0_6 = in0[at_in0 + (i + 6u) * params.step_in0];
        a6 = combine(a6, load(in0_6));
        let in0_7 = in0[at_in0 + (i + 7u) * params.step_in0];
        a7 = combine(a7, load(in0_7));
    }
    for (; i < stop; i++) {
        let in0_0 = in0[at_in0 + (i + 0u) * params.step_in0];
        a0 = combine(a0, load(in0_0));
    }
    a0 = combine(a0, a4);
    a1 = combine(a1, a5);
    a2 = combine(a2, a6);
    a3 = combine(a3, a7);
    a0 = combine(a0, a2);
    a1 = combine(a1, a3);
    a0 = combine(a0, a1);
    total = combine(total, a0);
    }
    out[row * params.parts + part] = finish(total);
}
