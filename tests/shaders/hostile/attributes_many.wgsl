// kernel_limit 3:81 a declaration has more than 8 attributes
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
@must_use @must_use @must_use @must_use @must_use @must_use @must_use @must_use @must_use @must_use @must_use @must_use @must_use @must_use @must_use @must_use @must_use @must_use @must_use @must_use fn f() -> u32 { return 1u; }
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    result[0] = f();
}
