/* Byte and bit runs: the specification's examples, any steps, positions, bitmaps at any offset, damage. */
#include "orc/rle.h"
#include "orc/test_encode.h"
#include "orc/test_source.h"

static void open_bytes(test_source *t, skep_orc_stream *s, skep_rle_byte *r, const void *bytes, size_t size) {
  test_open(t, s, bytes, size, NULL, 0);
  skep_rle_byte_init(r, s);
}

static void test_the_examples_of_the_specification(void **state) {
  (void)state;
  test_source t;
  skep_orc_stream s;
  skep_rle_byte r;
  skep_err err;
  uint8_t out[100], zeros[100] = {0}, bits[13] = {0};
  skep_rle_bit b;
  size_t n_set;
  open_bytes(&t, &s, &r, "\x61\x00", 2); /* 0x00 a hundred times */
  assert_int_equal(skep_rle_byte_next(&r, out, 100, &err), SKEP_OK);
  assert_memory_equal(out, zeros, 100);
  test_close(&t, &s);
  open_bytes(&t, &s, &r, "\xfe\x44\x45", 3); /* 0x44, 0x45 */
  assert_int_equal(skep_rle_byte_next(&r, out, 2, &err), SKEP_OK);
  assert_memory_equal(out, "\x44\x45", 2);
  assert_int_equal(skep_rle_byte_next(&r, out, 1, &err), SKEP_ERR_CORRUPT);
  assert_string_equal(err.text, "column 1 DATA: byte run needs 2 bytes, 0 left");
  test_close(&t, &s);
  test_open(&t, &s, "\xff\x80", 2, NULL, 0); /* true, then seven times false */
  skep_rle_bit_init(&b, &s);
  assert_int_equal(skep_rle_bit_next(&b, bits, 0, 8, &n_set, &err), SKEP_OK);
  assert_int_equal(bits[0], 0x01);
  assert_int_equal(n_set, 1);
  test_close(&t, &s);
}

/* Runs of every length 1..140 of random and of equal bytes. */
static size_t make_bytes(uint8_t *values, uint64_t *seed) {
  size_t n = 0;
  for (size_t length = 1; length <= 140; length++) {
    uint8_t same = (uint8_t)test_random(seed);
    for (size_t i = 0; i < length; i++) values[n++] = same;
    for (size_t i = 0; i < length; i++) values[n++] = (uint8_t)test_random(seed);
  }
  return n;
}

static void test_bytes_decode_in_any_steps_and_after_skips(void **state) {
  (void)state;
  static const size_t steps[] = {1, 3, 7, 128, 1000, 1 << 15};
  static uint8_t values[1 << 15], out[1 << 15];
  uint64_t seed = 5;
  size_t n = make_bytes(values, &seed);
  test_out o = {0};
  test_put_bytes(&o, values, n);
  for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
    test_source t;
    skep_orc_stream s;
    skep_rle_byte r;
    skep_err err;
    open_bytes(&t, &s, &r, o.bytes, o.size);
    for (size_t at = 0; at < n; at += steps[k]) {
      size_t take = n - at < steps[k] ? n - at : steps[k];
      if (at / steps[k] % 3 == 2) {
        assert_int_equal(skep_rle_byte_skip(&r, take, &err), SKEP_OK);
      } else {
        assert_int_equal(skep_rle_byte_next(&r, out, take, &err), SKEP_OK);
        assert_memory_equal(out, values + at, take);
      }
    }
    assert_int_equal(skep_rle_byte_skip(&r, 1, &err), SKEP_ERR_CORRUPT);
    test_close(&t, &s);
  }
  free(o.bytes);
}

static bool bit_of(const uint8_t *values, size_t i) {
  return (values[i / 8] >> (7 - i % 8) & 1) != 0;
} /* highest first */

/* n bits to a bitmap at `first`: they and nothing else change, and are counted. */
static void check_bits(skep_rle_bit *b, const uint8_t *values, size_t from, size_t first, size_t n,
                       uint8_t background) {
  skep_err err;
  size_t n_set, expected_set = 0, bytes = (first + n + 7) / 8;
  uint8_t *bitmap = malloc(bytes);
  memset(bitmap, background, bytes);
  if (skep_rle_bit_next(b, bitmap, first, n, &n_set, &err) != SKEP_OK) fail_msg("%s", err.text);
  for (size_t i = 0; i < bytes * 8; i++) {
    bool is = (bitmap[i / 8] >> (i % 8) & 1) != 0;
    bool inside = i >= first && i < first + n;
    bool should = inside ? bit_of(values, from + i - first) : (background >> (i % 8) & 1) != 0;
    if (is != should) fail_msg("bit %zu of %zu at %zu", i, n, first);
    expected_set += inside && is;
  }
  assert_int_equal(n_set, expected_set);
  free(bitmap);
}

static void test_bits_land_at_any_offset_and_leave_others_alone(void **state) {
  (void)state;
  static uint8_t values[1 << 15];
  uint64_t seed = 6;
  size_t n = make_bytes(values, &seed);
  test_out o = {0};
  test_put_bytes(&o, values, n);
  for (size_t first = 0; first < 17; first++) {
    test_source t;
    skep_orc_stream s;
    skep_rle_bit b;
    size_t at = 0;
    test_open(&t, &s, o.bytes, o.size, NULL, 0);
    skep_rle_bit_init(&b, &s);
    for (size_t step = 1; at + step <= n * 8; step = step % 97 == 0 ? 5003 : step % 5000 + 1) {
      check_bits(&b, values, at, first, step, (uint8_t)(step % 2 == 0 ? 0xff : 0));
      at += step;
    }
    test_close(&t, &s);
  }
  free(o.bytes);
}

