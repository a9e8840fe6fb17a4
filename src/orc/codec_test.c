/* Codecs: round trips with the libraries' compressors, exact and too small buffers, damage; LZO instruction by
 * instruction. */
#include "orc/test_compress.h"
#include "orc/test_source.h"

static const skep_orc_codec codecs[] = {SKEP_ORC_ZLIB, SKEP_ORC_SNAPPY, SKEP_ORC_LZO, SKEP_ORC_LZ4, SKEP_ORC_ZSTD};
enum { N_CODECS = 5 };

static skep_orc_decompressor *decompressor(const skep_ctx *ctx, skep_orc_codec codec) {
  skep_orc_decompressor *d;
  skep_err err;
  if (skep_orc_decompressor_new(ctx, codec, &d, &err) != SKEP_OK) fail_msg("%s", err.text);
  return d;
}

static void fill_text(uint8_t *out, size_t n, uint64_t *seed) {
  for (size_t i = 0; i < n; i++) out[i] = (uint8_t)("abcabcabd    xyz"[test_random(seed) % 16]);
}

static void test_every_codec_gives_back_what_was_compressed(void **state) {
  (void)state;
  static const size_t sizes[] = {1, 2, 3, 4, 17, 18, 100, 238, 239, 255, 600, 4096, 65536};
  skep_ctx ctx;
  skep_err err;
  uint64_t seed = 1;
  skep_ctx_init(&ctx);
  for (size_t k = 0; k < N_CODECS; k++) {
    skep_orc_decompressor *d = decompressor(&ctx, codecs[k]);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
      size_t n = sizes[i], size, got;
      uint8_t *in = malloc(n), *out = malloc(n);
      fill_text(in, n, &seed);
      uint8_t *body = test_compress(codecs[k], in, n, &size), *exact = malloc(size);
      memcpy(exact, body, size);
      if (skep_orc_decompress(d, exact, size, out, n, &got, &err) != SKEP_OK) fail_msg("%s", err.text);
      assert_int_equal(got, n);
      assert_memory_equal(in, out, n);
      size_t bound = skep_orc_decompress_bound(d, exact, size, 1 << 20);
      assert_true(bound >= n && bound <= 1 << 20);
      assert_int_equal(skep_orc_decompress_bound(d, exact, size, 1), 1);
      assert_int_equal(skep_orc_decompress(d, exact, size, out, n - 1, &got, &err), SKEP_ERR_CORRUPT);
      assert_int_equal(got, 0);
      free(in);
      free(out);
      free(body);
      free(exact);
    }
    skep_orc_decompressor_free(d);
  }
}

static void test_prefixes_fail_and_changed_bytes_do_no_harm(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_err err;
  uint64_t seed = 2;
  skep_ctx_init(&ctx);
  for (size_t k = 0; k < N_CODECS; k++) {
    uint8_t in[150], out[150];
    size_t size, got;
    skep_orc_decompressor *d = decompressor(&ctx, codecs[k]);
    fill_text(in, sizeof in, &seed);
    uint8_t *body = test_compress(codecs[k], in, sizeof in, &size);
    for (size_t n = 0; n < size; n++) {
      uint8_t *cut = malloc(n + 1);
      memcpy(cut, body, n);
      skep_status status = skep_orc_decompress(d, cut, n, out, sizeof out, &got, &err);
      /* An lz4 block has no end mark: a cut between two sequences is a shorter block. */
      if (status == SKEP_OK) assert_true(codecs[k] == SKEP_ORC_LZ4 && got < sizeof in);
      if (status != SKEP_OK) assert_int_equal(status, SKEP_ERR_CORRUPT);
      free(cut);
    }
    for (size_t i = 0; i < size; i++) {
      for (unsigned x = 1; x < 256; x++) {
        body[i] ^= (uint8_t)x;
        skep_status status = skep_orc_decompress(d, body, size, out, sizeof out, &got, &err);
        if (status == SKEP_OK) assert_true(got <= sizeof out);
        if (status != SKEP_OK) assert_int_equal(status, SKEP_ERR_CORRUPT);
        (void)skep_orc_decompress_bound(d, body, size, sizeof out);
        body[i] ^= (uint8_t)x;
      }
    }
    free(body);
    skep_orc_decompressor_free(d);
  }
}

