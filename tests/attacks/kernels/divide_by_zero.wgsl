// gives 7 0 4294967289 2147483648
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) g: vec3<u32>) {
    let z = o[15];
    let iz = i32(z);
    o[0] = 7u / z; o[1] = 7u % z; o[2] = bitcast<u32>(-7 / iz); o[3] = bitcast<u32>((i32(-2147483648) + iz) / (-1 + iz));
}
