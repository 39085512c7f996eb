// kernel scan
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

struct Params {
    count: u32,
    columns: u32,
    chunk: u32,
    chunks: u32,
    zero: u32,
    first_thread: u32,
}

@group(0) @binding(2) var<uniform> params: Params;

fn magnitude_bits(x: f32) -> u32 {
  return bitcast<u32>(x) & 0x7fffffffu;
}
fn is_finite(x: f32) -> bool {
  return magnitude_bits(x) < 0x7f800000u;
}
fn combine(a: f32, b: f32) -> f32 {
  return (a + b);
}
fn kept(slip: f32) -> f32 {
  return select(0.0f, slip, is_finite(slip));
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
    var sum: f32 = 0.0f;
    var slip = 0.0f;
    for (var i = begin; i < end; i++) {
        let value = x[i] - slip;
        let next = bitcast<f32>(bitcast<u32>(combine(sum, value)) ^ params.zero);
        slip = kept((next - sum) - value);
        sum = next;
    }
    y[thread] = sum;
}

// kernel scan
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

struct Params {
    count: u32,
    columns: u32,
    chunk: u32,
    chunks: u32,
    zero: u32,
    first_thread: u32,
}

@group(0) @binding(2) var<uniform> params: Params;

fn magnitude_bits(x: f32) -> u32 {
  return bitcast<u32>(x) & 0x7fffffffu;
}
fn is_finite(x: f32) -> bool {
  return magnitude_bits(x) < 0x7f800000u;
}
fn combine(a: f32, b: f32) -> f32 {
  return (a + b);
}
fn kept(slip: f32) -> f32 {
  return select(0.0f, slip, is_finite(slip));
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
    var sum: f32 = 0.0f;
    var slip = 0.0f;
    for (var i = begin; i < end; i++) {
        let value = x[i] - slip;
        let next = bitcast<f32>(bitcast<u32>(combine(sum, value)) ^ params.zero);
        slip = kept((next - sum) - value);
        sum = next;
        y[i] = sum;
    }
}

// kernel scan
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> sums: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

struct Params {
    count: u32,
    columns: u32,
    chunk: u32,
    chunks: u32,
    zero: u32,
    first_thread: u32,
}

@group(0) @binding(3) var<uniform> params: Params;

fn magnitude_bits(x: f32) -> u32 {
  return bitcast<u32>(x) & 0x7fffffffu;
}
fn is_finite(x: f32) -> bool {
  return magnitude_bits(x) < 0x7f800000u;
}
fn combine(a: f32, b: f32) -> f32 {
  return (a + b);
}
fn kept(slip: f32) -> f32 {
  return select(0.0f, slip, is_finite(slip));
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
    var sum: f32 = 0.0f;
    if (part > 0u) {
        sum = sums[thread - 1u];
    }
    var slip = 0.0f;
    for (var i = begin; i < end; i++) {
        let value = x[i] - slip;
        let next = bitcast<f32>(bitcast<u32>(combine(sum, value)) ^ params.zero);
        slip = kept((next - sum) - value);
        sum = next;
        y[i] = sum;
    }
}
