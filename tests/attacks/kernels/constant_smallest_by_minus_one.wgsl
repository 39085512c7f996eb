// runs
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1) fn main() {
    const x = i32(-2147483648) / -1;
    o[0] = bitcast<u32>(x);
}
