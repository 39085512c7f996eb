// gives 2 0
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1) fn main() {
    let a = o[9];
    let b = 3u;
    let c = 1u;
    let d = 2u;
    o[0] = select(1u, 2u, a<b);
    o[1] = u32((a<b) == (c>(d)));
}
