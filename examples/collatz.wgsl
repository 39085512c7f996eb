// The number of Collatz steps from each number down to 1: n / 2 when n is even, 3n + 1 when it is odd.
// A number whose path leaves 32 bits gets 0xffffffff. Dispatch ceil(n / 64) workgroups.

@group(0) @binding(0) var<storage, read> numbers: array<u32>;
@group(0) @binding(1) var<storage, read_write> steps: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= arrayLength(&numbers)) {
        return;
    }
    var n = numbers[id.x];
    var count = 0u;
    while (n > 1u) {
        if (n % 2u == 0u) {
            n = n / 2u;
        } else if (n > 1431655764u) { // 3n + 1 would not fit
            count = 0xffffffffu;
            break;
        } else {
            n = 3u * n + 1u;
        }
        count++;
    }
    steps[id.x] = count;
}
