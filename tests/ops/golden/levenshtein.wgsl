// kernel levenshtein
@group(0) @binding(0) var<storage, read> left: array<u32>;
@group(0) @binding(1) var<storage, read> left_offsets: array<u32>;
@group(0) @binding(2) var<storage, read> right: array<u32>;
@group(0) @binding(3) var<storage, read> right_offsets: array<u32>;
@group(0) @binding(4) var<storage, read_write> lines: array<u32>;
@group(0) @binding(5) var<storage, read_write> y: array<u32>;

struct Params {
    count: u32,
    longest: u32,
    first: u32,
    strips: u32,
    left_bytes: u32,
    left_first: u32,
    left_extent: u32,
    right_bytes: u32,
    right_first: u32,
    right_extent: u32,
    first_thread: u32,
}

@group(0) @binding(6) var<uniform> params: Params;

fn left_byte(place: u32) -> u32 {
    return (left[(place >> 2u) - params.left_first] >> ((place & 3u) * 8u)) & 0xffu;
}

// Whether a text that is not empty begins in the part that the binding is.
fn left_sees(place: u32) -> bool {
    return (place >> 2u) - params.left_first < params.left_extent;
}

fn right_byte(place: u32) -> u32 {
    return (right[(place >> 2u) - params.right_first] >> ((place & 3u) * 8u)) & 0xffu;
}

// Whether a text that is not empty begins in the part that the binding is.
fn right_sees(place: u32) -> bool {
    return (place >> 2u) - params.right_first < params.right_extent;
}

// Strips of eight rows, a column a turn; `lines` keeps the last row of a strip for the next one.
fn run(thread: u32) {
    let a = left_offsets[thread];
    let b = right_offsets[thread];
    let rows = left_offsets[thread + 1u] - a;
    let columns = right_offsets[thread + 1u] - b;
    let inside = a + rows <= params.left_bytes && b + columns <= params.right_bytes;
    if (rows > params.longest || columns > params.longest || !inside) {
        y[thread] = 0xffffffffu;
        return;
    }
    if (rows == 0u || columns == 0u) {
        y[thread] = max(rows, columns);
        return;
    }
    if (!left_sees(a) || !right_sees(b)) {
        return;
    }
    let line = thread * params.longest;
    let stop = min(params.first + params.strips, (rows + 7u) / 8u);
    var strip = params.first;
    var column = 0u;
    var d0 = 0u;
    var c0 = 0u;
    var d1 = 0u;
    var c1 = 0u;
    var d2 = 0u;
    var c2 = 0u;
    var d3 = 0u;
    var c3 = 0u;
    var d4 = 0u;
    var c4 = 0u;
    var d5 = 0u;
    var c5 = 0u;
    var d6 = 0u;
    var c6 = 0u;
    var d7 = 0u;
    var c7 = 0u;
    var corner = 0u;
    if (strip >= stop) {
        return;
    }
    loop {
        if (column == 0u) {
            corner = strip * 8u;
            d0 = corner + 1u;
            c0 = left_byte(a + corner + 0u);
            d1 = corner + 2u;
            c1 = left_byte(a + corner + 1u);
            d2 = corner + 3u;
            c2 = left_byte(a + corner + 2u);
            d3 = corner + 4u;
            c3 = left_byte(a + corner + 3u);
            d4 = corner + 5u;
            c4 = left_byte(a + corner + 4u);
            d5 = corner + 6u;
            c5 = left_byte(a + corner + 5u);
            d6 = corner + 7u;
            c6 = left_byte(a + corner + 6u);
            d7 = corner + 8u;
            c7 = left_byte(a + corner + 7u);
        }
        let byte = right_byte(b + column);
        let top = select(lines[line + column], column + 1u, strip == 0u);
        let n0 = min(min(d0, top) + 1u, corner + select(0u, 1u, c0 != byte));
        let n1 = min(min(d1, n0) + 1u, d0 + select(0u, 1u, c1 != byte));
        let n2 = min(min(d2, n1) + 1u, d1 + select(0u, 1u, c2 != byte));
        let n3 = min(min(d3, n2) + 1u, d2 + select(0u, 1u, c3 != byte));
        let n4 = min(min(d4, n3) + 1u, d3 + select(0u, 1u, c4 != byte));
        let n5 = min(min(d5, n4) + 1u, d4 + select(0u, 1u, c5 != byte));
        let n6 = min(min(d6, n5) + 1u, d5 + select(0u, 1u, c6 != byte));
        let n7 = min(min(d7, n6) + 1u, d6 + select(0u, 1u, c7 != byte));
        d0 = n0;
        d1 = n1;
        d2 = n2;
        d3 = n3;
        d4 = n4;
        d5 = n5;
        d6 = n6;
        d7 = n7;
        corner = top;
        lines[line + column] = d7;
        column++;
        if (column >= columns) {
            let last = rows - 1u - strip * 8u;
            if (last == 0u) {
                y[thread] = d0;
            }
            if (last == 1u) {
                y[thread] = d1;
            }
            if (last == 2u) {
                y[thread] = d2;
            }
            if (last == 3u) {
                y[thread] = d3;
            }
            if (last == 4u) {
                y[thread] = d4;
            }
            if (last == 5u) {
                y[thread] = d5;
            }
            if (last == 6u) {
                y[thread] = d6;
            }
            if (last == 7u) {
                y[thread] = d7;
            }
            column = 0u;
            strip++;
            if (strip >= stop) {
                break;
            }
        }
    }
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
