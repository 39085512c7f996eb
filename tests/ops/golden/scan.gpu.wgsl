// kernel tile_scan_sums
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> sums: array<f32>;

struct Params {
    count: u32,
    total: u32,
    first_thread: u32,
}

@group(0) @binding(2) var<uniform> params: Params;

var<workgroup> words: array<f32, 4096>;

// The sum of `value` over the lanes below `lane`, and over all 256 of them; `words` from `at` on serve as scratch.
struct Before {
    sum: f32,
    total: f32,
}

fn before(lane: u32, value: f32, at: u32) -> Before {
    var sum = value;
    words[at + lane] = sum;
    workgroupBarrier();
    sum += select(f32(), words[at + 0u + max(lane, 1u) - 1u], lane >= 1u);
    words[at + 256u + lane] = sum;
    workgroupBarrier();
    sum += select(f32(), words[at + 256u + max(lane, 2u) - 2u], lane >= 2u);
    words[at + 0u + lane] = sum;
    workgroupBarrier();
    sum += select(f32(), words[at + 0u + max(lane, 4u) - 4u], lane >= 4u);
    words[at + 256u + lane] = sum;
    workgroupBarrier();
    sum += select(f32(), words[at + 256u + max(lane, 8u) - 8u], lane >= 8u);
    words[at + 0u + lane] = sum;
    workgroupBarrier();
    sum += select(f32(), words[at + 0u + max(lane, 16u) - 16u], lane >= 16u);
    words[at + 256u + lane] = sum;
    workgroupBarrier();
    sum += select(f32(), words[at + 256u + max(lane, 32u) - 32u], lane >= 32u);
    words[at + 0u + lane] = sum;
    workgroupBarrier();
    sum += select(f32(), words[at + 0u + max(lane, 64u) - 64u], lane >= 64u);
    words[at + 256u + lane] = sum;
    workgroupBarrier();
    sum += select(f32(), words[at + 256u + max(lane, 128u) - 128u], lane >= 128u);
    words[at + 0u + lane] = sum;
    workgroupBarrier();
    return Before(select(f32(), words[at + max(lane, 1u) - 1u], lane > 0u), words[at + 255u]);
}

// The sum of a tile.
fn run(tile: u32, lane: u32) {
    var sum = f32();
    {
        let at = tile * 4096u + 0u + lane;
        sum += select(f32(), x[min(at, params.total - 1u)], at < params.total);
    }
    {
        let at = tile * 4096u + 256u + lane;
        sum += select(f32(), x[min(at, params.total - 1u)], at < params.total);
    }
    {
        let at = tile * 4096u + 512u + lane;
        sum += select(f32(), x[min(at, params.total - 1u)], at < params.total);
    }
    {
        let at = tile * 4096u + 768u + lane;
        sum += select(f32(), x[min(at, params.total - 1u)], at < params.total);
    }
    {
        let at = tile * 4096u + 1024u + lane;
        sum += select(f32(), x[min(at, params.total - 1u)], at < params.total);
    }
    {
        let at = tile * 4096u + 1280u + lane;
        sum += select(f32(), x[min(at, params.total - 1u)], at < params.total);
    }
    {
        let at = tile * 4096u + 1536u + lane;
        sum += select(f32(), x[min(at, params.total - 1u)], at < params.total);
    }
    {
        let at = tile * 4096u + 1792u + lane;
        sum += select(f32(), x[min(at, params.total - 1u)], at < params.total);
    }
    {
        let at = tile * 4096u + 2048u + lane;
        sum += select(f32(), x[min(at, params.total - 1u)], at < params.total);
    }
    {
        let at = tile * 4096u + 2304u + lane;
        sum += select(f32(), x[min(at, params.total - 1u)], at < params.total);
    }
    {
        let at = tile * 4096u + 2560u + lane;
        sum += select(f32(), x[min(at, params.total - 1u)], at < params.total);
    }
    {
        let at = tile * 4096u + 2816u + lane;
        sum += select(f32(), x[min(at, params.total - 1u)], at < params.total);
    }
    {
        let at = tile * 4096u + 3072u + lane;
        sum += select(f32(), x[min(at, params.total - 1u)], at < params.total);
    }
    {
        let at = tile * 4096u + 3328u + lane;
        sum += select(f32(), x[min(at, params.total - 1u)], at < params.total);
    }
    {
        let at = tile * 4096u + 3584u + lane;
        sum += select(f32(), x[min(at, params.total - 1u)], at < params.total);
    }
    {
        let at = tile * 4096u + 3840u + lane;
        sum += select(f32(), x[min(at, params.total - 1u)], at < params.total);
    }
    let all = before(lane, sum, 0u);
    if (lane == 0u) {
        sums[tile] = all.total;
    }
}

