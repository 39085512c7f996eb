// kernel_unsupported 7:36 'shape' holds a matrix of two rows in a uniform buffer
struct Shape {
    turn: mat3x2<f32>,
    more: vec4<f32>,
}
alias Alias = Shape;
@group(0) @binding(1) var<uniform> shape: Alias;
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    result[0] = u32(shape.more.x + shape.turn[0].x);
}
