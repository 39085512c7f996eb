// kernel_limit 36:4 'g11' has 51186 tokens with its calls expanded; the limit is 32000
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
fn g0(x: u32) -> u32 {
    return x * 3u + result[1];
}
fn g1(x: u32) -> u32 {
    return g0(x) + g0(x + 1u);
}
fn g2(x: u32) -> u32 {
    return g1(x) + g1(x + 1u);
}
fn g3(x: u32) -> u32 {
    return g2(x) + g2(x + 1u);
}
fn g4(x: u32) -> u32 {
    return g3(x) + g3(x + 1u);
}
fn g5(x: u32) -> u32 {
    return g4(x) + g4(x + 1u);
}
fn g6(x: u32) -> u32 {
    return g5(x) + g5(x + 1u);
}
fn g7(x: u32) -> u32 {
    return g6(x) + g6(x + 1u);
}
fn g8(x: u32) -> u32 {
    return g7(x) + g7(x + 1u);
}
fn g9(x: u32) -> u32 {
    return g8(x) + g8(x + 1u);
}
fn g10(x: u32) -> u32 {
    return g9(x) + g9(x + 1u);
}
fn g11(x: u32) -> u32 {
    return g10(x) + g10(x + 1u);
}
fn g12(x: u32) -> u32 {
    return g11(x) + g11(x + 1u);
}
fn g13(x: u32) -> u32 {
    return g12(x) + g12(x + 1u);
}
fn g14(x: u32) -> u32 {
    return g13(x) + g13(x + 1u);
}
fn g15(x: u32) -> u32 {
    return g14(x) + g14(x + 1u);
}
fn g16(x: u32) -> u32 {
    return g15(x) + g15(x + 1u);
}
fn g17(x: u32) -> u32 {
    return g16(x) + g16(x + 1u);
}
fn g18(x: u32) -> u32 {
    return g17(x) + g17(x + 1u);
}
fn g19(x: u32) -> u32 {
    return g18(x) + g18(x + 1u);
}
fn g20(x: u32) -> u32 {
    return g19(x) + g19(x + 1u);
}
fn g21(x: u32) -> u32 {
    return g20(x) + g20(x + 1u);
}
fn g22(x: u32) -> u32 {
    return g21(x) + g21(x + 1u);
}
fn g23(x: u32) -> u32 {
    return g22(x) + g22(x + 1u);
}
fn g24(x: u32) -> u32 {
    return g23(x) + g23(x + 1u);
}
fn g25(x: u32) -> u32 {
    return g24(x) + g24(x + 1u);
}
fn g26(x: u32) -> u32 {
    return g25(x) + g25(x + 1u);
}
fn g27(x: u32) -> u32 {
    return g26(x) + g26(x + 1u);
}
fn g28(x: u32) -> u32 {
    return g27(x) + g27(x + 1u);
}
fn g29(x: u32) -> u32 {
    return g28(x) + g28(x + 1u);
}
fn g30(x: u32) -> u32 {
    return g29(x) + g29(x + 1u);
}
fn g31(x: u32) -> u32 {
    return g30(x) + g30(x + 1u);
}
fn g32(x: u32) -> u32 {
    return g31(x) + g31(x + 1u);
}
fn g33(x: u32) -> u32 {
    return g32(x) + g32(x + 1u);
}
fn g34(x: u32) -> u32 {
    return g33(x) + g33(x + 1u);
}
fn g35(x: u32) -> u32 {
    return g34(x) + g34(x + 1u);
}
fn g36(x: u32) -> u32 {
    return g35(x) + g35(x + 1u);
}
fn g37(x: u32) -> u32 {
    return g36(x) + g36(x + 1u);
}
fn g38(x: u32) -> u32 {
    return g37(x) + g37(x + 1u);
}
fn g39(x: u32) -> u32 {
    return g38(x) + g38(x + 1u);
}
// the tree has 2^39 leaves
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    result[0] = g39(id.x);
}