@compute @workgroup_size(256, 1, 1)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(local_invocation_id) lid: vec3<u32>,
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) nwg: vec3<u32>,
) {
    let thread = (wid.x + wid.y * nwg.x) * 256u + lid.x + params.first_thread;
    let tile = wid.x + wid.y * nwg.x;
    if tile < params.count {
        run(tile, lid.x);
    }
}

// kernel tile_scan
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> sums: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

struct Params {
    count: u32,
    total: u32,
    first_thread: u32,
}

@group(0) @binding(3) var<uniform> params: Params;

var<workgroup> words: array<f32, 4096>;

// The sum of `value` over the lanes below `lane`, and over all 256 of them; `words` from `at` on serve as scratch.
struct Before {
    sum: f32,
    total: f32,
}

fn before(lane: u32, value: f32, at: u32) -> Before {
    var sum = value;
    words[at + lane] = sum;
    workgroupBarrier();
    sum += select(f32(), words[at + 0u + max(lane, 1u) - 1u], lane >= 1u);
    words[at + 256u + lane] = sum;
    workgroupBarrier();
    sum += select(f32(), words[at + 256u + max(lane, 2u) - 2u], lane >= 2u);
    words[at + 0u + lane] = sum;
    workgroupBarrier();
    sum += select(f32(), words[at + 0u + max(lane, 4u) - 4u], lane >= 4u);
    words[at + 256u + lane] = sum;
    workgroupBarrier();
    sum += select(f32(), words[at + 256u + max(lane, 8u) - 8u], lane >= 8u);
    words[at + 0u + lane] = sum;
    workgroupBarrier();
    sum += select(f32(), words[at + 0u + max(lane, 16u) - 16u], lane >= 16u);
    words[at + 256u + lane] = sum;
    workgroupBarrier();
    sum += select(f32(), words[at + 256u + max(lane, 32u) - 32u], lane >= 32u);
    words[at + 0u + lane] = sum;
    workgroupBarrier();
    sum += select(f32(), words[at + 0u + max(lane, 64u) - 64u], lane >= 64u);
    words[at + 256u + lane] = sum;
    workgroupBarrier();
    sum += select(f32(), words[at + 256u + max(lane, 128u) - 128u], lane >= 128u);
    words[at + 0u + lane] = sum;
    workgroupBarrier();
    return Before(select(f32(), words[at + max(lane, 1u) - 1u], lane > 0u), words[at + 255u]);
}

