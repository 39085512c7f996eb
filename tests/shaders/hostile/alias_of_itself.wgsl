// kernel_syntax 4:11 'A' is declared in terms of itself
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
alias A = B;
alias B = A;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    result[0] = 1u;
}
