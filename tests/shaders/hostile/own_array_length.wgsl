// kernel_unsupported 2:4 'arrayLength' is a name of WGSL and cannot be declared anew
fn arrayLength(x: ptr<function, u32>) -> u32 { *x = 1u; return 2u; }
@compute @workgroup_size(1)
fn main() { var x = 1u; _ = arrayLength(&x); }
