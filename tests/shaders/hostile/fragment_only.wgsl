// kernel_unsupported 2:1 @fragment entry points are not available, only @compute
@fragment
fn main() -> @location(0) vec4<f32> {
    return vec4<f32>();
}
