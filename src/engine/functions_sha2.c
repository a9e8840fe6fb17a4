/* SHA-224, SHA-384 and SHA-512 of bytes, as lower-case hexadecimal digits. DuckDB has SHA-1 and SHA-256.
 *
 * Source: FIPS 180-4. Its constants are the first bits behind the point of the cube roots (rounds) and square roots
 * (first states) of the first primes: those of the 32-bit algorithms are halves of the 64-bit ones. */
#include "engine/function.h"

/* ---- constants ---- */

static const uint64_t rounds[80] = {
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc, 0x3956c25bf348b538,
    0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118, 0xd807aa98a3030242, 0x12835b0145706fbe,
    0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2, 0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235,
    0xc19bf174cf692694, 0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5, 0x983e5152ee66dfab,
    0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4, 0xc6e00bf33da88fc2, 0xd5a79147930aa725,
    0x06ca6351e003826f, 0x142929670a0e6e70, 0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed,
    0x53380d139d95b3df, 0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30, 0xd192e819d6ef5218,
    0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8, 0x19a4c116b8d2d0c8, 0x1e376c085141ab53,
    0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8, 0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373,
    0x682e6ff3d6b2b8a3, 0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b, 0xca273eceea26619c,
    0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178, 0x06f067aa72176fba, 0x0a637dc5a2c898a6,
    0x113f9804bef90dae, 0x1b710b35131c471b, 0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc,
    0x431d67c49c100d4c, 0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817};

static const uint64_t state_512[8] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
                                      0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

static const uint64_t state_384[8] = {0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939,
                                      0x67332667ffc00b31, 0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4};

/* ---- blocks ---- */

static inline uint64_t rotate64(uint64_t x, unsigned n) { return x >> n | x << (64 - n); }
static inline uint32_t rotate32(uint32_t x, unsigned n) { return x >> n | x << (32 - n); }

static void block64(uint64_t h[8], const uint8_t *at) {
  uint64_t w[80], s[8];
  for (int i = 0; i < 16; i++) {
    w[i] = 0;
    for (int k = 0; k < 8; k++) w[i] = w[i] << 8 | at[i * 8 + k];
  }
  for (int i = 16; i < 80; i++) {
    uint64_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + (rotate64(a, 1) ^ rotate64(a, 8) ^ a >> 7) + w[i - 7] +
           (rotate64(b, 19) ^ rotate64(b, 61) ^ b >> 6);
  }
  memcpy(s, h, sizeof s);
  for (int i = 0; i < 80; i++) {
    uint64_t one = s[7] + (rotate64(s[4], 14) ^ rotate64(s[4], 18) ^ rotate64(s[4], 41)) +
                   ((s[4] & s[5]) ^ (~s[4] & s[6])) + rounds[i] + w[i];
    uint64_t two = (rotate64(s[0], 28) ^ rotate64(s[0], 34) ^ rotate64(s[0], 39)) +
                   ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    memmove(s + 1, s, 7 * sizeof *s);
    s[4] += one;
    s[0] = one + two;
  }
  for (int i = 0; i < 8; i++) h[i] += s[i];
}

/* The words are the low halves of `h`. */
static void block32(uint64_t h[8], const uint8_t *at) {
  uint32_t w[64], s[8];
  for (int i = 0; i < 16; i++) {
    w[i] = 0;
    for (int k = 0; k < 4; k++) w[i] = w[i] << 8 | at[i * 4 + k];
  }
  for (int i = 16; i < 64; i++) {
    uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + (rotate32(a, 7) ^ rotate32(a, 18) ^ a >> 3) + w[i - 7] +
           (rotate32(b, 17) ^ rotate32(b, 19) ^ b >> 10);
  }
  for (int i = 0; i < 8; i++) s[i] = (uint32_t)h[i];
  for (int i = 0; i < 64; i++) {
    uint32_t one = s[7] + (rotate32(s[4], 6) ^ rotate32(s[4], 11) ^ rotate32(s[4], 25)) +
                   ((s[4] & s[5]) ^ (~s[4] & s[6])) + (uint32_t)(rounds[i] >> 32) + w[i];
    uint32_t two =
        (rotate32(s[0], 2) ^ rotate32(s[0], 13) ^ rotate32(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    memmove(s + 1, s, 7 * sizeof *s);
    s[4] += one;
    s[0] = one + two;
  }
  for (int i = 0; i < 8; i++) h[i] = (uint32_t)((uint32_t)h[i] + s[i]);
}

/* ---- digests ---- */

typedef struct sha2 {
  const uint64_t *state;
  bool is_wide; /* blocks of 128 bytes and words of 64 bits, else half of both */
  unsigned n_digits;
} sha2;

/* The rest, a bit, zeroes, and the length in bits at the end of a block. */
static void finish(const sha2 *how, uint64_t h[8], const uint8_t *rest, size_t left, uint64_t length) {
  uint8_t tail[256] = {0};
  size_t block = how->is_wide ? 128 : 64, room = how->is_wide ? 16 : 8;
  size_t n = left + 1 + room <= block ? block : 2 * block;
  if (left != 0) memcpy(tail, rest, left);
  tail[left] = 0x80;
  uint64_t high = length >> 61, low = length << 3;
  for (unsigned i = 0; i < 8; i++) tail[n - 1 - i] = (uint8_t)(low >> (8 * i));
  if (how->is_wide) tail[n - 9] = (uint8_t)high;
  for (size_t at = 0; at < n; at += block) (how->is_wide ? block64 : block32)(h, tail + at);
}

static skep_status digest(skep_call *c, skep_err *err) {
  static const char hex[] = "0123456789abcdef";
  const sha2 *how = c->function->extra;
  size_t block = how->is_wide ? 128 : 64;
  unsigned per_word = how->is_wide ? 16 : 8;
  (void)err;
  for (int64_t i = 0; i < c->n; i++) {
    if (!skep_row_valid(c, i)) continue;
    skep_bytes s = skep_arg_bytes(c, 0, i);
    uint64_t h[8], length = s.left;
    char out[128];
    for (int k = 0; k < 8; k++) h[k] = how->is_wide ? how->state[k] : (uint32_t)how->state[k];
    for (; s.left >= block; s.at += block, s.left -= block) (how->is_wide ? block64 : block32)(h, s.at);
    finish(how, h, s.at, s.left, length);
    for (unsigned k = 0; k < how->n_digits; k++)
      out[k] = hex[h[k / per_word] >> (4 * (per_word - 1 - k % per_word)) & 15];
    skep_call_put_bytes(c, i, out, how->n_digits);
  }
  return SKEP_OK;
}

static const sha2 sha_224 = {state_384, false, 56}, sha_384 = {state_384, true, 96}, sha_512 = {state_512, true, 128};

const skep_function skep_functions_sha2[] = {
    {.name = "skep_sha2_224", .args = "x", .result = 'v', .body = digest, .extra = &sha_224},
    {.name = "skep_sha2_224", .args = "v", .result = 'v', .body = digest, .extra = &sha_224},
    {.name = "skep_sha2_384", .args = "x", .result = 'v', .body = digest, .extra = &sha_384},
    {.name = "skep_sha2_384", .args = "v", .result = 'v', .body = digest, .extra = &sha_384},
    {.name = "skep_sha2_512", .args = "x", .result = 'v', .body = digest, .extra = &sha_512},
    {.name = "skep_sha2_512", .args = "v", .result = 'v', .body = digest, .extra = &sha_512},
    {.name = NULL},
};
