/* Varints of decimals: values of every length in both widths, limits, cuts. */
#include "orc/varint.h"
#include "orc/rle.h"
#include "orc/test_encode.h"
#include "orc/test_source.h"

enum { N = 6000 };

static unsigned __int128 zigzag_128(__int128 v) { return (unsigned __int128)v << 1 ^ (unsigned __int128)(v >> 127); }

/* Stretches of short values, then of all lengths mixed: blocks and single values alternate in the decoder. */
static __int128 random_value(size_t i, uint32_t max_bits, uint64_t *seed) {
  uint32_t bits = i / 500 % 2 == 0 ? 1 + (uint32_t)(i / 500) % 13 : 1 + (uint32_t)(test_random(seed) % max_bits);
  __int128 v = (__int128)(((unsigned __int128)test_random(seed) << 64 | test_random(seed)) >> (128 - bits));
  return test_random(seed) % 2 == 0 ? v : -v;
}

static void test_values_of_every_length_decode_in_any_steps(void **state) {
  (void)state;
  static const size_t steps[] = {1, 3, 7, 63, 64, 65, 1024, N};
  static __int128 values[N], wide[N];
  static int64_t narrow[N];
  uint64_t seed = 1;
  for (uint32_t max_bits = 63; max_bits <= 126; max_bits += 63) {
    test_out o = {0};
    for (size_t i = 0; i < N; i++) {
      values[i] = random_value(i, max_bits, &seed);
      test_put_varint(&o, zigzag_128(values[i]));
    }
    for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
      for (int lanes = max_bits == 63 ? 64 : 128; lanes <= 128; lanes += 64) {
        test_source t;
        skep_orc_stream s;
        skep_err err;
        test_open(&t, &s, o.bytes, o.size, NULL, 0);
        for (size_t at = 0; at < N; at += steps[k]) {
          size_t n = N - at < steps[k] ? N - at : steps[k];
          skep_status status =
              lanes == 64 ? skep_varint_next_i64(&s, narrow, n, &err) : skep_varint_next_i128(&s, wide, n, &err);
          if (status != SKEP_OK) fail_msg("%s", err.text);
          for (size_t i = 0; i < n; i++)
            if ((lanes == 64 ? narrow[i] : wide[i]) != values[at + i])
              fail_msg("value %zu, %d bit lanes", at + i, lanes);
        }
        assert_int_equal(skep_varint_next_i64(&s, narrow, 1, &err), SKEP_ERR_CORRUPT);
        assert_string_equal(err.text, "column 1 DATA: a varint is cut off, 0 bytes left");
        test_close(&t, &s);
      }
    }
    free(o.bytes);
  }
}

static void test_a_skip_equals_reading(void **state) {
  (void)state;
  static __int128 values[N];
  uint64_t seed = 2;
  test_out o = {0};
  for (size_t i = 0; i < N; i++) {
    values[i] = random_value(i, 126, &seed);
    test_put_varint(&o, zigzag_128(values[i]));
  }
  for (size_t at = 0; at < N; at += at < 300 ? 1 : 53) {
    test_source t;
    skep_orc_stream s;
    skep_err err;
    __int128 value;
    test_open(&t, &s, o.bytes, o.size, NULL, 0);
    assert_int_equal(skep_varint_skip(&s, at, &err), SKEP_OK);
    assert_int_equal(skep_varint_next_i128(&s, &value, 1, &err), SKEP_OK);
    assert_true(value == values[at]);
    assert_int_equal(skep_varint_skip(&s, N - at, &err), SKEP_ERR_CORRUPT);
    test_close(&t, &s);
  }
  free(o.bytes);
}

static skep_status read_one(const test_out *o, int lanes, __int128 *out, skep_err *err) {
  test_source t;
  skep_orc_stream s;
  int64_t narrow = 0;
  test_open(&t, &s, o->bytes, o->size, NULL, 0);
  skep_status status = lanes == 64 ? skep_varint_next_i64(&s, &narrow, 1, err) : skep_varint_next_i128(&s, out, 1, err);
  if (lanes == 64) *out = narrow;
  test_close(&t, &s);
  return status;
}

