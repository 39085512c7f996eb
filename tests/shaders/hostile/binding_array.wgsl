// kernel_unsupported 2:42 there is no type 'binding_array' that a kernel may use
@group(0) @binding(1) var<storage> many: binding_array<array<u32>, 4>;
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    result[0] = 1u;
}
