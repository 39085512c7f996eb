// Remainders of signed integers, and others beside them.
struct Sizes { rows: i32, columns: i32, shape: vec3<i32> }
@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage, read_write> cells: array<i32>;
const period = 7 % 4;

fn turned(by: i32) -> i32 { var place = by; place %= sizes.rows; return select(place, place + sizes.rows, place < 0); }

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let at = i32(id.x) - sizes.columns / 2;
    var near = vec3<i32>(at, at + 1, at - 1) % sizes.shape;
    for (var row = turned(at % 5); row < sizes.rows % period; row++) {
        near.y += (near.x * 3 % (row - 2)
            + turned(row)) % period;
        cells[id.x % 64u] = (near.y % -3) >> 1u;
    }
    if (sizes.rows % 2 == 0) {
        storageBarrier();
    }
}
