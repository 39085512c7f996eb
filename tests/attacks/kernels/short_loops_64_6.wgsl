// ends for
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) g: vec3<u32>) {
    for (var i0 = 0u; i0 < 64u; i0++) {
        for (var i1 = 0u; i1 < 64u; i1++) {
            for (var i2 = 0u; i2 < 64u; i2++) {
                for (var i3 = 0u; i3 < 64u; i3++) {
                    for (var i4 = 0u; i4 < 64u; i4++) {
                        for (var i5 = 0u; i5 < 64u; i5++) {
o[1] += 1u;
}}}}}}
}
