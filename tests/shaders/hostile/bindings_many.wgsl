// kernel_limit 34:37 the kernel has more than 32 bindings
@group(1) @binding(0) var<storage> b0: array<u32>;
@group(1) @binding(1) var<storage> b1: array<u32>;
@group(1) @binding(2) var<storage> b2: array<u32>;
@group(1) @binding(3) var<storage> b3: array<u32>;
@group(1) @binding(4) var<storage> b4: array<u32>;
@group(1) @binding(5) var<storage> b5: array<u32>;
@group(1) @binding(6) var<storage> b6: array<u32>;
@group(1) @binding(7) var<storage> b7: array<u32>;
@group(1) @binding(8) var<storage> b8: array<u32>;
@group(1) @binding(9) var<storage> b9: array<u32>;
@group(1) @binding(10) var<storage> b10: array<u32>;
@group(1) @binding(11) var<storage> b11: array<u32>;
@group(1) @binding(12) var<storage> b12: array<u32>;
@group(1) @binding(13) var<storage> b13: array<u32>;
@group(1) @binding(14) var<storage> b14: array<u32>;
@group(1) @binding(15) var<storage> b15: array<u32>;
@group(1) @binding(16) var<storage> b16: array<u32>;
@group(1) @binding(17) var<storage> b17: array<u32>;
@group(1) @binding(18) var<storage> b18: array<u32>;
@group(1) @binding(19) var<storage> b19: array<u32>;
@group(1) @binding(20) var<storage> b20: array<u32>;
@group(1) @binding(21) var<storage> b21: array<u32>;
@group(1) @binding(22) var<storage> b22: array<u32>;
@group(1) @binding(23) var<storage> b23: array<u32>;
@group(1) @binding(24) var<storage> b24: array<u32>;
@group(1) @binding(25) var<storage> b25: array<u32>;
@group(1) @binding(26) var<storage> b26: array<u32>;
@group(1) @binding(27) var<storage> b27: array<u32>;
@group(1) @binding(28) var<storage> b28: array<u32>;
@group(1) @binding(29) var<storage> b29: array<u32>;
@group(1) @binding(30) var<storage> b30: array<u32>;
@group(1) @binding(31) var<storage> b31: array<u32>;
@group(1) @binding(32) var<storage> b32: array<u32>;
@group(1) @binding(33) var<storage> b33: array<u32>;
@group(1) @binding(34) var<storage> b34: array<u32>;
@group(1) @binding(35) var<storage> b35: array<u32>;
@group(1) @binding(36) var<storage> b36: array<u32>;
@group(1) @binding(37) var<storage> b37: array<u32>;
@group(1) @binding(38) var<storage> b38: array<u32>;
@group(1) @binding(39) var<storage> b39: array<u32>;
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    result[0] = 1u;
}
