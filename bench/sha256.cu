// SHA-256 of many messages by the algorithm of examples/sha256.wgsl: one thread a message, words read through offsets,
// rounds unrolled in registers. Prints the median milliseconds of a launch, then the first digest.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

__constant__ uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__device__ __forceinline__ uint32_t rotate(uint32_t x, int n) { return __funnelshift_r(x, x, n); }

__device__ __forceinline__ uint32_t word(const uint32_t* messages, uint32_t start, uint32_t length, uint32_t at) {
    uint32_t byte = start + at, shift = (byte & 3) * 8;
    uint32_t x = (messages[byte >> 2] >> shift) | ((messages[(byte >> 2) + 1] << (31 - shift)) << 1);
    uint32_t text = __byte_perm(x, 0, 0x0123);
    uint32_t most = min(max(length, at), at + 4), unused = 8 * (at + 4 - most);
    if (unused == 0 || at > length) return at > length ? 0 : text;
    uint32_t end = 0x80u << (unused - 8);
    return (text & ~(2 * end - 1)) | end;
}

__global__ void sha256(const uint32_t* messages, const uint32_t* offsets, uint32_t* digests, uint32_t count) {
    uint32_t message = blockIdx.x * blockDim.x + threadIdx.x;
    if (message >= count) return;
    uint32_t start = offsets[message], length = offsets[message + 1] - start, blocks = (length + 8) / 64 + 1;
    uint32_t h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    for (uint32_t block = 0; block < blocks; block++) {
        uint32_t w[16], s[8];
#pragma unroll
        for (int i = 0; i < 16; i++) w[i] = word(messages, start, length, block * 64 + 4 * i);
        if (block + 1 == blocks) {
            w[14] = length >> 29;
            w[15] = length << 3;
        }
#pragma unroll
        for (int i = 0; i < 8; i++) s[i] = h[i];
#pragma unroll
        for (int i = 0; i < 64; i++) {
            uint32_t e = s[4], a = s[0];
            uint32_t t1 = s[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + (s[6] ^ (e & (s[5] ^ s[6]))) + K[i] + w[i & 15];
            uint32_t t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + (s[1] ^ ((s[1] ^ s[2]) & (a ^ s[1])));
            if (i < 48) {
                uint32_t x = w[(i + 1) & 15], y = w[(i + 14) & 15];
                w[i & 15] += (rotate(x, 7) ^ rotate(x, 18) ^ (x >> 3)) + w[(i + 9) & 15] + (rotate(y, 17) ^ rotate(y, 19) ^ (y >> 10));
            }
            s[7] = s[6], s[6] = s[5], s[5] = e, s[4] = s[3] + t1, s[3] = s[2], s[2] = s[1], s[1] = a, s[0] = t1 + t2;
        }
#pragma unroll
        for (int i = 0; i < 8; i++) h[i] += s[i];
    }
#pragma unroll
    for (int i = 0; i < 8; i++) digests[message * 8 + i] = h[i];
}

#define CHECK(call) if ((call) != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(cudaGetLastError())); return 1; }

int main(int argc, char** argv) {
    if (argc != 5) return 2;
    uint32_t count = atoi(argv[1]), length = atoi(argv[2]), threads = atoi(argv[3]), rounds = atoi(argv[4]);
    size_t words = (size_t)count * length / 4 + 1;
    std::vector<uint32_t> text(words), offsets(count + 1);
    uint32_t x = 1;
    for (auto& each : text) each = x = x * 1664525u + 1013904223u;
    for (uint32_t i = 0; i <= count; i++) offsets[i] = i * length;
    uint32_t *messages, *starts, *digests, first[8];
    CHECK(cudaMalloc(&messages, words * 4));
    CHECK(cudaMalloc(&starts, offsets.size() * 4));
    CHECK(cudaMalloc(&digests, (size_t)count * 32));
    CHECK(cudaMemcpy(messages, text.data(), words * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(starts, offsets.data(), offsets.size() * 4, cudaMemcpyHostToDevice));
    cudaEvent_t from, to;
    CHECK(cudaEventCreate(&from));
    CHECK(cudaEventCreate(&to));
    std::vector<float> times;
    for (uint32_t round = 0; round < rounds + 3; round++) {
        CHECK(cudaEventRecord(from));
        for (int i = 0; i < 16; i++) sha256<<<(count + threads - 1) / threads, threads>>>(messages, starts, digests, count);
        CHECK(cudaEventRecord(to));
        CHECK(cudaEventSynchronize(to));
        float ms;
        CHECK(cudaEventElapsedTime(&ms, from, to));
        if (round >= 3) times.push_back(ms / 16);
    }
    std::sort(times.begin(), times.end());
    CHECK(cudaMemcpy(first, digests, 32, cudaMemcpyDeviceToHost));
    printf("%.6f ", times[times.size() / 2]);
    for (auto each : first) printf("%08x", each);
    printf("\n");
}
