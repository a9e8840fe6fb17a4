/* Run encoders: the specification's examples byte for byte, and everything they write read back by our decoders. */
#include "orc/encode.h"

#include "orc/rle.h"
#include "orc/test_encode.h"
#include "orc/test_source.h"
#include "support/test.h"

static skep_orc_out open_out(const skep_ctx *ctx) {
  skep_orc_out o;
  skep_orc_out_init(&o, ctx, NULL, 0);
  return o;
}

/* ---- examples ---- */

typedef struct example {
  const char *name;
  bool is_signed;
  size_t n;
  int64_t values[32];
  size_t n_bytes;
  uint8_t bytes[32];
} example;

/* From ORC Specification v1, "Integer Run Length Encoding, version 2"; what is not from there says so. */
static const example examples[] = {
    {"short repeat", false, 5, {10000, 10000, 10000, 10000, 10000}, 3, {0x0a, 0x27, 0x10}},
    {"direct",
     false,
     4,
     {23713, 43806, 57005, 48879},
     10,
     {0x5e, 0x03, 0x5c, 0xa1, 0xab, 0x1e, 0xde, 0xad, 0xbe, 0xef}},
    {"patched base",
     false,
     20,
     {2030, 2000, 2020, 1000000, 2040, 2050, 2060, 2070, 2080, 2090,
      2100, 2110, 2120, 2130,    2140, 2150, 2160, 2170, 2180, 2190},
     28,
     {0x8e, 0x13, 0x2b, 0x21, 0x07, 0xd0, 0x1e, 0x00, 0x14, 0x70, 0x28, 0x32, 0x3c, 0x46,
      0x50, 0x5a, 0x64, 0x6e, 0x78, 0x82, 0x8c, 0x96, 0xa0, 0xaa, 0xb4, 0xbe, 0xfc, 0xe8}},
    {"delta", false, 10, {2, 3, 5, 7, 11, 13, 17, 19, 23, 29}, 8, {0xc6, 0x09, 0x02, 0x02, 0x22, 0x42, 0x42, 0x46}},
    {"fixed delta (own)", true, 4, {-2, 1, 4, 7}, 4, {0xc0, 0x03, 0x03, 0x06}},
    {"one value (own)", true, 1, {-1}, 3, {0x40, 0x00, 0x80}},
};

static void the_specifications_examples_come_out_byte_for_byte(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
    const example *x = &examples[i];
    skep_orc_out o = open_out(&ctx);
    skep_int_encoder e;
    skep_int_encoder_init(&e, &o, x->is_signed);
    skep_int_encoder_put(&e, x->values, x->n);
    skep_int_encoder_flush(&e);
    skep_bytes got = skep_orc_out_bytes(&o);
    if (got.left != x->n_bytes || memcmp(got.at, x->bytes, got.left) != 0)
      fail_msg("%s: %zu bytes, not as expected", x->name, got.left);
    skep_int_encoder_fini(&e);
    skep_orc_out_fini(&o);
  }
}

/* From ORC Specification v1, "Byte Run Length Encoding" and "Boolean Run Length Encoding". */
static void byte_and_bit_examples_come_out_byte_for_byte(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  skep_orc_out o = open_out(&ctx);
  skep_byte_encoder e;
  uint8_t zeros[100] = {0};
  skep_byte_encoder_init(&e, &o);
  skep_byte_encoder_put(&e, zeros, sizeof zeros);
  skep_byte_encoder_flush(&e);
  skep_byte_encoder_put(&e, (const uint8_t[]){0x44, 0x45}, 2);
  skep_byte_encoder_flush(&e);
  skep_bit_encoder b;
  skep_bit_encoder_init(&b, &o);
  skep_bit_encoder_put_ones(&b, 1);
  skep_bit_encoder_put(&b, zeros, 7);
  skep_bit_encoder_flush(&b);
  static const uint8_t expected[] = {0x61, 0x00, 0xfe, 0x44, 0x45, 0xff, 0x80};
  assert_int_equal(skep_orc_out_size(&o), sizeof expected);
  assert_memory_equal(skep_orc_out_bytes(&o).at, expected, sizeof expected);
  skep_orc_out_fini(&o);
}

