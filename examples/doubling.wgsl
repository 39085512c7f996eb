// Every number times `by`, which a dispatch may give.
override by: f32 = 2.0;

@group(0) @binding(0) var<storage, read> src: array<f32>;
@group(0) @binding(1) var<storage, read_write> dst: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < arrayLength(&dst)) {
        dst[id.x] = by * src[id.x];
    }
}
