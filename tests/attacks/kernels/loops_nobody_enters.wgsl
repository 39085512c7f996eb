// ends while
// on a GPU: gives 32000
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1) fn main() {
    var x = 3u;
    var y = 4u;
    while (x < 32000u) {
        x++;
        while (y > 30u) { for (var i = y; i < 3u; i++) { y = 0u; } }
    }
    o[0] = x;
}
