// runs
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1) fn main() {
    let z = f32(o[15]);
    o[0] = u32(-5.0 + z);
    o[1] = u32(1e20 + z);
    o[2] = bitcast<u32>(i32(1e20 + z));
    o[3] = u32(0.0 / z);
    o[4] = bitcast<u32>(i32(-1e20 + z));
}
