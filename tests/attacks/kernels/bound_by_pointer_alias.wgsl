// ends for
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
alias Place = ptr<function, vec2<u32>>;
fn f(p: Place) {
    for (var i = 0u; i < p.x; i++) { (*p).x += 2u; o[0]++; }
}
@compute @workgroup_size(1) fn main() { var v = vec2<u32>(5u); f(&v); }
