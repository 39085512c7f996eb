// ends for
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {
    var x = 40000u;
    var y = 1u;
    switch (1u) { default: { if (l % 8u == 3u) { break; } x = 1u; y = 40000u; } }
    var n = 0u;
    for (var i = 0u; i < x; i++) { n += 1u; o[1] += n; }
    for (var i = 0u; i < y; i++) { n += 1u; o[1] += n; }
    o[l + 2u] = n;
}
