/* Blocks without matches: an inflater of others makes the input of them again, and they are as small as codes can be.
 */
#include "orc/literals.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "orc/compress.h"
#include "support/test.h"

enum { MOST = 1 << 18 };

/* A kind of bytes: `n` values, each half (or three quarters, ...) as common as the one before. */
typedef struct kind {
  const char *name;
  size_t size;
  unsigned n_values, common_of_16; /* of 16 bytes so many are the value in turn, else go on to the next */
} kind;

static const kind kinds[] = {
    {"nothing", 0, 1, 0},
    {"one byte", 1, 1, 0},
    {"one value", 1000, 1, 0},
    {"two values", 1000, 2, 8},
    {"all values alike", MOST, 256, 0},
    {"a few values", 4099, 16, 4},
    {"halves", MOST, 64, 8},
    {"steep", MOST, 256, 15},
    {"flat", MOST, 200, 1},
    {"odd size", MOST - 3, 256, 2},
};

static uint32_t next_random(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 33);
}

static void fill(const kind *k, uint8_t *out) {
  uint64_t state = 7;
  for (size_t i = 0; i < k->size; i++) {
    unsigned v = 0;
    while (k->common_of_16 != 0 && v + 1 < k->n_values && next_random(&state) % 16 >= k->common_of_16) v++;
    if (k->common_of_16 == 0) v = next_random(&state) % k->n_values;
    out[i] = (uint8_t)(v * 37 + 11);
  }
}

static void inflated_bytes_are_the_input(void **unused) {
  (void)unused;
  uint8_t *in = malloc(MOST), *packed = malloc(2 * MOST), *back = malloc(MOST);
  struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    const kind *k = &kinds[i];
    skep_literals l;
    uint32_t counts[256];
    size_t used, n;
    fill(k, in);
    skep_literals_count(in, k->size, counts);
    size_t planned = skep_literals_plan(&l, counts);
    assert_true(planned < 2 * MOST - SKEP_LITERALS_SLACK);
    packed[planned] = 0xa5; /* what is behind may be written to, but is not counted */
    assert_int_equal(skep_literals_write(&l, in, k->size, packed), planned);
    if (libdeflate_deflate_decompress_ex(d, packed, planned, back, MOST, &used, &n) != LIBDEFLATE_SUCCESS)
      fail_msg("%s: is not read", k->name);
    assert_int_equal(used, planned);
    assert_int_equal(n, k->size);
    assert_memory_equal(back, in, n);
  }
  libdeflate_free_decompressor(d);
  free(in);
  free(packed);
  free(back);
}

/* Counts as Fibonacci numbers make the deepest of trees: codes stay below 15 bits, and the set stays whole. */
static void deep_trees_are_cut(void **unused) {
  (void)unused;
  skep_literals l;
  uint32_t counts[256] = {0}, a = 1, b = 1;
  uint64_t taken = 0;
  for (int i = 0; i < 40; i++) {
    counts[i * 5] = a;
    uint32_t sum = a + b;
    a = b;
    b = sum;
  }
  skep_literals_plan(&l, counts);
  for (int i = 0; i < SKEP_LITERALS_SYMBOLS; i++) {
    assert_true(l.lengths[i] <= 14);
    if (l.lengths[i] != 0) taken += UINT64_C(1) << (14 - l.lengths[i]);
  }
  assert_int_equal(taken, 1 << 14);
}

/* RFC 1951, 3.2.2: its example of eight symbols with counts that give the lengths 3, 3, 3, 3, 3, 2, 4, 4 has the codes
 * 010 011 100 101 110 00 1110 1111, here with the first bit lowest. The end of the block is the last of four bits. */
static void codes_are_those_of_the_specification(void **unused) {
  (void)unused;
  static const uint8_t lengths[] = {3, 3, 3, 3, 3, 2, 4};
  static const uint16_t codes[] = {2, 6, 1, 5, 3, 0, 7};
  static const uint32_t common[] = {4, 4, 4, 4, 4, 8, 2};
  skep_literals l;
  uint32_t counts[256] = {0};
  for (int i = 0; i < 7; i++) counts['A' + i] = common[i];
  skep_literals_plan(&l, counts);
  for (int i = 0; i < 7; i++) {
    assert_int_equal(l.lengths['A' + i], lengths[i]);
    assert_int_equal(l.codes['A' + i], codes[i]);
  }
  assert_int_equal(l.lengths[256], 4);
  assert_int_equal(l.codes[256], 15);
}

static void put_chunk(skep_orc_compressor *c, const uint8_t *in, size_t size, skep_orc_chunk_kind *stream,
                      skep_buf *out, size_t *added) {
  size_t before = out->size;
  skep_orc_compress_chunk(c, in, size, stream, out);
  assert_int_equal(out->status, SKEP_OK);
  *added = out->size - before;
}

/* Chunks of packed numbers, then of text, then of noise, in one stream: none gets much larger than by itself. */
static void a_stream_that_changes_its_kind_is_packed_well(void **unused) {
  (void)unused;
  enum { SIZE = 1 << 16, CHUNKS = 24 };
  skep_ctx ctx;
  skep_orc_chunk_kind stream = {0};
  skep_orc_compressor *c = NULL;
  skep_err err;
  skep_buf out, alone;
  uint64_t state = 3;
  uint8_t *in = malloc(SIZE);
  skep_ctx_init(&ctx);
  skep_buf_init(&out, &ctx, SIZE_MAX / 4);
  skep_buf_init(&alone, &ctx, SIZE_MAX / 4);
  assert_int_equal(skep_orc_compressor_new(&ctx, SKEP_ORC_ZLIB, 0, &c, &err), SKEP_OK);
  for (int i = 0; i < 3 * CHUNKS; i++) {
    size_t n, best;
    for (size_t b = 0; b < SIZE; b++) {
      uint32_t r = next_random(&state);
      if (i / CHUNKS == 0) in[b] = (uint8_t)(b % 3 == 0 ? r % 16 : r % 200);
      if (i / CHUNKS == 1) in[b] = (uint8_t) "the same words again and again"[(b + r % 64 / 63) % 30];
      if (i / CHUNKS == 2) in[b] = (uint8_t)r;
    }
    put_chunk(c, in, SIZE, &stream, &out, &n);
    put_chunk(c, in, SIZE, NULL, &alone, &best);
    if (n > best + best / 50) fail_msg("chunk %d: %zu bytes, with matches %zu", i, n, best);
  }
  skep_orc_compressor_free(c);
  skep_buf_fini(&out);
  skep_buf_fini(&alone);
  free(in);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(inflated_bytes_are_the_input),
      cmocka_unit_test(deep_trees_are_cut),
      cmocka_unit_test(codes_are_those_of_the_specification),
      cmocka_unit_test(a_stream_that_changes_its_kind_is_packed_well),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