static void test_messages_name_codec_and_numbers(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_err err;
  uint8_t out[8], in[100] = {0};
  size_t size, got;
  skep_ctx_init(&ctx);
  skep_orc_decompressor *d = decompressor(&ctx, SKEP_ORC_ZLIB);
  uint8_t *body = test_compress(SKEP_ORC_ZLIB, in, sizeof in, &size);
  assert_int_equal(skep_orc_decompress(d, body, size, out, sizeof out, &got, &err), SKEP_ERR_CORRUPT);
  assert_string_equal(err.text, "zlib chunk holds more than the block size of 8 bytes");
  assert_int_equal(skep_orc_decompress(d, in, 0, out, sizeof out, &got, &err), SKEP_ERR_CORRUPT);
  assert_string_equal(err.text, "zlib chunk of 0 bytes does not decompress: empty body");
  assert_int_equal(skep_orc_decompress(d, (const uint8_t *)"\xff\xff", 2, out, sizeof out, &got, NULL),
                   SKEP_ERR_CORRUPT);
  free(body);
  skep_orc_decompressor_free(d);
  assert_int_equal(skep_orc_decompressor_new(&ctx, SKEP_ORC_BROTLI, &d, &err), SKEP_ERR_UNSUPPORTED);
  assert_string_equal(err.text, "compression codec 6 (brotli)");
  assert_null(d);
  assert_int_equal(skep_orc_decompressor_new(&ctx, (skep_orc_codec)99, &d, &err), SKEP_ERR_UNSUPPORTED);
  assert_string_equal(err.text, "compression codec 99 (unknown)");
  skep_orc_decompressor_free(NULL);
}

/* ---- LZO ---- */

typedef struct lzo_case {
  const char *what, *text;
  size_t n_bytes;
  const char *bytes;
} lzo_case;

/* By hand from the description of the stream (Linux, Documentation/staging/lzo.rst). Each ends with 11 00 00. */
#define LZO(what, text, bytes) \
  { what, text, sizeof(bytes) - 1, bytes }

static const lzo_case lzo_good[] = {
    LZO("nothing", "", "\x11\0\0"),
    LZO("first run of 1 literal", "a",
        "\x12"
        "a\x11\0\0"),
    LZO("first run of 4", "abcd",
        "\x15"
        "abcd\x11\0\0"),
    LZO("run of 4, not first form", "abcd",
        "\x01"
        "abcd\x11\0\0"),
    LZO("64..127: match of 3 at 3, 1 literal", "abcabcx",
        "\x14"
        "abc"
        "\x49\x00"
        "x"
        "\x11\0\0"),
    LZO("128..255: match of 8 at 1, overlapping", "aaaaaaaaa",
        "\x12"
        "a"
        "\xe0\x00"
        "\x11\0\0"),
    {"128..255: match of 5 at 2", "abababaxy", 10,
     "\x13"
     "ab"
     "\x86\x00"
     "xy"
     "\x11\0\0" +
         0},
    LZO("32..63: match of 3 at 4, 0 literals", "abcdabc",
        "\x15"
        "abcd"
        "\x21\x0c\x00"
        "\x11\0\0"),
    LZO("32: long match of 34 at 1", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "\x12"
        "a"
        "\x20\x01\x00\x00"
        "\x11\0\0"),
    LZO("0..15 after a match with 2 literals: match of 2 at 2", "abcabcxyxy",
        "\x14"
        "abc"
        "\x4a\x00"
        "xy"
        "\x04\x00"
        "\x11\0\0"),
    LZO("two streams in one chunk", "abcdefgh",
        "\x15"
        "abcd\x11\0\0\x15"
        "efgh\x11\0\0"),
};

static const lzo_case lzo_bad[] = {
    LZO("no end", "lzo chunk: no end marker after 4 bytes of output",
        "\x15"
        "abcd"),
    LZO("literals cut", "lzo chunk: literals cut off after 0 bytes of output",
        "\x15"
        "ab"),
    LZO("too many literals", "lzo chunk: literals exceed the block size after 0 bytes of output",
        "\xff"
        "ab"),
    LZO("match before the start", "lzo chunk: match before the start after 1 bytes of output",
        "\x12"
        "a"
        "\xe4\x00"
        "\x11\0\0"),
    LZO("match with no output", "lzo chunk: match before the start after 0 bytes of output",
        "\x11\x04\x00"
        "\x11\0\0"),
    LZO("match too long", "lzo chunk: match exceeds the block size after 1 bytes of output",
        "\x12"
        "a"
        "\x20\xff\x00\x00"
        "\x11\0\0"),
    LZO("match cut", "lzo chunk: match cut off after 1 bytes of output",
        "\x12"
        "a"
        "\x80"),
    LZO("far match cut", "lzo chunk: match cut off after 1 bytes of output",
        "\x12"
        "a"
        "\x21\x00"),
    LZO("length cut", "lzo chunk: match length cut off after 1 bytes of output",
        "\x12"
        "a"
        "\x20\x00\x00"),
    LZO("literal length cut", "lzo chunk: literal length cut off after 0 bytes of output", "\x00\x00\x00"),
    LZO("end marker cut", "lzo chunk: match cut off after 0 bytes of output", "\x11\0"),
    LZO("empty", "lzo chunk: empty body after 0 bytes of output", ""),
};

