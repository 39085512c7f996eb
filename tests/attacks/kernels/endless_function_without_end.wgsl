// ends loop
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
fn f() -> vec4<u32> { loop { } }
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) g: vec3<u32>) {
    o[0] = f().x;
}
