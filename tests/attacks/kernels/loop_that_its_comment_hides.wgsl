// ends for
@group(0) @binding(0) var<storage, read_write> o: array<u32>;
@compute @workgroup_size(1) fn main() {
    /* } */ for/* ( */(;/**/;)/* { */{ o[1]++; /* break; */ }
}
