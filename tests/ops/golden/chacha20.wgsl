// kernel chacha20
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read> key: array<u32>;
@group(0) @binding(2) var<storage, read> nonce: array<u32>;
@group(0) @binding(3) var<storage, read_write> y: array<u32>;

struct Params {
    count: u32,
    total: u32,
    counter: u32,
    first_thread: u32,
}

@group(0) @binding(4) var<uniform> params: Params;

// A block of sixteen words.
fn run(thread: u32) {
    let s0 = 0x61707865u;
    var v0 = s0;
    let s1 = 0x3320646eu;
    var v1 = s1;
    let s2 = 0x79622d32u;
    var v2 = s2;
    let s3 = 0x6b206574u;
    var v3 = s3;
    let s4 = key[0u];
    var v4 = s4;
    let s5 = key[1u];
    var v5 = s5;
    let s6 = key[2u];
    var v6 = s6;
    let s7 = key[3u];
    var v7 = s7;
    let s8 = key[4u];
    var v8 = s8;
    let s9 = key[5u];
    var v9 = s9;
    let s10 = key[6u];
    var v10 = s10;
    let s11 = key[7u];
    var v11 = s11;
    let s12 = params.counter + thread;
    var v12 = s12;
    let s13 = nonce[0u];
    var v13 = s13;
    let s14 = nonce[1u];
    var v14 = s14;
    let s15 = nonce[2u];
    var v15 = s15;
    var turn = 0u;
    loop {
        v0 += v4;
        v12 ^= v0;
        v12 = (v12 << 16u) | (v12 >> 16u);
        v8 += v12;
        v4 ^= v8;
        v4 = (v4 << 12u) | (v4 >> 20u);
        v0 += v4;
        v12 ^= v0;
        v12 = (v12 << 8u) | (v12 >> 24u);
        v8 += v12;
        v4 ^= v8;
        v4 = (v4 << 7u) | (v4 >> 25u);
        v1 += v5;
        v13 ^= v1;
        v13 = (v13 << 16u) | (v13 >> 16u);
        v9 += v13;
        v5 ^= v9;
        v5 = (v5 << 12u) | (v5 >> 20u);
        v1 += v5;
        v13 ^= v1;
        v13 = (v13 << 8u) | (v13 >> 24u);
        v9 += v13;
        v5 ^= v9;
        v5 = (v5 << 7u) | (v5 >> 25u);
        v2 += v6;
        v14 ^= v2;
        v14 = (v14 << 16u) | (v14 >> 16u);
        v10 += v14;
        v6 ^= v10;
        v6 = (v6 << 12u) | (v6 >> 20u);
        v2 += v6;
        v14 ^= v2;
        v14 = (v14 << 8u) | (v14 >> 24u);
        v10 += v14;
        v6 ^= v10;
        v6 = (v6 << 7u) | (v6 >> 25u);
        v3 += v7;
        v15 ^= v3;
        v15 = (v15 << 16u) | (v15 >> 16u);
        v11 += v15;
        v7 ^= v11;
        v7 = (v7 << 12u) | (v7 >> 20u);
        v3 += v7;
        v15 ^= v3;
        v15 = (v15 << 8u) | (v15 >> 24u);
        v11 += v15;
        v7 ^= v11;
        v7 = (v7 << 7u) | (v7 >> 25u);
        v0 += v5;
        v15 ^= v0;
        v15 = (v15 << 16u) | (v15 >> 16u);
        v10 += v15;
        v5 ^= v10;
        v5 = (v5 << 12u) | (v5 >> 20u);
        v0 += v5;
        v15 ^= v0;
        v15 = (v15 << 8u) | (v15 >> 24u);
        v10 += v15;
        v5 ^= v10;
        v5 = (v5 << 7u) | (v5 >> 25u);
        v1 += v6;
        v12 ^= v1;
        v12 = (v12 << 16u) | (v12 >> 16u);
        v11 += v12;
        v6 ^= v11;
        v6 = (v6 << 12u) | (v6 >> 20u);
        v1 += v6;
        v12 ^= v1;
        v12 = (v12 << 8u) | (v12 >> 24u);
        v11 += v12;
        v6 ^= v11;
        v6 = (v6 << 7u) | (v6 >> 25u);
        v2 += v7;
        v13 ^= v2;
        v13 = (v13 << 16u) | (v13 >> 16u);
        v8 += v13;
        v7 ^= v8;
        v7 = (v7 << 12u) | (v7 >> 20u);
        v2 += v7;
        v13 ^= v2;
        v13 = (v13 << 8u) | (v13 >> 24u);
        v8 += v13;
        v7 ^= v8;
        v7 = (v7 << 7u) | (v7 >> 25u);
        v3 += v4;
        v14 ^= v3;
        v14 = (v14 << 16u) | (v14 >> 16u);
        v9 += v14;
        v4 ^= v9;
        v4 = (v4 << 12u) | (v4 >> 20u);
        v3 += v4;
        v14 ^= v3;
        v14 = (v14 << 8u) | (v14 >> 24u);
        v9 += v14;
        v4 ^= v9;
        v4 = (v4 << 7u) | (v4 >> 25u);
        turn++;
        if (turn == 10u) {
            break;
        }
    }
    if (thread * 16u + 0u < params.total) {
        y[thread * 16u + 0u] = x[thread * 16u + 0u] ^ (v0 + s0);
    }
    if (thread * 16u + 1u < params.total) {
        y[thread * 16u + 1u] = x[thread * 16u + 1u] ^ (v1 + s1);
    }
    if (thread * 16u + 2u < params.total) {
        y[thread * 16u + 2u] = x[thread * 16u + 2u] ^ (v2 + s2);
    }
    if (thread * 16u + 3u < params.total) {
        y[thread * 16u + 3u] = x[thread * 16u + 3u] ^ (v3 + s3);
    }
    if (thread * 16u + 4u < params.total) {
        y[thread * 16u + 4u] = x[thread * 16u + 4u] ^ (v4 + s4);
    }
    if (thread * 16u + 5u < params.total) {
        y[thread * 16u + 5u] = x[thread * 16u + 5u] ^ (v5 + s5);
    }
    if (thread * 16u + 6u < params.total) {
        y[thread * 16u + 6u] = x[thread * 16u + 6u] ^ (v6 + s6);
    }
    if (thread * 16u + 7u < params.total) {
        y[thread * 16u + 7u] = x[thread * 16u + 7u] ^ (v7 + s7);
    }
    if (thread * 16u + 8u < params.total) {
        y[thread * 16u + 8u] = x[thread * 16u + 8u] ^ (v8 + s8);
    }
    if (thread * 16u + 9u < params.total) {
        y[thread * 16u + 9u] = x[thread * 16u + 9u] ^ (v9 + s9);
    }
    if (thread * 16u + 10u < params.total) {
        y[thread * 16u + 10u] = x[thread * 16u + 10u] ^ (v10 + s10);
    }
    if (thread * 16u + 11u < params.total) {
        y[thread * 16u + 11u] = x[thread * 16u + 11u] ^ (v11 + s11);
    }
    if (thread * 16u + 12u < params.total) {
        y[thread * 16u + 12u] = x[thread * 16u + 12u] ^ (v12 + s12);
    }
    if (thread * 16u + 13u < params.total) {
        y[thread * 16u + 13u] = x[thread * 16u + 13u] ^ (v13 + s13);
    }
    if (thread * 16u + 14u < params.total) {
        y[thread * 16u + 14u] = x[thread * 16u + 14u] ^ (v14 + s14);
    }
    if (thread * 16u + 15u < params.total) {
        y[thread * 16u + 15u] = x[thread * 16u + 15u] ^ (v15 + s15);
    }
}

@compute @workgroup_size(64, 1, 1)
fn main(
    @builtin(global_invocation_id) gid: vec3<u32>,
    @builtin(local_invocation_id) lid: vec3<u32>,
    @builtin(workgroup_id) wid: vec3<u32>,
    @builtin(num_workgroups) nwg: vec3<u32>,
) {
    let thread = (wid.x + wid.y * nwg.x) * 64u + lid.x + params.first_thread;
    if thread < params.count {
        run(thread);
    }
}
