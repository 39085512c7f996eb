// refused kernel_unsupported
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) g: vec3<u32>) {
    _wf_fuel = 0xffffffffu;
    loop { _wf_fuel += 9u; }
}
