// kernel_limit 136:12 a chain has more than 64 'else if'
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
@compute @workgroup_size(1)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let x = result[1];
    if x == 0u {
        result[0] = 1u;
    } else if x == 1u {
        result[0] = 1u;
    } else if x == 2u {
        result[0] = 2u;
    } else if x == 3u {
        result[0] = 3u;
    } else if x == 4u {
        result[0] = 4u;
    } else if x == 5u {
        result[0] = 5u;
    } else if x == 6u {
        result[0] = 6u;
    } else if x == 7u {
        result[0] = 7u;
    } else if x == 8u {
        result[0] = 8u;
    } else if x == 9u {
        result[0] = 9u;
    } else if x == 10u {
        result[0] = 10u;
    } else if x == 11u {
        result[0] = 11u;
    } else if x == 12u {
        result[0] = 12u;
    } else if x == 13u {
        result[0] = 13u;
    } else if x == 14u {
        result[0] = 14u;
    } else if x == 15u {
        result[0] = 15u;
    } else if x == 16u {
        result[0] = 16u;
    } else if x == 17u {
        result[0] = 17u;
    } else if x == 18u {
        result[0] = 18u;
    } else if x == 19u {
        result[0] = 19u;
    } else if x == 20u {
        result[0] = 20u;
    } else if x == 21u {
        result[0] = 21u;
    } else if x == 22u {
        result[0] = 22u;
    } else if x == 23u {
        result[0] = 23u;
    } else if x == 24u {
        result[0] = 24u;
    } else if x == 25u {
        result[0] = 25u;
    } else if x == 26u {
        result[0] = 26u;
    } else if x == 27u {
        result[0] = 27u;
    } else if x == 28u {
        result[0] = 28u;
    } else if x == 29u {
        result[0] = 29u;
    } else if x == 30u {
        result[0] = 30u;
    } else if x == 31u {
        result[0] = 31u;
    } else if x == 32u {
        result[0] = 32u;
    } else if x == 33u {
        result[0] = 33u;
    } else if x == 34u {
        result[0] = 34u;
    } else if x == 35u {
        result[0] = 35u;
    } else if x == 36u {
        result[0] = 36u;
    } else if x == 37u {
        result[0] = 37u;
    } else if x == 38u {
        result[0] = 38u;
    } else if x == 39u {
        result[0] = 39u;
    } else if x == 40u {
        result[0] = 40u;
    } else if x == 41u {
        result[0] = 41u;
    } else if x == 42u {
        result[0] = 42u;
    } else if x == 43u {
        result[0] = 43u;
    } else if x == 44u {
        result[0] = 44u;
    } else if x == 45u {
        result[0] = 45u;
    } else if x == 46u {
        result[0] = 46u;
    } else if x == 47u {
        result[0] = 47u;
    } else if x == 48u {
        result[0] = 48u;
    } else if x == 49u {
        result[0] = 49u;
    } else if x == 50u {
        result[0] = 50u;
    } else if x == 51u {
        result[0] = 51u;
    } else if x == 52u {
        result[0] = 52u;
    } else if x == 53u {
        result[0] = 53u;
    } else if x == 54u {
        result[0] = 54u;
    } else if x == 55u {
        result[0] = 55u;
    } else if x == 56u {
        result[0] = 56u;
    } else if x == 57u {
        result[0] = 57u;
    } else if x == 58u {
        result[0] = 58u;
    } else if x == 59u {
        result[0] = 59u;
    } else if x == 60u {
        result[0] = 60u;
    } else if x == 61u {
        result[0] = 61u;
    } else if x == 62u {
        result[0] = 62u;
    } else if x == 63u {
        result[0] = 63u;
    } else if x == 64u {
        result[0] = 64u;
    } else if x == 65u {
        result[0] = 65u;
    } else if x == 66u {
        result[0] = 66u;
    } else if x == 67u {
        result[0] = 67u;
    } else if x == 68u {
        result[0] = 68u;
    } else if x == 69u {
        result[0] = 69u;
    }
}
