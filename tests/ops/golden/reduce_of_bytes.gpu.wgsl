// kernel reduce
@group(0) @binding(0) var<storage, read> in0: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;

struct Params {
    count: u32,
    rows: u32,
    columns: u32,
    part: u32,
    parts: u32,
    offset_in0: u32,
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

fn i8_at(word: u32, place: u32) -> i32 {
  return extractBits(bitcast<i32>(word), 8u * (place & 3u), 8u);
}
fn i8_quad(word: u32) -> vec4<i32> {
  return vec4<i32>(i8_at(word, 0u), i8_at(word, 1u), i8_at(word, 2u), i8_at(word, 3u));
}
fn load(x0: i32) -> i32 {
  return x0;
}
fn combine(a: i32, b: i32) -> i32 {
  return (a + b);
}
fn finish(a: i32) -> i32 {
  return a;
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
    let row = thread % params.rows;
    let part = thread / params.rows;
    var rest = row;
    let c1 = rest % shape_at(1u);
    rest /= shape_at(1u);
    let c0 = rest;
    let at_in0 = params.offset_in0 + c0 * strides_in0_at(0u) + c1 * strides_in0_at(1u);
    let begin = part * params.part;
    let end = min(begin + params.part, params.columns);
    let start: i32 = 0i;
    var total = start;
    var i = begin;
    while (i < end) {
    let stop = min(i + 256u, end);
    var a0 = start;
    var a1 = start;
    var a2 = start;
    var a3 = start;
    var a4 = start;
    var a5 = start;
    var a6 = start;
    var a7 = start;
    var a8 = start;
    var a9 = start;
    var a10 = start;
    var a11 = start;
    var a12 = start;
    var a13 = start;
    var a14 = start;
    var a15 = start;
    var a16 = start;
    var a17 = start;
    var a18 = start;
    var a19 = start;
    var a20 = start;
    var a21 = start;
    var a22 = start;
    var a23 = start;
    var a24 = start;
    var a25 = start;
    var a26 = start;
    var a27 = start;
    var a28 = start;
    var a29 = start;
    var a30 = start;
    var a31 = start;
    for (; i + 8u <= stop; i += 8u) {
        let in0_0 = i8_quad(in0[at_in0 + (i + 0u)]);
        a0 = combine(a0, load(in0_0.x));
        a1 = combine(a1, load(in0_0.y));
        a2 = combine(a2, load(in0_0.z));
        a3 = combine(a3, load(in0_0.w));
        let in0_1 = i8_quad(in0[at_in0 + (i + 1u)]);
        a4 = combine(a4, load(in0_1.x));
        a5 = combine(a5, load(in0_1.y));
        a6 = combine(a6, load(in0_1.z));
        a7 = combine(a7, load(in0_1.w));
        let in0_2 = i8_quad(in0[at_in0 + (i + 2u)]);
        a8 = combine(a8, load(in0_2.x));
        a9 = combine(a9, load(in0_2.y));
        a10 = combine(a10, load(in0_2.z));
        a11 = combine(a11, load(in0_2.w));
        let in0_3 = i8_quad(in0[at_in0 + (i + 3u)]);
        a12 = combine(a12, load(in0_3.x));
        a13 = combine(a13, load(in0_3.y));
        a14 = combine(a14, load(in0_3.z));
        a15 = combine(a15, load(in0_3.w));
        let in0_4 = i8_quad(in0[at_in0 + (i + 4u)]);
        a16 = combine(a16, load(in0_4.x));
        a17 = combine(a17, load(in0_4.y));
        a18 = combine(a18, load(in0_4.z));
        a19 = combine(a19, load(in0_4.w));
        let in0_5 = i8_quad(in0[at_in0 + (i + 5u)]);
        a20 = combine(a20, load(in0_5.x));
        a21 = combine(a21, load(in0_5.y));
        a22 = combine(a22, load(in0_5.z));
        a23 = combine(a23, load(in0_5.w));
        let in0_6 = i8_quad(in0[at_in0 + (i + 6u)]);
        a24 = combine(a24, load(in0_6.x));
        a25 = combine(a25, load(in0_6.y));
        a26 = combine(a26, load(in0_6.z));
        a27 = combine(a27, load(in0_6.w));
        let in0_7 = i8_quad(in0[at_in0 + (i + 7u)]);
        a28 = combine(a28, load(in0_7.x));
        a29 = combine(a29, load(in0_7.y));
        a30 = combine(a30, load(in0_7.z));
        a31 = combine(a31, load(in0_7.w));
    }
    for (; i < stop; i++) {
        let in0_0 = i8_quad(in0[at_in0 + (i + 0u)]);
        a0 = combine(a0, load(in0_0.x));
        a1 = combine(a1, load(in0_0.y));
        a2 = combine(a2, load(in0_0.z));
        a3 = combine(a3, load(in0_0.w));
    }
    a0 = combine(a0, a16);
    a1 = combine(a1, a17);
    a2 = combine(a2, a18);
    a3 = combine(a3, a19);
    a4 = combine(a4, a20);
    a5 = combine(a5, a21);
    a6 = combine(a6, a22);
    a7 = combine(a7, a23);
    a8 = combine(a8, a24);
    a9 = combine(a9, a25);
    a10 = combine(a10, a26);
    a11 = combine(a11, a27);
    a12 = combine(a12, a28);
    a13 = combine(a13, a29);
    a14 = combine(a14, a30);
    a15 = combine(a15, a31);
    a0 = combine(a0, a8);
    a1 = combine(a1, a9);
    a2 = combine(a2, a10);
    a3 = combine(a3, a11);
    a4 = combine(a4, a12);
    a5 = combine(a5, a13);
    a6 = combine(a6, a14);
    a7 = combine(a7, a15);
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
  return (a + b);
}
fn finish(a: i32) -> i32 {
  return a;
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
    let row = thread % params.rows;
    let part = thread / params.rows;
    var rest = row;
    let c1 = rest % shape_at(1u);
    rest /= shape_at(1u);
    let c0 = rest;
    let at_in0 = params.offset_in0 + c0 * strides_in0_at(0u) + c1 * strides_in0_at(1u);
    let begin = part * params.part;
    let end = min(begin + params.part, params.columns);
    let start: i32 = 0i;
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