// The running sums of a tile, from what is before it.
fn run(tile: u32, lane: u32) {
    let first = tile * 4096u;
    {
        let at = 0u + lane;
        words[at] = select(f32(), x[min(first + at, params.total - 1u)], first + at < params.total);
    }
    {
        let at = 256u + lane;
        words[at] = select(f32(), x[min(first + at, params.total - 1u)], first + at < params.total);
    }
    {
        let at = 512u + lane;
        words[at] = select(f32(), x[min(first + at, params.total - 1u)], first + at < params.total);
    }
    {
        let at = 768u + lane;
        words[at] = select(f32(), x[min(first + at, params.total - 1u)], first + at < params.total);
    }
    {
        let at = 1024u + lane;
        words[at] = select(f32(), x[min(first + at, params.total - 1u)], first + at < params.total);
    }
    {
        let at = 1280u + lane;
        words[at] = select(f32(), x[min(first + at, params.total - 1u)], first + at < params.total);
    }
    {
        let at = 1536u + lane;
        words[at] = select(f32(), x[min(first + at, params.total - 1u)], first + at < params.total);
    }
    {
        let at = 1792u + lane;
        words[at] = select(f32(), x[min(first + at, params.total - 1u)], first + at < params.total);
    }
    {
        let at = 2048u + lane;
        words[at] = select(f32(), x[min(first + at, params.total - 1u)], first + at < params.total);
    }
    {
        let at = 2304u + lane;
        words[at] = select(f32(), x[min(first + at, params.total - 1u)], first + at < params.total);
    }
    {
        let at = 2560u + lane;
        words[at] = select(f32(), x[min(first + at, params.total - 1u)], first + at < params.total);
    }
    {
        let at = 2816u + lane;
        words[at] = select(f32(), x[min(first + at, params.total - 1u)], first + at < params.total);
    }
    {
        let at = 3072u + lane;
        words[at] = select(f32(), x[min(first + at, params.total - 1u)], first + at < params.total);
    }
    {
        let at = 3328u + lane;
        words[at] = select(f32(), x[min(first + at, params.total - 1u)], first + at < params.total);
    }
    {
        let at = 3584u + lane;
        words[at] = select(f32(), x[min(first + at, params.total - 1u)], first + at < params.total);
    }
    {
        let at = 3840u + lane;
        words[at] = select(f32(), x[min(first + at, params.total - 1u)], first + at < params.total);
    }
    workgroupBarrier();
    let x0 = words[lane * 16u + 0u];
    let x1 = words[lane * 16u + 1u];
    let x2 = words[lane * 16u + 2u];
    let x3 = words[lane * 16u + 3u];
    let x4 = words[lane * 16u + 4u];
    let x5 = words[lane * 16u + 5u];
    let x6 = words[lane * 16u + 6u];
    let x7 = words[lane * 16u + 7u];
    let x8 = words[lane * 16u + 8u];
    let x9 = words[lane * 16u + 9u];
    let x10 = words[lane * 16u + 10u];
    let x11 = words[lane * 16u + 11u];
    let x12 = words[lane * 16u + 12u];
    let x13 = words[lane * 16u + 13u];
    let x14 = words[lane * 16u + 14u];
    let x15 = words[lane * 16u + 15u];
    workgroupBarrier();
    let own = x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7 + x8 + x9 + x10 + x11 + x12 + x13 + x14 + x15;
    var start = before(lane, own, 0u).sum;
    if (tile > 0u) {
        start += sums[tile - 1u];
    }
    var sum = f32();
    workgroupBarrier();
    sum += x0;
    words[lane * 16u + 0u] = start + sum;
    sum += x1;
    words[lane * 16u + 1u] = start + sum;
    sum += x2;
    words[lane * 16u + 2u] = start + sum;
    sum += x3;
    words[lane * 16u + 3u] = start + sum;
    sum += x4;
    words[lane * 16u + 4u] = start + sum;
    sum += x5;
    words[lane * 16u + 5u] = start + sum;
    sum += x6;
    words[lane * 16u + 6u] = start + sum;
    sum += x7;
    words[lane * 16u + 7u] = start + sum;
    sum += x8;
    words[lane * 16u + 8u] = start + sum;
    sum += x9;
    words[lane * 16u + 9u] = start + sum;
    sum += x10;
    words[lane * 16u + 10u] = start + sum;
    sum += x11;
    words[lane * 16u + 11u] = start + sum;
    sum += x12;
    words[lane * 16u + 12u] = start + sum;
    sum += x13;
    words[lane * 16u + 13u] = start + sum;
    sum += x14;
    words[lane * 16u + 14u] = start + sum;
    sum += x15;
    words[lane * 16u + 15u] = start + sum;
    workgroupBarrier();
    if (first + 0u + lane < params.total) {
        y[first + 0u + lane] = words[0u + lane];
    }
    if (first + 256u + lane < params.total) {
        y[first + 256u + lane] = words[256u + lane];
    }
    if (first + 512u + lane < params.total) {
        y[first + 512u + lane] = words[512u + lane];
    }
    if (first + 768u + lane < params.total) {
        y[first + 768u + lane] = words[768u + lane];
    }
    if (first + 1024u + lane < params.total) {
        y[first + 1024u + lane] = words[1024u + lane];
    }
    if (first + 1280u + lane < params.total) {
        y[first + 1280u + lane] = words[1280u + lane];
    }
    if (first + 1536u + lane < params.total) {
        y[first + 1536u + lane] = words[1536u + lane];
    }
    if (first + 1792u + lane < params.total) {
        y[first + 1792u + lane] = words[1792u + lane];
    }
    if (first + 2048u + lane < params.total) {
        y[first + 2048u + lane] = words[2048u + lane];
    }
    if (first + 2304u + lane < params.total) {
        y[first + 2304u + lane] = words[2304u + lane];
    }
    if (first + 2560u + lane < params.total) {
        y[first + 2560u + lane] = words[2560u + lane];
    }
    if (first + 2816u + lane < params.total) {
        y[first + 2816u + lane] = words[2816u + lane];
    }
    if (first + 3072u + lane < params.total) {
        y[first + 3072u + lane] = words[3072u + lane];
    }
    if (first + 3328u + lane < params.total) {
        y[first + 3328u + lane] = words[3328u + lane];
    }
    if (first + 3584u + lane < params.total) {
        y[first + 3584u + lane] = words[3584u + lane];
    }
    if (first + 3840u + lane < params.total) {
        y[first + 3840u + lane] = words[3840u + lane];
    }
}

@compute @workgroup_size(256, 1, 1)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(local_invocation_id) lid: vec3<u32>,
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) nwg: vec3<u32>,
) {
    let thread = (wid.x + wid.y * nwg.x) * 256u + lid.x + params.first_thread;
    let tile = wid.x + wid.y * nwg.x;
    if tile < params.count {
        run(tile, lid.x);
    }
}
