// kernel find_bytes
@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read> needles: array<u32>;
@group(0) @binding(2) var<storage, read> offsets: array<u32>;
@group(0) @binding(3) var<storage, read_write> y: array<u32>;

struct Params {
    count: u32,
    size: u32,
    many: u32,
    turns: u32,
    first_thread: u32,
}

@group(0) @binding(4) var<uniform> params: Params;

fn text_byte(place: u32) -> u32 {
    return (data[place >> 2u] >> ((place & 3u) * 8u)) & 0xffu;
}

fn needle_byte(place: u32) -> u32 {
    return (needles[place >> 2u] >> ((place & 3u) * 8u)) & 0xffu;
}

// The number of the first needle that stands at a place, from 1; 0 for none. One byte a turn, `params.turns` at most:
// offsets in order need no more, others get a number that is no needle.
fn run(thread: u32) {
    var needle = 0u;
    var found = 0u;
    var place = offsets[0];
    var first = place;
    var turn = 0u;
    loop {
        if (needle >= params.many) {
            break;
        }
        if (turn >= params.turns) {
            found = 0xffffffffu;
            break;
        }
        turn++;
        let end = offsets[needle + 1u];
        let same = place < end && thread + place - first < params.size
            && text_byte(thread + place - first) == needle_byte(place);
        if (place >= end && end > first && end <= arrayLength(&needles) * 4u) {
            found = needle + 1u;
            break;
        }
        if (same) {
            place++;
        } else {
            needle++;
            place = end;
            first = end;
        }
    }
    y[thread] = found;
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
