// ends loop
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
var<workgroup> t: array<atomic<u32>, 64>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3<u32>) {
    loop { atomicAdd(&t[l], 1u); workgroupBarrier(); }
}
