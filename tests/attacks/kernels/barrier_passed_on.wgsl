// gives 8
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
fn a(x: u32, y: u32,) -> u32 { for (var i = 0u; i < x; i++) { workgroupBarrier(); } return x + y; }
fn b(x: u32,) -> u32 { loop { workgroupBarrier(); break; } return a(x, 2u); }
fn c() -> u32 { storageBarrier(); return b(3u); }
@compute @workgroup_size(16) fn main(@builtin(local_invocation_index) l: u32) {
    o[l] = a(b(1u,), c(),);
}
