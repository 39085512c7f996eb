// refused kernel_unsupported
@group(3) @binding(0) var<uniform> fuel: vec4<u32>;
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) g: vec3<u32>) {
    o[0] = fuel.x;
}
