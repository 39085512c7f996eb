// gives 4
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
struct S { select: u32, max: u32, bitcast: u32, atomicMax: u32 }
@compute @workgroup_size(1) fn main() {
    var s: S;
    s.select = 3u;
    s.max = 4u;
    loop { s.select--; if (s.select == 0u) { break; } }
    o[0] = s.max;
}
