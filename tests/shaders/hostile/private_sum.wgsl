// kernel_limit 5:4 the kernel has 4400 bytes of private and function variables; the limit is 4096
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
var<private> a: array<u32, 100>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    a[result[1]] = 1u;
    var local: array<u32, 1000>;
    local[result[2]] = 2u;
}
