// Every kind of loop, and one that is short enough to be free.
struct Params { rows: u32, columns: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;

fn first_power_over(limit: u32) -> u32 {
    var power = 1u;
    loop {
        if (power > limit) {
            return power;
        }
        power *= 2u;
        if (power == 0u) {
            break;
        }
    }
    if (limit == 0xffffffffu) { return 1u; } else { return 0u; }
}

@compute @workgroup_size(8, 4)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) grid: vec3u) {
    var sum = grid.x;
    for (var row = 0u; row < params.rows; row++) {
        for (var i = 0; i < 16; i++) { /* sixteen turns */
            sum += u32(i) * row;
        }
    }
    while (sum > 1000u) { sum /= 2u; }
    loop {
        sum += 1u;
        continuing {
            sum += 1u;
            break if sum > 2000u;
        }
    }
    sums[id.x] = sum + first_power_over(params.columns);
}
