// kernel_limit 99:8 types nest deeper than 32
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
struct S0 {
    a: u32,
}
struct S1 {
    a: S0,
}
struct S2 {
    a: S1,
}
struct S3 {
    a: S2,
}
struct S4 {
    a: S3,
}
struct S5 {
    a: S4,
}
struct S6 {
    a: S5,
}
struct S7 {
    a: S6,
}
struct S8 {
    a: S7,
}
struct S9 {
    a: S8,
}
struct S10 {
    a: S9,
}
struct S11 {
    a: S10,
}
struct S12 {
    a: S11,
}
struct S13 {
    a: S12,
}
struct S14 {
    a: S13,
}
struct S15 {
    a: S14,
}
struct S16 {
    a: S15,
}
struct S17 {
    a: S16,
}
struct S18 {
    a: S17,
}
struct S19 {
    a: S18,
}
struct S20 {
    a: S19,
}
struct S21 {
    a: S20,
}
struct S22 {
    a: S21,
}
struct S23 {
    a: S22,
}
struct S24 {
    a: S23,
}
struct S25 {
    a: S24,
}
struct S26 {
    a: S25,
}
struct S27 {
    a: S26,
}
struct S28 {
    a: S27,
}
struct S29 {
    a: S28,
}
struct S30 {
    a: S29,
}
struct S31 {
    a: S30,
}
struct S32 {
    a: S31,
}
struct S33 {
    a: S32,
}
struct S34 {
    a: S33,
}
struct S35 {
    a: S34,
}
struct S36 {
    a: S35,
}
struct S37 {
    a: S36,
}
struct S38 {
    a: S37,
}
struct S39 {
    a: S38,
}
struct S40 {
    a: S39,
}
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var z: S40;
    result[0] = 1u;
}
