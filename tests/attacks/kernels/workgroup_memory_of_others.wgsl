// gives 0 0 0 0
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
var<workgroup> w: array<u32, 4096>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32) {
    var s = 0u;
    for (var i = l; i < 4096u; i += 64u) { s |= w[i]; w[i] = 0x5ec2e7u; }
    o[l] = s;
}
