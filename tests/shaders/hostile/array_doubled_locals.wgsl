// kernel_limit 14:14 a value of 1024 elements is written out; the limit is 512
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1)
fn main() {
    let a0 = array(o[1], 2u);
    let a1 = array(a0, a0);
    let a2 = array(a1, a1);
    let a3 = array(a2, a2);
    let a4 = array(a3, a3);
    let a5 = array(a4, a4);
    let a6 = array(a5, a5);
    let a7 = array(a6, a6);
    let a8 = array(a7, a7);
    let a9 = array(a8, a8);
    let a10 = array(a9, a9);
    let a11 = array(a10, a10);
    let a12 = array(a11, a11);
    let a13 = array(a12, a12);
    let a14 = array(a13, a13);
    o[0] = a14[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0];
}
