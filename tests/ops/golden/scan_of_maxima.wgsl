// kernel scan
@group(0) @binding(0) var<storage, read> x: array<i32>;
@group(0) @binding(1) var<storage, read_write> y: array<i32>;

struct Params {
    count: u32,
    columns: u32,
    chunk: u32,
    chunks: u32,
    zero: u32,
    first_thread: u32,
}

@group(0) @binding(2) var<uniform> params: Params;

fn combine(a: i32, b: i32) -> i32 {
  return max(a, b);
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
    let row = thread / params.chunks;
    let part = thread % params.chunks;
    let begin = row * params.columns + part * params.chunk;
    let end = min(begin + params.chunk, (row + 1u) * params.columns);
    var sum: i32 = i32(-2147483648);
    for (var i = begin; i < end; i++) {
        sum = combine(sum, x[i]);
        y[i] = sum;
    }
}
