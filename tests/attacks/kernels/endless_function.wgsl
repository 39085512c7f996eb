// ends loop
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
fn f() -> u32 { loop { if (o[3] == 9u) { return 1u; } } return 2u; }
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) g: vec3<u32>) {
    o[0] = f();
}
