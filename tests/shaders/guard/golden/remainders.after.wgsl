                                                         
struct Sizes { rows: i32, columns: i32, shape: vec3<i32> }
@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage, read_write> cells: array<i32>;
const period = 7 % 4;

fn turned(by: i32) -> i32 { var place = by; place = _wf_remainder(place, sizes.rows); return select(place, place + sizes.rows, place < 0); }

                            
fn _wf_entry_main(                               id: vec3<u32>) {
    let at = i32(id.x) - sizes.columns / 2;
    var near = _wf_remainder3(vec3<i32>(vec3<i32>(at, at + 1, at - 1) ), vec3<i32>( sizes.shape));
    for (var row = turned(_wf_remainder(at , 5)); row < _wf_remainder(sizes.rows , period); row++) { if (_wf_fuel < _wf_cost1) { break; } _wf_fuel -= _wf_cost1; 
        near.y += _wf_remainder((_wf_remainder(near.x * 3 , (row - 2))
            + turned(row)) , period);
        cells[id.x % 64u] = (_wf_remainder(near.y , -3)) >> 1u;
    } if (_wf_fuel < _wf_cost1) { _wf_loop = select(_wf_loop, 1u, _wf_loop == 0u); _wf_fuel = 0u; } 
    if (_wf_remainder(sizes.rows , 2) == 0) {
        storageBarrier();
    }
}

@group(3) @binding(0) var<uniform> _wf_host: array<vec4<u32>, 2>;
@group(3) @binding(1) var<storage, read_write> _wf_report: array<atomic<u32>, 4>;
var<private> _wf_fuel: u32;
var<private> _wf_loop: u32;
fn _wf_remainder(a: i32, b: i32) -> i32 { return select(a - a / b * b, i32(), b == i32()); }
fn _wf_remainder3(a: vec3<i32>, b: vec3<i32>) -> vec3<i32> { return select(a - a / b * b, vec3<i32>(), b == vec3<i32>()); }
@compute @workgroup_size(64, 1, 1)
fn main(@builtin(workgroup_id) _wf_workgroup_slice: vec3<u32>,
    @builtin(local_invocation_id) _wf_local: vec3<u32>,
    @builtin(local_invocation_index) _wf_index: u32) {
    let _wf_workgroup = _wf_workgroup_slice + _wf_host[0].xyz;
    _wf_fuel = _wf_host[0].w;
    _wf_entry_main((_wf_workgroup * vec3<u32>(64u, 1u, 1u) + _wf_local));
    if (_wf_loop != 0u) { atomicMax(&_wf_report[0], _wf_loop); }
}
const _wf_cost1 = 125u;
