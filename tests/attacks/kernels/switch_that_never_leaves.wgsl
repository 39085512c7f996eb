// ends loop
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1) fn main() {
    loop { switch (o[1023]) { case 0u: { continue; } case 1u: { return; } default: { break; } } }
}