static void test_bits_skipped_are_counted(void **state) {
  (void)state;
  static uint8_t values[1 << 15];
  uint64_t seed = 7;
  size_t n = make_bytes(values, &seed);
  test_out o = {0};
  test_put_bytes(&o, values, n);
  for (size_t to = 0; to < n * 8 - 8; to += to < 100 ? 1 : 1999) {
    test_source t;
    skep_orc_stream s;
    skep_rle_bit b;
    skep_err err;
    uint64_t n_set, expected = 0;
    test_open(&t, &s, o.bytes, o.size, NULL, 0);
    skep_rle_bit_init(&b, &s);
    for (size_t i = 0; i < to; i++) expected += bit_of(values, i);
    assert_int_equal(skep_rle_bit_skip(&b, to, &n_set, &err), SKEP_OK);
    assert_int_equal(n_set, expected);
    check_bits(&b, values, to, 3, 8, 0);
    test_close(&t, &s);
  }
  free(o.bytes);
}

/* A recorded position: byte offset of a run, bytes into it, bits into that byte. */
static void test_a_restart_at_a_recorded_bit(void **state) {
  (void)state;
  static const uint8_t bytes[] = {0xfe, 0xaa, 0x0f, 0x01, 0x81}; /* literals aa 0f, then 81 four times */
  static const uint8_t values[] = {0xaa, 0x0f, 0x81, 0x81, 0x81, 0x81};
  test_source t;
  skep_orc_stream s;
  skep_rle_bit b;
  skep_err err;
  test_open(&t, &s, bytes, sizeof bytes, NULL, 0);
  skep_rle_bit_init(&b, &s);
  for (uint32_t byte = 0; byte < 6; byte++) {
    for (uint32_t bit = 0; bit <= 8; bit++) {
      assert_int_equal(skep_orc_stream_seek(&s, 0, byte < 2 ? 0 : 3, &err), SKEP_OK);
      skep_rle_byte_restart(&b.bytes);
      assert_int_equal(skep_rle_bit_restart(&b, 0, &err), SKEP_OK);
      assert_int_equal(skep_rle_byte_skip(&b.bytes, byte < 2 ? byte : byte - 2, &err), SKEP_OK);
      if (bit > 0) { /* what restart would do after its own byte skip */
        size_t set;
        uint8_t scratch[1];
        assert_int_equal(skep_rle_bit_next(&b, scratch, 0, bit, &set, &err), SKEP_OK);
      }
      size_t left = 48 - 8 * byte - bit;
      check_bits(&b, values, 8 * byte + bit, 0, left < 5 ? left : 5, 0);
    }
  }
  assert_int_equal(skep_orc_stream_seek(&s, 0, 3, &err), SKEP_OK);
  assert_int_equal(skep_rle_bit_restart(&b, 3, &err), SKEP_OK);
  check_bits(&b, values, 16 + 3, 0, 20, 0);
  assert_int_equal(skep_orc_stream_seek(&s, 0, 5, &err), SKEP_OK); /* the end, nothing to read */
  assert_int_equal(skep_rle_bit_restart(&b, 0, &err), SKEP_OK);
  assert_int_equal(skep_rle_bit_restart(&b, 1, &err), SKEP_ERR_CORRUPT);
  assert_int_equal(skep_rle_bit_restart(&b, 9, &err), SKEP_ERR_CORRUPT);
  assert_string_equal(err.text, "column 1 DATA: position of bit 9 in a byte");
  test_close(&t, &s);
}

static void test_prefixes_fail_and_changed_bytes_do_no_harm(void **state) {
  (void)state;
  static const uint8_t bytes[] = {0xfe, 0xaa, 0x0f, 0x01, 0x81, 0xfd, 1, 2, 3};
  enum { VALUES = 2 + 4 + 3 };
  uint8_t out[1024];
  test_source t;
  skep_orc_stream s;
  skep_rle_byte r;
  skep_rle_bit b;
  skep_err err;
  for (size_t n = 0; n < sizeof bytes; n++) {
    open_bytes(&t, &s, &r, bytes, n);
    assert_int_equal(skep_rle_byte_next(&r, out, VALUES, &err), SKEP_ERR_CORRUPT);
    test_close(&t, &s);
  }
  for (size_t i = 0; i < sizeof bytes; i++) {
    for (unsigned x = 1; x < 256; x++) {
      uint8_t changed[sizeof bytes];
      size_t n_set;
      memcpy(changed, bytes, sizeof bytes);
      changed[i] ^= (uint8_t)x;
      open_bytes(&t, &s, &r, changed, sizeof changed);
      for (size_t step = 1; skep_rle_byte_next(&r, out, step, &err) == SKEP_OK; step++) continue;
      assert_int_equal(err.status, SKEP_ERR_CORRUPT);
      test_close(&t, &s);
      test_open(&t, &s, changed, sizeof changed, NULL, 0);
      skep_rle_bit_init(&b, &s);
      for (size_t step = 1; skep_rle_bit_next(&b, out, step % 7, step, &n_set, &err) == SKEP_OK; step++) continue;
      assert_int_equal(err.status, SKEP_ERR_CORRUPT);
      test_close(&t, &s);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_examples_of_the_specification),
      cmocka_unit_test(test_bytes_decode_in_any_steps_and_after_skips),
      cmocka_unit_test(test_bits_land_at_any_offset_and_leave_others_alone),
      cmocka_unit_test(test_bits_skipped_are_counted),
      cmocka_unit_test(test_a_restart_at_a_recorded_bit),
      cmocka_unit_test(test_prefixes_fail_and_changed_bytes_do_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
