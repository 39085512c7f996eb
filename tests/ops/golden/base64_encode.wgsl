// kernel base64_encode
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;

struct Params {
    count: u32,
    size: u32,
    first_thread: u32,
}

@group(0) @binding(2) var<uniform> params: Params;

fn letter(value: u32) -> u32 {
    let low = select(value + 71u, value + 65u, value < 26u);
    let high = select(select(47u, 43u, value == 62u), value - 4u, value < 62u);
    return select(high, low, value < 52u);
}

fn text_byte(place: u32) -> u32 {
    return select(0u, (x[place >> 2u] >> ((place & 3u) * 8u)) & 0xffu, place < params.size);
}

// Three bytes as four letters.
fn run(thread: u32) {
    let first = thread * 3u;
    let bits = (text_byte(first) << 16u) | (text_byte(first + 1u) << 8u) | text_byte(first + 2u);
    let third = select(letter((bits >> 6u) & 63u), 61u, first + 1u >= params.size);
    let fourth = select(letter(bits & 63u), 61u, first + 2u >= params.size);
    y[thread] = letter(bits >> 18u) | (letter((bits >> 12u) & 63u) << 8u) | (third << 16u) | (fourth << 24u);
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
