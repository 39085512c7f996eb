// kernel_limit 12:12 a value of 1024 elements is written out; the limit is 512
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
const a0 = array(1u, 2u);
const a1 = array(a0, a0);
const a2 = array(a1, a1);
const a3 = array(a2, a2);
const a4 = array(a3, a3);
const a5 = array(a4, a4);
const a6 = array(a5, a5);
const a7 = array(a6, a6);
const a8 = array(a7, a7);
const a9 = array(a8, a8);
const a10 = array(a9, a9);
const a11 = array(a10, a10);
const a12 = array(a11, a11);
const a13 = array(a12, a12);
const a14 = array(a13, a13);
const a15 = array(a14, a14);
const a16 = array(a15, a15);
const a17 = array(a16, a16);
const a18 = array(a17, a17);
const a19 = array(a18, a18);
const a20 = array(a19, a19);
@compute @workgroup_size(1)
fn main() {
    o[0] = a20[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0];
}
