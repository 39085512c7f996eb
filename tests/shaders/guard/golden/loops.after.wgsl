                                                               
struct Params { rows: u32, columns: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;

fn first_power_over(limit: u32) -> u32 {
    var power = 1u;
    loop { if (_wf_fuel < _wf_cost1) { break; } _wf_fuel -= _wf_cost1; 
        if (power > limit) {
            return power;
        }
        power *= 2u;
        if (power == 0u) {
            break;
        }
    } if (_wf_fuel < _wf_cost1) { _wf_loop = select(_wf_loop, 1u, _wf_loop == 0u); _wf_fuel = 0u; } 
    if (limit == 0xffffffffu) { return 1u; } else { return 0u; }
 return u32(); }

                              
fn _wf_entry_main(                               id: vec3<u32>,                          grid: vec3u) {
    var sum = grid.x;
    let _wf_first2 = 0u; let _wf_turns2 = bitcast<u32>(select(_wf_first2, params.rows, _wf_first2 < params.rows) - _wf_first2); if (_wf_fuel / _wf_cost2 < _wf_turns2) { _wf_loop = select(_wf_loop, 2u, _wf_loop == 0u); _wf_fuel = 0u; } else { _wf_fuel -= _wf_turns2 * _wf_cost2; for (var row = 0u; row < params.rows; row++) {
        for (var i = 0; i < 16; i++) {                    
            sum += u32(i) * row;
        }
    } } 
    while (sum > 1000u) { if (_wf_fuel < _wf_cost3) { break; } _wf_fuel -= _wf_cost3;  sum /= 2u; } if (_wf_fuel < _wf_cost3) { _wf_loop = select(_wf_loop, 3u, _wf_loop == 0u); _wf_fuel = 0u; } 
    loop { if (_wf_fuel < _wf_cost4) { break; } _wf_fuel -= _wf_cost4; 
        sum += 1u;
        continuing {
            sum += 1u;
            break if sum > 2000u;
        }
    } if (_wf_fuel < _wf_cost4) { _wf_loop = select(_wf_loop, 4u, _wf_loop == 0u); _wf_fuel = 0u; } 
    sums[id.x] = sum + first_power_over(params.columns);
}

@group(3) @binding(0) var<uniform> _wf_host: array<vec4<u32>, 2>;
@group(3) @binding(1) var<storage, read_write> _wf_report: array<atomic<u32>, 4>;
var<private> _wf_fuel: u32;
var<private> _wf_loop: u32;
@compute @workgroup_size(8, 4, 1)
fn main(@builtin(workgroup_id) _wf_workgroup_slice: vec3<u32>,
    @builtin(local_invocation_id) _wf_local: vec3<u32>,
    @builtin(local_invocation_index) _wf_index: u32) {
    let _wf_workgroup = _wf_workgroup_slice + _wf_host[0].xyz;
    _wf_fuel = _wf_host[0].w;
    _wf_entry_main((_wf_workgroup * vec3<u32>(8u, 4u, 1u) + _wf_local), _wf_host[1].xyz);
    if (_wf_loop != 0u) { atomicMax(&_wf_report[0], _wf_loop); }
}
const _wf_cost1 = 28u;
const _wf_cost2 = 419u;
const _wf_cost3 = 12u;
const _wf_cost4 = 20u;
