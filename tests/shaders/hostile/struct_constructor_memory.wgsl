// kernel_limit 8:4 the kernel has 8224 bytes of private and function variables; the limit is 4096
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
struct Block {
    words: array<u32, 512>,
    more: array<u32, 512>,
}
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var a = Block();
    var b = Block();
    result[0] = a.words[result[1]] + b.words[result[1]];
}