/* Each alone, and with 100 bytes behind it (the block decoder's way). */
static void check_limit(unsigned __int128 stored, int lanes, const char *text) {
  for (size_t behind = 0; behind <= 100; behind += 100) {
    test_out o = {0};
    skep_err err;
    __int128 value;
    test_put_varint(&o, stored);
    for (size_t i = 0; i < behind; i++) test_put(&o, 0);
    skep_status status = read_one(&o, lanes, &value, &err);
    assert_int_equal(status, text == NULL ? SKEP_OK : SKEP_ERR_CORRUPT);
    if (text == NULL) assert_true(zigzag_128(value) == stored);
    if (text != NULL) assert_string_equal(err.text, text);
    free(o.bytes);
  }
}

static void test_limits_of_64_bits_and_of_38_digits(void **state) {
  (void)state;
  __int128 ten_38 = 1;
  for (int i = 0; i < 38; i++) ten_38 *= 10;
  check_limit(zigzag_128(INT64_MAX), 64, NULL);
  check_limit(zigzag_128(INT64_MIN), 64, NULL);
  check_limit(zigzag_128((__int128)INT64_MAX + 1), 64, "column 1 DATA: a varint does not fit 64 bits");
  check_limit(zigzag_128((__int128)INT64_MAX + 1), 128, NULL);
  check_limit(zigzag_128(ten_38 - 1), 128, NULL);
  check_limit(zigzag_128(1 - ten_38), 128, NULL);
  check_limit(zigzag_128(ten_38), 128, "column 1 DATA: a decimal has more than 38 digits");
  check_limit(zigzag_128(-ten_38), 128, "column 1 DATA: a decimal has more than 38 digits");
  check_limit(~(unsigned __int128)0, 128, "column 1 DATA: a decimal has more than 38 digits");
}

static void test_endless_varints_are_refused(void **state) {
  (void)state;
  test_out o = {0};
  skep_err err;
  __int128 value;
  for (int i = 0; i < 200; i++) test_put(&o, 0x80);
  assert_int_equal(read_one(&o, 64, &value, &err), SKEP_ERR_CORRUPT);
  assert_string_equal(err.text, "column 1 DATA: a varint does not fit 64 bits");
  assert_int_equal(read_one(&o, 128, &value, &err), SKEP_ERR_CORRUPT);
  assert_string_equal(err.text, "column 1 DATA: a varint does not fit 128 bits");
  free(o.bytes);
}

static void test_every_prefix_is_cut_off(void **state) {
  (void)state;
  for (uint32_t bits = 1; bits <= 126; bits++) {
    test_out o = {0};
    skep_err err;
    __int128 value;
    test_put_varint(&o, (unsigned __int128)1 << bits);
    for (size_t whole = o.size; o.size-- > 0;) {
      assert_true(o.size < whole);
      assert_int_equal(read_one(&o, 128, &value, &err), SKEP_ERR_CORRUPT);
      assert_memory_equal(err.text, "column 1 DATA: a varint is cut off", 34);
      if (o.size >= 10) continue;
      assert_int_equal(read_one(&o, 64, &value, &err), SKEP_ERR_CORRUPT);
      if (o.size == 0) break;
    }
    free(o.bytes);
  }
}

static void test_random_bytes_do_no_harm(void **state) {
  (void)state;
  uint64_t seed = 3;
  static __int128 wide[700];
  static int64_t narrow[700];
  for (unsigned round = 0; round < 500; round++) {
    uint8_t bytes[600];
    test_source t;
    skep_orc_stream s;
    skep_err err = {0};
    size_t step = 1 + test_random(&seed) % 90;
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(test_random(&seed) | (round % 3 == 0 ? 0x80u : 0));
    test_open(&t, &s, bytes, sizeof bytes, NULL, 0);
    while (skep_varint_next_i64(&s, narrow, step, &err) == SKEP_OK) continue;
    assert_int_equal(err.status, SKEP_ERR_CORRUPT);
    test_close(&t, &s);
    test_open(&t, &s, bytes, sizeof bytes, NULL, 0);
    while (skep_varint_next_i128(&s, wide, step, &err) == SKEP_OK) continue;
    assert_int_equal(err.status, SKEP_ERR_CORRUPT);
    test_close(&t, &s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values_of_every_length_decode_in_any_steps),
      cmocka_unit_test(test_a_skip_equals_reading),
      cmocka_unit_test(test_limits_of_64_bits_and_of_38_digits),
      cmocka_unit_test(test_endless_varints_are_refused),
      cmocka_unit_test(test_every_prefix_is_cut_off),
      cmocka_unit_test(test_random_bytes_do_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