static void test_lzo_instructions(void **state) {
  (void)state;
  skep_err err;
  for (size_t i = 0; i < sizeof lzo_good / sizeof lzo_good[0]; i++) {
    const lzo_case *c = &lzo_good[i];
    size_t n = strlen(c->text), got;
    uint8_t *in = malloc(c->n_bytes + 1), *out = malloc(n + 1);
    memcpy(in, c->bytes, c->n_bytes);
    if (skep_lzo_decompress(in, c->n_bytes, out, n, &got, &err) != SKEP_OK) fail_msg("%s: %s", c->what, err.text);
    if (got != n || memcmp(out, c->text, n) != 0) fail_msg("%s: %.*s", c->what, (int)got, (const char *)out);
    free(in);
    free(out);
  }
}

static void test_lzo_far_matches(void **state) {
  (void)state;
  enum { N = 60000 };
  static const struct {
    uint8_t bytes[3];
    size_t n_bytes, distance, length;
  } matches[] = {
      {{0x0c, 0x00}, 2, 2049 + 3, 3},            /* 0..15 after a literal run: 2049 + D */
      {{0x0c, 0xff}, 2, 2049 + 3 + 1020, 3},     /* + H * 4 */
      {{0x19, 0x00, 0x00}, 3, 16384 + 16384, 3}, /* 16..31 with the high bit */
      {{0x11, 0x04, 0x00}, 3, 16384 + 1, 3},
      {{0x1f, 0xfc, 0xff}, 3, 16384 + 16384 + 16383, 9},
      {{0x21, 0xfc, 0xff}, 3, 16384, 3}, /* 32..63 */
      {{0x5c, 0xff}, 2, 2048, 3},        /* 64..127 */
  };
  uint64_t seed = 3;
  uint8_t *text = malloc(N), *in = malloc(N + 1024), *out = malloc(N + 64);
  for (size_t i = 0; i < N; i++) text[i] = (uint8_t)test_random(&seed);
  for (size_t i = 0; i < sizeof matches / sizeof matches[0]; i++) {
    size_t at = test_lzo_literals(text, N, in) - 3, got;
    skep_err err;
    memcpy(in + at, matches[i].bytes, matches[i].n_bytes);
    at += matches[i].n_bytes;
    memcpy(in + at, "\x11\x00\x00", 3);
    if (skep_lzo_decompress(in, at + 3, out, N + 64, &got, &err) != SKEP_OK) fail_msg("match %zu: %s", i, err.text);
    assert_int_equal(got, N + matches[i].length);
    assert_memory_equal(out, text, N);
    assert_memory_equal(out + N, text + N - matches[i].distance, matches[i].length);
  }
  free(text);
  free(in);
  free(out);
}

static void test_lzo_damage_is_named(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof lzo_bad / sizeof lzo_bad[0]; i++) {
    const lzo_case *c = &lzo_bad[i];
    skep_err err;
    size_t got = 99;
    uint8_t *in = malloc(c->n_bytes + 1), *out = malloc(100);
    memcpy(in, c->bytes, c->n_bytes);
    assert_int_equal(skep_lzo_decompress(in, c->n_bytes, out, 100, &got, &err), SKEP_ERR_CORRUPT);
    if (strcmp(err.text, c->text) != 0) fail_msg("%s: %s", c->what, err.text);
    assert_int_equal(got, 0);
    free(in);
    free(out);
  }
}

static void test_lzo_random_bytes_stay_in_bounds(void **state) {
  (void)state;
  uint64_t seed = 4;
  for (unsigned round = 0; round < 20000; round++) {
    size_t n = 1 + test_random(&seed) % 60, capacity = test_random(&seed) % 400, got;
    skep_err err;
    uint8_t *in = malloc(n), *out = malloc(capacity + 1);
    for (size_t i = 0; i < n; i++) in[i] = (uint8_t)(test_random(&seed) & (round % 2 == 0 ? 0xff : 0x3f));
    if (skep_lzo_decompress(in, n, out, capacity, &got, &err) == SKEP_OK) assert_true(got <= capacity);
    free(in);
    free(out);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_codec_gives_back_what_was_compressed),
      cmocka_unit_test(test_prefixes_fail_and_changed_bytes_do_no_harm),
      cmocka_unit_test(test_messages_name_codec_and_numbers),
      cmocka_unit_test(test_lzo_instructions),
      cmocka_unit_test(test_lzo_far_matches),
      cmocka_unit_test(test_lzo_damage_is_named),
      cmocka_unit_test(test_lzo_random_bytes_stay_in_bounds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
