// kernel_limit 52:5 brackets nest deeper than 48
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
for (var i0 = 0u; i0 < 2u; i0++) {
for (var i1 = 0u; i1 < 2u; i1++) {
for (var i2 = 0u; i2 < 2u; i2++) {
for (var i3 = 0u; i3 < 2u; i3++) {
for (var i4 = 0u; i4 < 2u; i4++) {
for (var i5 = 0u; i5 < 2u; i5++) {
for (var i6 = 0u; i6 < 2u; i6++) {
for (var i7 = 0u; i7 < 2u; i7++) {
for (var i8 = 0u; i8 < 2u; i8++) {
for (var i9 = 0u; i9 < 2u; i9++) {
for (var i10 = 0u; i10 < 2u; i10++) {
for (var i11 = 0u; i11 < 2u; i11++) {
for (var i12 = 0u; i12 < 2u; i12++) {
for (var i13 = 0u; i13 < 2u; i13++) {
for (var i14 = 0u; i14 < 2u; i14++) {
for (var i15 = 0u; i15 < 2u; i15++) {
for (var i16 = 0u; i16 < 2u; i16++) {
for (var i17 = 0u; i17 < 2u; i17++) {
for (var i18 = 0u; i18 < 2u; i18++) {
for (var i19 = 0u; i19 < 2u; i19++) {
for (var i20 = 0u; i20 < 2u; i20++) {
for (var i21 = 0u; i21 < 2u; i21++) {
for (var i22 = 0u; i22 < 2u; i22++) {
for (var i23 = 0u; i23 < 2u; i23++) {
for (var i24 = 0u; i24 < 2u; i24++) {
for (var i25 = 0u; i25 < 2u; i25++) {
for (var i26 = 0u; i26 < 2u; i26++) {
for (var i27 = 0u; i27 < 2u; i27++) {
for (var i28 = 0u; i28 < 2u; i28++) {
for (var i29 = 0u; i29 < 2u; i29++) {
for (var i30 = 0u; i30 < 2u; i30++) {
for (var i31 = 0u; i31 < 2u; i31++) {
for (var i32 = 0u; i32 < 2u; i32++) {
for (var i33 = 0u; i33 < 2u; i33++) {
for (var i34 = 0u; i34 < 2u; i34++) {
for (var i35 = 0u; i35 < 2u; i35++) {
for (var i36 = 0u; i36 < 2u; i36++) {
for (var i37 = 0u; i37 < 2u; i37++) {
for (var i38 = 0u; i38 < 2u; i38++) {
for (var i39 = 0u; i39 < 2u; i39++) {
for (var i40 = 0u; i40 < 2u; i40++) {
for (var i41 = 0u; i41 < 2u; i41++) {
for (var i42 = 0u; i42 < 2u; i42++) {
for (var i43 = 0u; i43 < 2u; i43++) {
for (var i44 = 0u; i44 < 2u; i44++) {
for (var i45 = 0u; i45 < 2u; i45++) {
for (var i46 = 0u; i46 < 2u; i46++) {
for (var i47 = 0u; i47 < 2u; i47++) {
for (var i48 = 0u; i48 < 2u; i48++) {
for (var i49 = 0u; i49 < 2u; i49++) {
for (var i50 = 0u; i50 < 2u; i50++) {
for (var i51 = 0u; i51 < 2u; i51++) {
for (var i52 = 0u; i52 < 2u; i52++) {
for (var i53 = 0u; i53 < 2u; i53++) {
for (var i54 = 0u; i54 < 2u; i54++) {
for (var i55 = 0u; i55 < 2u; i55++) {
for (var i56 = 0u; i56 < 2u; i56++) {
for (var i57 = 0u; i57 < 2u; i57++) {
for (var i58 = 0u; i58 < 2u; i58++) {
for (var i59 = 0u; i59 < 2u; i59++) {
result[0] += 1u;
}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}
}