/* ---- back through the decoders ---- */

enum { MANY = 20000 };

/* Shapes that lead into every form and over every border between them. */
static int64_t shaped(unsigned shape, size_t i, uint64_t *random) {
  uint64_t r = test_random(random);
  switch (shape) {
    case 0:
      return 7;
    case 1:
      return (int64_t)(i * 3);
    case 2:
      return (int64_t)(i / 5);
    case 3:
      return (int64_t)(r % 100);
    case 4:
      return r % 40 == 0 ? (int64_t)(r >> 20) : (int64_t)(r % 1000);
    case 5:
      return r % 50 == 0 ? (int64_t)(r >> 2) : (int64_t)(r >> 8 & 3);
    case 6:
      return (int64_t)(i * i);
    case 7:
      return r % 3 == 0 ? 5 : (int64_t)(r >> 8 & 1);
    case 8:
      return (int64_t)(r >> 1);
    case 9:
      return i % 513 == 512 ? (INT64_C(1) << 40) : (int64_t)(r & 15); /* one patch, far behind */
    case 10:
      return i % 2 == 0 ? INT64_MAX : 0;
    case 11:
      return r % 8 == 0 ? (int64_t)(r >> (r >> 8 & 63)) >> 1 : 3;
    default:
      return (int64_t)(MANY - i) * 1000003;
  }
}
enum { N_SHAPES = 13 };

static void assert_decodes(const skep_orc_out *o, bool is_signed, const int64_t *values, size_t n, unsigned shape) {
  test_source t;
  skep_orc_stream s;
  skep_rle_int r;
  skep_err err;
  static int64_t got[MANY];
  skep_bytes bytes = skep_orc_out_bytes(o);
  test_open(&t, &s, bytes.at, bytes.left, NULL, 0);
  skep_rle_int_init(&r, &s, true, is_signed);
  assert_ok(skep_rle_int_next(&r, got, n, &err), err);
  for (size_t i = 0; i < n; i++)
    if (got[i] != values[i]) fail_msg("shape %u: value %zu is %lld", shape, i, (long long)got[i]);
  assert_int_equal(skep_rle_int_next(&r, got, 1, &err), SKEP_ERR_CORRUPT); /* nothing is left */
  test_close(&t, &s);
}

static void integers_of_any_shape_come_back(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  static int64_t values[MANY];
  uint64_t random = 1;
  for (unsigned shape = 0; shape < 2 * N_SHAPES; shape++) {
    bool is_signed = shape >= N_SHAPES;
    for (size_t i = 0; i < MANY; i++) {
      values[i] = shaped(shape % N_SHAPES, i, &random);
      if (is_signed && test_random(&random) % 4 == 0) values[i] = -values[i];
      if (is_signed && shape % N_SHAPES == 8 && i % 100 == 0) values[i] = INT64_MIN;
    }
    skep_orc_out o = open_out(&ctx);
    skep_int_encoder e;
    skep_int_encoder_init(&e, &o, is_signed);
    for (size_t at = 0, n; at < MANY; at += n) { /* in pieces, as batches come */
      n = test_random(&random) % 700 + 1;
      if (n > MANY - at) n = MANY - at;
      skep_int_encoder_put(&e, values + at, n);
    }
    skep_int_encoder_flush(&e);
    assert_decodes(&o, is_signed, values, MANY, shape);
    skep_int_encoder_fini(&e);
    skep_orc_out_fini(&o);
  }
}

/* Short sequences over few values: every order of repeats and changes up to seven values. */
static void short_sequences_come_back(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  for (unsigned code = 0; code < 3 * 3 * 3 * 3 * 3 * 3 * 3; code++) {
    int64_t values[7];
    for (unsigned i = 0, c = code; i < 7; i++, c /= 3) values[i] = c % 3 * 2;
    for (size_t n = 1; n <= 7; n++) {
      skep_orc_out o = open_out(&ctx);
      skep_int_encoder e;
      skep_int_encoder_init(&e, &o, true);
      skep_int_encoder_put(&e, values, n);
      skep_int_encoder_flush(&e);
      assert_decodes(&o, true, values, n, code);
      skep_int_encoder_fini(&e);
      skep_orc_out_fini(&o);
    }
  }
}

