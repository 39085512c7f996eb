                                                                                  
struct Slot { total: atomic<u32>, seen: array<atomic<i32>, 3>, mean: vec2<f32> }
var<workgroup> tile: array<array<f32, 16>, 16>;
var<workgroup> slots: array<Slot, 4>;
var<workgroup> flag: atomic<u32>;
var<workgroup> scale: f32;
var<workgroup> unused: array<u32, 64>;
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> b: array<f32>;

struct Place {
    @builtin(local_invocation_id) at: vec3<u32>,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
}

fn load(place: u32, at: vec3<u32>) {
    tile[at.y][at.x] = a[place];
    workgroupBarrier();
}

fn step(_wf_shared_fuel: ptr<function, u32>, place: u32, at: vec3<u32>) -> f32 {
    var sum = 0.0;
    for (var round = 0u; (round < arrayLength(&a) / 256u) & ((*_wf_shared_fuel) >= _wf_cost1); round++) { (*_wf_shared_fuel) -= _wf_cost1; 
        load(place + round * 256u, at);
        for (var k = 0u; k < 16u; k++) {
            sum += tile[at.y][k];
        }
        workgroupBarrier();
    } if ((*_wf_shared_fuel) < _wf_cost1) { _wf_loop = select(_wf_loop, 1u, _wf_loop == 0u); (*_wf_shared_fuel) = 0u; } 
    return sum;
}

                                
fn _wf_entry_main(_wf_shared_fuel: ptr<function, u32>, place: Place) {
    let sum = step(_wf_shared_fuel, place.index, place.at);
    atomicAdd(&slots[0].total, u32(sum));
    atomicMax(&flag, 1u);
    scale = 2.0;
    workgroupBarrier();
    b[place.group.x * 256u + place.index] = sum * scale + f32(atomicLoad(&slots[0].total));
}

                           
fn _wf_entry_other() {
    b[0] = 1.0;
}

@group(3) @binding(0) var<uniform> _wf_host: array<vec4<u32>, 2>;
@group(3) @binding(1) var<storage, read_write> _wf_report: array<atomic<u32>, 4>;
var<private> _wf_fuel: u32;
var<private> _wf_loop: u32;
@compute @workgroup_size(16, 16, 1)
fn main(@builtin(workgroup_id) _wf_workgroup_slice: vec3<u32>,
    @builtin(local_invocation_id) _wf_local: vec3<u32>,
    @builtin(local_invocation_index) _wf_index: u32) {
    for (var _wf_zero0 = _wf_index; _wf_zero0 < 256u; _wf_zero0 += 256u) { tile[_wf_zero0 / 16u][_wf_zero0 % 16u] = f32(); } for (var _wf_zero0 = _wf_index; _wf_zero0 < 4u; _wf_zero0 += 256u) { atomicStore(&slots[_wf_zero0].total, 0u); for (var _wf_zero1 = 0u; _wf_zero1 < 3u; _wf_zero1 += 1u) { atomicStore(&slots[_wf_zero0].seen[_wf_zero1], 0i); } slots[_wf_zero0].mean = vec2<f32>(); } atomicStore(&flag, 0u); scale = f32(); workgroupBarrier();
    let _wf_workgroup = _wf_workgroup_slice + _wf_host[0].xyz;
    var _wf_shared_fuel = _wf_host[0].w;
    _wf_entry_main(&_wf_shared_fuel, Place(_wf_local, _wf_workgroup, _wf_index));
    if (_wf_loop != 0u) { atomicMax(&_wf_report[0], _wf_loop); }
}
@compute @workgroup_size(1, 1, 1)
fn other(@builtin(workgroup_id) _wf_workgroup_slice: vec3<u32>,
    @builtin(local_invocation_id) _wf_local: vec3<u32>,
    @builtin(local_invocation_index) _wf_index: u32) {
    let _wf_workgroup = _wf_workgroup_slice + _wf_host[0].xyz;
    _wf_entry_other();
    if (_wf_loop != 0u) { atomicMax(&_wf_report[0], _wf_loop); }
}
const _wf_cost1 = 539u;
