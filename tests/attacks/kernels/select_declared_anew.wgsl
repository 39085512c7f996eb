// refused kernel_unsupported
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
fn select(a: u32, b: u32, c: bool) -> u32 { return 0u; }
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) g: vec3<u32>) {
    loop { o[0] += 1u; }
}
