// Workgroup memory of every shape, and barriers in loops, through a function too.
struct Slot { total: atomic<u32>, seen: array<atomic<i32>, 3>, mean: vec2<f32> }
var<workgroup> tile: array<array<f32, 16>, 16>;
var<workgroup> slots: array<Slot, 4>;
var<workgroup> flag: atomic<u32>;
var<workgroup> scale: f32;
var<workgroup> unused: array<u32, 64>;
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> b: array<f32>;

struct Place {
    @builtin(local_invocation_id) at: vec3<u32>,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
}

fn load(place: u32, at: vec3<u32>) {
    tile[at.y][at.x] = a[place];
    workgroupBarrier();
}

fn step(place: u32, at: vec3<u32>) -> f32 {
    var sum = 0.0;
    for (var round = 0u; round < arrayLength(&a) / 256u; round++) {
        load(place + round * 256u, at);
        for (var k = 0u; k < 16u; k++) {
            sum += tile[at.y][k];
        }
        workgroupBarrier();
    }
    return sum;
}

@compute @workgroup_size(16, 16)
fn main(place: Place) {
    let sum = step(place.index, place.at);
    atomicAdd(&slots[0].total, u32(sum));
    atomicMax(&flag, 1u);
    scale = 2.0;
    workgroupBarrier();
    b[place.group.x * 256u + place.index] = sum * scale + f32(atomicLoad(&slots[0].total));
}

@compute @workgroup_size(1)
fn other() {
    b[0] = 1.0;
}
