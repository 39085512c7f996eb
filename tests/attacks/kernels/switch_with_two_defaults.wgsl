// refused kernel_compile
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1) fn main() {
    switch (o[1]) { default: { } default: { } }
}
