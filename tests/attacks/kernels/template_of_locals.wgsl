// refused kernel_compile
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
fn f(x: bool, y: bool) -> u32 { return u32(x) + 2u * u32(y); }
@compute @workgroup_size(1) fn main() {
    let a = 1u;
    let b = 3u;
    let c = 5u;
    let d = 2u;
    o[1] = f(a<b, c>(d));
}
