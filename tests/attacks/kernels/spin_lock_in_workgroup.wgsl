// gives 0 1024
// on a GPU: ends loop
@group(0) @binding(0) var<storage, read_write> o: array<atomic<u32>>;
@compute @workgroup_size(64) fn main() {
    loop {
        if (atomicCompareExchangeWeak(&o[0], 0u, 1u).exchanged) {
            atomicAdd(&o[1], 1u);
            atomicStore(&o[0], 0u);
            break;
        }
    }
}
