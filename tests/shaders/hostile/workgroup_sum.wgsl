// kernel_limit 4:16 the kernel has 16400 bytes of workgroup memory; the limit is 16384
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
var<workgroup> a: array<vec4<f32>, 1000>;
var<workgroup> b: array<u32, 100>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    a[0] = 1u;
}