static void bits_and_bytes_come_back_over_chunks(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_err err;
  skep_ctx_init(&ctx);
  static uint8_t bits[MANY], bitmap[MANY / 8 + 8];
  uint64_t random = 5;
  skep_orc_compressor *codec;
  skep_orc_decompressor *back;
  assert_ok(skep_orc_compressor_new(&ctx, SKEP_ORC_ZSTD, 0, &codec, &err), err);
  assert_ok(skep_orc_decompressor_new(&ctx, SKEP_ORC_ZSTD, &back, &err), err);
  for (unsigned every = 1; every < 200; every = every * 3 + 1) {
    skep_orc_out o;
    skep_orc_out_init(&o, &ctx, codec, 100);
    skep_bit_encoder e;
    skep_bit_encoder_init(&e, &o);
    for (size_t i = 0; i < MANY; i++) bits[i] = i > MANY / 2 || test_random(&random) % every == 0;
    skep_bit_encoder_put(&e, bits, MANY / 2 + 1);
    skep_bit_encoder_put_ones(&e, MANY - MANY / 2 - 1);
    skep_bit_encoder_flush(&e);
    skep_orc_out_flush(&o);
    assert_ok(skep_orc_out_check(&o, &err), err);
    test_source t;
    skep_orc_stream s;
    skep_rle_bit r;
    size_t n_set;
    test_open(&t, &s, skep_orc_out_bytes(&o).at, skep_orc_out_size(&o), back, 100);
    skep_rle_bit_init(&r, &s);
    assert_ok(skep_rle_bit_next(&r, bitmap, 0, MANY, &n_set, &err), err);
    for (size_t i = 0; i < MANY; i++) assert_int_equal(bitmap[i / 8] >> (i % 8) & 1, bits[i]);
    test_close(&t, &s);
    skep_orc_out_fini(&o);
  }
  skep_orc_compressor_free(codec);
  skep_orc_decompressor_free(back);
}

static void a_chunk_that_does_not_shrink_is_stored(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_err err;
  skep_ctx_init(&ctx);
  static const skep_orc_codec codecs[] = {SKEP_ORC_ZLIB, SKEP_ORC_SNAPPY, SKEP_ORC_LZ4, SKEP_ORC_ZSTD};
  for (unsigned i = 0; i < 4; i++) {
    skep_orc_compressor *codec;
    skep_buf out;
    skep_buf_init(&out, &ctx, 1 << 20);
    assert_ok(skep_orc_compressor_new(&ctx, codecs[i], 0, &codec, &err), err);
    skep_orc_compress_chunk(codec, (const uint8_t *)"ab\xff", 3, NULL, &out);
    assert_int_equal(out.size, 6);
    assert_memory_equal(out.data,
                        "\x07\x00\x00"
                        "ab\xff",
                        6);
    skep_orc_compressor_free(codec);
    skep_buf_fini(&out);
  }
}

static void levels_and_codecs_that_are_none_are_named(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_err err;
  skep_orc_compressor *codec;
  skep_ctx_init(&ctx);
  assert_fails(skep_orc_compressor_new(&ctx, SKEP_ORC_ZLIB, 13, &codec, &err), SKEP_ERR_ARGUMENT, err,
               "level 13 of codec zlib: 0 (its default) to 12");
  assert_fails(skep_orc_compressor_new(&ctx, SKEP_ORC_SNAPPY, 1, &codec, &err), SKEP_ERR_ARGUMENT, err, "level 1");
  assert_fails(skep_orc_compressor_new(&ctx, SKEP_ORC_LZO, 0, &codec, &err), SKEP_ERR_UNSUPPORTED, err,
               "writing with compression codec 3 (lzo)");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_specifications_examples_come_out_byte_for_byte),
      cmocka_unit_test(byte_and_bit_examples_come_out_byte_for_byte),
      cmocka_unit_test(integers_of_any_shape_come_back),
      cmocka_unit_test(short_sequences_come_back),
      cmocka_unit_test(bits_and_bytes_come_back_over_chunks),
      cmocka_unit_test(a_chunk_that_does_not_shrink_is_stored),
      cmocka_unit_test(levels_and_codecs_that_are_none_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
