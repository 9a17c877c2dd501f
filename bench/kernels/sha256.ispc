// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ispc twin of sha256.hsail.
#include "parts.isph"

static const uniform unsigned int32 round_constants[64] = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static inline unsigned int32 rotated(unsigned int32 x, uniform int right) { return x >> right | x << (32 - right); }

// One round; the variables change their roles from round to round.
#define ROUND(a, b, c, d, e, f, g, h, i)                                                          \
  h += round_constants[pass * 16 + i] + w[i] + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + \
       ((e & f) | (~e & g));                                                                      \
  d += h;                                                                                         \
  h += (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + (((a ^ b) & c) | (~(a ^ b) & b))

#define EIGHT_ROUNDS(i)                 \
  ROUND(a, b, c, d, e, f, g, h, i);     \
  ROUND(h, a, b, c, d, e, f, g, i + 1); \
  ROUND(g, h, a, b, c, d, e, f, i + 2); \
  ROUND(f, g, h, a, b, c, d, e, i + 3); \
  ROUND(e, f, g, h, a, b, c, d, i + 4); \
  ROUND(d, e, f, g, h, a, b, c, i + 5); \
  ROUND(c, d, e, f, g, h, a, b, i + 6); \
  ROUND(b, c, d, e, f, g, h, a, i + 7)

task void sha256_part(uniform unsigned int32 out[], const uniform unsigned int32 source[], uniform int n) {
  foreach (block = part_begin(n, taskIndex, taskCount) ... part_begin(n, taskIndex + 1, taskCount)) {
    unsigned int32 w[16];
    for (uniform int i = 0; i < 16; ++i) w[i] = source[i * n + block];
    unsigned int32 a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a;
    unsigned int32 e = 0x510e527f, f = 0x9b05688c, g = 0x1f83d9ab, h = 0x5be0cd19;
    for (uniform int pass = 0; pass < 4; ++pass) {
      EIGHT_ROUNDS(0);
      EIGHT_ROUNDS(8);
      if (pass == 3) break;
      for (uniform int i = 0; i < 16; ++i) {
        const unsigned int32 x = w[(i + 1) % 16], y = w[(i + 14) % 16];
        w[i] += (rotated(x, 7) ^ rotated(x, 18) ^ (x >> 3)) + w[(i + 9) % 16] + (rotated(y, 17) ^ rotated(y, 19) ^ (y >> 10));
      }
    }
    out[block] = a + 0x6a09e667;
    out[n + block] = b + 0xbb67ae85;
    out[2 * n + block] = c + 0x3c6ef372;
    out[3 * n + block] = d + 0xa54ff53a;
    out[4 * n + block] = e + 0x510e527f;
    out[5 * n + block] = f + 0x9b05688c;
    out[6 * n + block] = g + 0x1f83d9ab;
    out[7 * n + block] = h + 0x5be0cd19;
  }
}

export void sha256_blocks(uniform unsigned int32 out[], const uniform unsigned int32 source[], uniform int n) {
  launch[tasks] sha256_part(out, source, n);
}
