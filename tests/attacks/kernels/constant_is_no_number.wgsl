// refused kernel_compile
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1) fn main() {
    const x = pow(-1.0, 0.5);
    o[0] = bitcast<u32>(x);
}
