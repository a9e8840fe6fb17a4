/* Values as text: numbers in both of Java's flavours, every style at top level and nested, and reading texts back.
 * Expected floating point texts were printed by JDK 17 and JDK 25; the others are what real Hive answered (golden
 * tables 04, 20, 23) or follow from the format. */
#include "column/text.h"

#include <math.h>

#include "column/calendar.h"
#include "column/text_int.h"
#include "column/values_testing.h"

static const char *shown(fixture *f, skep_text_style style, const skep_vec *vec, int64_t i) {
  skep_text text = {.style = style, .null_text = "NULL"};
  skep_buf_reset(&f->out);
  assert_int_equal(skep_text_value(&text, vec, i, &f->out, &f->err), SKEP_OK);
  assert_int_equal(f->out.status, SKEP_OK);
  return skep_buf_string(&f->out);
}

/* One value of a primitive type in the three styles. */
static void check_value(fixture *f, const char *type, const char *value, const char *hive, const char *copy,
                        const char *json) {
  skep_vec vec = {0};
  make_vec(f, &vec, type, &(skep_forms){0}, &value, 1);
  assert_string_equal(shown(f, SKEP_TEXT_HIVE, &vec, 0), hive);
  assert_string_equal(shown(f, SKEP_TEXT_COPY, &vec, 0), copy);
  assert_string_equal(shown(f, SKEP_TEXT_JSON, &vec, 0), json);
  skep_vec_fini(&vec);
}

/* ---- floating point ---- */

typedef struct float_case {
  uint64_t bits;
  const char *hive;     /* JDK 17 */
  const char *shortest; /* JDK 25; NULL: the same */
} float_case;

static const float_case double_cases[] = {
    {UINT64_C(0x0), "0.0", NULL},
    {UINT64_C(0x8000000000000000), "-0.0", NULL},
    {UINT64_C(0x3ff0000000000000), "1.0", NULL},
    {UINT64_C(0xbff0000000000000), "-1.0", NULL},
    {UINT64_C(0x4059000000000000), "100.0", NULL},
    {UINT64_C(0x3f50624dd2f1a9fc), "0.001", NULL},
    {UINT64_C(0x416312cfe0000000), "9999999.0", NULL},
    {UINT64_C(0x416312d000000000), "1.0E7", NULL},
    {UINT64_C(0x4202a05f20000000), "1.0E10", NULL},
    {UINT64_C(0x3ee4f8b588e368f1), "1.0E-5", NULL},
    {UINT64_C(0x3f506243162a38e4), "9.9999E-4", NULL},
    {UINT64_C(0x3ff8000000000000), "1.5", NULL},
    {UINT64_C(0x3fb999999999999a), "0.1", NULL},
    {UINT64_C(0x3fd3333333333333), "0.3", NULL},
    {UINT64_C(0x3fd5555555555555), "0.3333333333333333", NULL},
    {UINT64_C(0x40fe240c9fbe76c9), "123456.789", NULL},
    {UINT64_C(0x4340000000000000), "9.007199254740992E15", NULL},
    {UINT64_C(0x4340000000000000), "9.007199254740992E15", NULL},
    {UINT64_C(0x4011666666666666), "4.35", NULL},
    {UINT64_C(0x3fb1eb851eb851ec), "0.07", NULL},
    {UINT64_C(0x3f647ae147ae147b), "0.0025", NULL},
    {UINT64_C(0x444b1ae4d6e2ef50), "1.0E21", NULL},
    {UINT64_C(0x4480f0cf064dd592), "1.0E22", NULL},
    {UINT64_C(0x44b52d02c7e14af6), "9.999999999999999E22", "1.0E23"},
    {UINT64_C(0x44c52d02c7e14af6), "1.9999999999999998E23", "2.0E23"},
    {UINT64_C(0x447c7e83209e90b2), "8.409999999999999E21", "8.41E21"},
    {UINT64_C(0x4350000000000000), "1.8014398509481984E16", NULL},
    {UINT64_C(0x4350000000000001), "1.8014398509481988E16", NULL},
    {UINT64_C(0x43b0000000000000), "1.15292150460684698E18", "1.152921504606847E18"},
    {UINT64_C(0x43e0000000000000), "9.223372036854776E18", NULL},
    {UINT64_C(0x43d0000000000000), "4.6116860184273879E18", "4.611686018427388E18"},
    {UINT64_C(0x43e0000000000000), "9.223372036854776E18", NULL},
    {UINT64_C(0x4376345785d8a001), "1.00000000000000016E17", "1.0000000000000002E17"},
    {UINT64_C(0x3d30000000000000), "5.6843418860808015E-14", "5.684341886080802E-14"},
    {UINT64_C(0x3f60000000000000), "0.001953125", NULL},
    {UINT64_C(0x1), "4.9E-324", "5.0E-324"},
    {UINT64_C(0x2), "1.0E-323", NULL},
    {UINT64_C(0x3), "1.5E-323", NULL},
    {UINT64_C(0x4), "2.0E-323", NULL},
    {UINT64_C(0x10000000000000), "2.2250738585072014E-308", NULL},
    {UINT64_C(0xfffffffffffff), "2.225073858507201E-308", NULL},
    {UINT64_C(0x7fefffffffffffff), "1.7976931348623157E308", NULL},
    {UINT64_C(0x3fefffffffffffff), "0.9999999999999999", NULL},
    {UINT64_C(0x3ff0000000000001), "1.0000000000000002", NULL},
    {UINT64_C(0x416312cfffffffff), "9999999.999999998", NULL},
    {UINT64_C(0x3f50624dd2f1a9fd), "0.0010000000000000002", NULL},
    {UINT64_C(0x3f50624dd2f1a9fb), "9.999999999999998E-4", NULL},
    {UINT64_C(0x47), "3.5E-322", NULL},
    {UINT64_C(0x400921fb54442d18), "3.141592653589793", NULL},
    {UINT64_C(0x54c8db0ed1476826), "2.718281828459045E100", NULL},
    {UINT64_C(0xc132d687e0000000), "-1234567.875", NULL},
    {UINT64_C(0x41b1de784a000000), "2.99792458E8", NULL},
    {UINT64_C(0x44dfe185ca57c517), "6.02214076E23", NULL},
    {UINT64_C(0x7feffffffffffffe), "1.7976931348623155E308", NULL},
};

static const float_case float_cases[] = {
    {0x0, "0.0", NULL},
    {0x80000000, "-0.0", NULL},
    {0x3f800000, "1.0", NULL},
    {0x3dcccccd, "0.1", NULL},
    {0x3e99999a, "0.3", NULL},
    {0x3eaaaaab, "0.33333334", NULL},
    {0x4b800000, "1.6777216E7", NULL},
    {0x4b189680, "1.0E7", NULL},
    {0x501502f9, "1.0E10", NULL},
    {0x800000, "1.17549435E-38", "1.1754944E-38"},
    {0x1, "1.4E-45", "1.0E-45"},
    {0x2, "2.8E-45", "3.0E-45"},
    {0x47, "1.0E-43", NULL},
    {0x7f7fffff, "3.4028235E38", NULL},
    {0x4c000000, "3.3554432E7", NULL},
    {0x50000000, "8.5899346E9", "8.589935E9"},
    {0x53800000, "1.09951163E12", "1.0995116E12"},
    {0x69000000, "9.6714065E24", "9.671407E24"},
    {0xea3839ae, "-5.5678683E25", "-5.5678684E25"},
    {0x3a83126f, "0.001", NULL},
    {0x4b18967f, "9999999.0", NULL},
    {0x42f6e979, "123.456", NULL},
    {0x40490fdb, "3.1415927", NULL},
    {0x7fffff, "1.1754942E-38", NULL},
    {0x7f7fc99e, "3.4E38", NULL},
    {0x4c000000, "3.3554432E7", NULL},
    {0x3b03126f, "0.002", NULL},
};

static void doubles_print_as_java_prints_them(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof double_cases / sizeof *double_cases; i++) {
    const float_case *c = &double_cases[i];
    double v, back;
    memcpy(&v, &c->bits, sizeof v);
    uint8_t text[SKEP_FLOAT_TEXT_BYTES + 1];
    *skep_text_put_f64(text, v, SKEP_FLOAT_HIVE) = 0;
    assert_string_equal((char *)text, c->hive);
    assert_true(skep_parse_f64(text_of((char *)text), &back));
    assert_memory_equal(&back, &v, sizeof v);
    *skep_text_put_f64(text, v, SKEP_FLOAT_SHORTEST) = 0;
    assert_string_equal((char *)text, c->shortest != NULL ? c->shortest : c->hive);
    assert_true(skep_parse_f64(text_of((char *)text), &back));
    assert_memory_equal(&back, &v, sizeof v);
  }
}

static void floats_print_as_java_prints_them(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof float_cases / sizeof *float_cases; i++) {
    const float_case *c = &float_cases[i];
    uint32_t bits = (uint32_t)c->bits;
    float v, narrow;
    double back;
    memcpy(&v, &bits, sizeof v);
    uint8_t text[SKEP_FLOAT_TEXT_BYTES + 1];
    *skep_text_put_f32(text, v, SKEP_FLOAT_HIVE) = 0;
    assert_string_equal((char *)text, c->hive);
    assert_true(skep_parse_binary(text_of((char *)text), 24, &back));
    narrow = (float)back;
    assert_memory_equal(&narrow, &v, sizeof v);
    *skep_text_put_f32(text, v, SKEP_FLOAT_SHORTEST) = 0;
    assert_string_equal((char *)text, c->shortest != NULL ? c->shortest : c->hive);
  }
}

static void random_doubles_read_back(void **state) {
  (void)state;
  uint64_t seed = 42;
  for (int i = 0; i < 20000; i++) {
    uint64_t bits = next_random(&seed);
    if (i % 4 == 1) bits &= (UINT64_C(1) << (bits >> 58)) - 1; /* subnormals */
    double v, back, other;
    memcpy(&v, &bits, sizeof v);
    if (isnan(v)) continue;
    uint8_t text[SKEP_FLOAT_TEXT_BYTES + 1];
    for (int flavour = 0; flavour < 2; flavour++) {
      *skep_text_put_f64(text, v, (skep_float_flavour)flavour) = 0;
      assert_true(skep_parse_f64(text_of((char *)text), &back));
      assert_memory_equal(&back, &v, sizeof v);
      other = strtod((char *)text, NULL);
      assert_memory_equal(&other, &v, sizeof v);
    }
  }
}

static void not_finite_values_have_names(void **state) {
  fixture *f = *state;
  check_value(f, "double", "NaN", "NaN", "NaN", "\"NaN\"");
  check_value(f, "double", "Infinity", "Infinity", "Infinity", "\"Infinity\"");
  check_value(f, "float", "-Infinity", "-Infinity", "-Infinity", "\"-Infinity\"");
}

/* strtod rounds correctly in glibc: an independent reader. */
static void decimal_texts_round_to_the_nearest_double(void **state) {
  (void)state;
  static const char *const texts[] = {"0",
                                      "-0",
                                      "1",
                                      "1.",
                                      ".5",
                                      "1e1",
                                      "1E+2",
                                      "1e-2",
                                      "123456789012345678",
                                      "9007199254740993",
                                      "9007199254740992.9999999999999999999999",
                                      "9007199254740993.0000000000000000000000000000000000001",
                                      "1.7976931348623157e308",
                                      "1.7976931348623158e308",
                                      "1.7976931348623159e308",
                                      "2e308",
                                      "1e400",
                                      "4.9e-324",
                                      "2.4703282292062327e-324",
                                      "2.4703282292062328e-324",
                                      "1e-400",
                                      "2.2250738585072011e-308",
                                      "2.2250738585072012e-308",
                                      "2.2250738585072014e-308",
                                      "0.1",
                                      "0.30000000000000004",
                                      "5e-324",
                                      "6.631236846766476e-316",
                                      "1e23",
                                      "8.5e22",
                                      "123456789e-30",
                                      "3.14159265358979323846264338327950288419716939937510582097494459",
                                      "100000000000000016777215",
                                      "100000000000000016777216",
                                      "100000000000000016777217",
                                      "0.000000000000000000000000000001",
                                      "12345678901234567890123456789012345678901234567890"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    double v = -1, expected = strtod(texts[i], NULL);
    assert_true(skep_parse_f64(text_of(texts[i]), &v));
    if (memcmp(&v, &expected, sizeof v) != 0) fail_msg("%s: %.17g, expected %.17g", texts[i], v, expected);
    float narrow_expected = strtof(texts[i], NULL);
    assert_true(skep_parse_binary(text_of(texts[i]), 24, &v));
    float narrow = (float)v;
    if (memcmp(&narrow, &narrow_expected, sizeof narrow) != 0) fail_msg("%s: %.9g as float", texts[i], (double)narrow);
  }
  uint64_t seed = 7;
  for (int i = 0; i < 3000; i++) {
    char text[64];
    snprintf(text, sizeof text, "%llu%llue%d", (unsigned long long)next_random(&seed),
             (unsigned long long)next_random(&seed), (int)(next_random(&seed) % 700) - 380);
    double v, expected = strtod(text, NULL);
    assert_true(skep_parse_f64(text_of(text), &v));
    if (memcmp(&v, &expected, sizeof v) != 0) fail_msg("%s: %.17g, expected %.17g", text, v, expected);
  }
  double v;
  char *digits = malloc(3000); /* a tie that only the last of many digits breaks */
  memset(digits, '0', 3000);
  memcpy(digits, "9007199254740993.", 17);
  digits[2998] = '1';
  assert_true(skep_parse_f64(skep_bytes_of(digits, 2999), &v));
  assert_true(v == 9007199254740994.0);
  free(digits);
}

static void texts_that_are_no_numbers_are_refused(void **state) {
  (void)state;
  static const char *const texts[] = {"",     "-",  "+",  ".",   "e5",  "1e",  "1e+", "1.2.3",   "1 ",  " 1",
                                      "0x10", "1d", "1f", "nan", "inf", "--1", "1,5", "Infinit", "NaNs"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    double v;
    if (skep_parse_f64(text_of(texts[i]), &v)) fail_msg("'%s' was read as %g", texts[i], v);
    int64_t n;
    if (skep_parse_i64(text_of(texts[i]), &n)) fail_msg("'%s' was read as an integer", texts[i]);
  }
  double v;
  assert_false(skep_parse_f64(skep_bytes_of("1\0", 2), &v));
}

static void integers_are_read_exactly(void **state) {
  (void)state;
  int64_t v;
  assert_true(skep_parse_i64(text_of("9223372036854775807"), &v) && v == INT64_MAX);
  assert_true(skep_parse_i64(text_of("-9223372036854775808"), &v) && v == INT64_MIN);
  assert_true(skep_parse_i64(text_of("+007"), &v) && v == 7);
  assert_false(skep_parse_i64(text_of("9223372036854775808"), &v));
  assert_false(skep_parse_i64(text_of("-9223372036854775809"), &v));
  assert_false(skep_parse_i64(text_of("99999999999999999999"), &v));
  assert_false(skep_parse_i64(text_of("1.0"), &v));
}

/* ---- decimals ---- */

static skep_i128 big(int64_t high, uint64_t low) { return (skep_i128)high * UINT64_C(10000000000000000000) + low; }

static void decimals_show_all_digits_of_their_scale(void **state) {
  fixture *f = *state;
  static const struct {
    int64_t high;
    uint64_t low;
    unsigned scale;
    const char *full, *trimmed;
  } cases[] = {
      {0, 0, 0, "0", "0"},
      {0, 0, 2, "0.00", "0"},
      {0, 0, 38, "0.00000000000000000000000000000000000000", "0"},
      {0, 1, 18, "0.000000000000000001", "0.000000000000000001"},
      {0, 150, 2, "1.50", "1.5"},
      {0, 100, 2, "1.00", "1"},
      {0, 10000, 2, "100.00", "100"},
      {0, 10000, 0, "10000", "10000"},
      {0, 10, 2, "0.10", "0.1"},
      {0, 12345, 5, "0.12345", "0.12345"},
      {0, UINT64_MAX, 3, "18446744073709551.615", "18446744073709551.615"},
      {1, 0, 0, "10000000000000000000", "10000000000000000000"},
      {1, 0, 19, "1.0000000000000000000", "1"},
      {9, 7, 10, "9000000000.0000000007", "9000000000.0000000007"},
      {INT64_C(9223372036854775807), 5, 20, "922337203685477580.70000000000000000005",
       "922337203685477580.70000000000000000005"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    skep_i128 v = big(cases[i].high, cases[i].low);
    for (int negative = 0; negative < 2; negative++) {
      if (negative != 0 && v == 0) continue;
      char expected[80];
      skep_buf_reset(&f->out);
      skep_text_decimal(negative ? -v : v, cases[i].scale, false, &f->out);
      snprintf(expected, sizeof expected, "%s%s", negative ? "-" : "", cases[i].full);
      assert_string_equal(skep_buf_string(&f->out), expected);
      skep_i128 back;
      bool exact;
      assert_true(skep_parse_decimal(text_of(expected), cases[i].scale, &back, &exact));
      assert_true(back == (negative ? -v : v) && exact);
      skep_buf_reset(&f->out);
      skep_text_decimal(negative ? -v : v, cases[i].scale, true, &f->out);
      snprintf(expected, sizeof expected, "%s%s", negative ? "-" : "", cases[i].trimmed);
      assert_string_equal(skep_buf_string(&f->out), expected);
    }
  }
}

static void decimal_texts_round_half_up(void **state) {
  (void)state;
  static const struct {
    const char *text;
    unsigned scale;
    int64_t unscaled;
    bool exact;
  } cases[] = {
      {"1.5", 1, 15, true},
      {"1.5", 3, 1500, true},
      {"1.5", 0, 2, false},
      {"-1.5", 0, -2, false},
      {"2.5", 0, 3, false},
      {"1.49999", 0, 1, false},
      {"0.049", 1, 0, false},
      {"0.05", 1, 1, false},
      {"0.0049", 1, 0, false},
      {"1e3", 2, 100000, true},
      {"15e-1", 0, 2, false},
      {"1.2e-5", 6, 12, true},
      {"000123.4500", 2, 12345, true},
      {".5", 1, 5, true},
      {"5.", 1, 50, true},
      {"1e-1000000", 2, 0, false},
      {"0e99999999999999999999", 2, 0, true},
      {"+7", 0, 7, true},
      {"9.99", 1, 100, false},
      {"-0.04", 1, 0, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    skep_i128 v = -1;
    bool exact = !cases[i].exact;
    assert_true(skep_parse_decimal(text_of(cases[i].text), cases[i].scale, &v, &exact));
    if (v != cases[i].unscaled || exact != cases[i].exact) fail_msg("%s at scale %u", cases[i].text, cases[i].scale);
  }
  skep_i128 v;
  bool exact;
  assert_true(skep_parse_decimal(text_of("99999999999999999999999999999999999999"), 0, &v, &exact));
  assert_false(skep_parse_decimal(text_of("99999999999999999999999999999999999999.5"), 0, &v, &exact));
  assert_false(skep_parse_decimal(text_of("100000000000000000000000000000000000000"), 0, &v, &exact));
  assert_false(skep_parse_decimal(text_of("1"), 38, &v, &exact));
  assert_false(skep_parse_decimal(text_of("1e1000000000000"), 0, &v, &exact));
  assert_false(skep_parse_decimal(text_of("NaN"), 0, &v, &exact));
}

/* ---- dates and timestamps ---- */

static void dates_print_and_read_back(void **state) {
  fixture *f = *state;
  static const struct {
    int64_t days;
    const char *text;
  } cases[] = {{0, "1970-01-01"},
               {-1, "1969-12-31"},
               {20786, "2026-11-29"},
               {-719162, "0001-01-01"},
               {-719163, "0000-12-31"},
               {-719529, "-0001-12-31"},
               {2932896, "9999-12-31"},
               {2932897, "+10000-01-01"},
               {-141428, "1582-10-14"},
               {11016, "2000-02-29"},
               {-25567, "1900-01-01"},
               {INT32_MAX, "+5881580-07-11"},
               {INT32_MIN, "-5877641-06-23"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    skep_buf_reset(&f->out);
    skep_text_date(cases[i].days, &f->out);
    assert_string_equal(skep_buf_string(&f->out), cases[i].text);
    int64_t days;
    assert_true(skep_parse_date(text_of(cases[i].text), &days));
    assert_int_equal(days, cases[i].days);
  }
  int64_t days;
  assert_true(skep_parse_date(text_of("2026-1-9"), &days));
  static const char *const bad[] = {"",           "2026",        "2026-13-01",          "2026-02-29",  "2026-00-01",
                                    "2026-01-00", "2026-01-01 ", "2026-01-01T00:00:00", "2026-001-01", "2026/01/01",
                                    "1-1-32"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(skep_parse_date(text_of(bad[i]), &days));
}

static void timestamps_print_and_read_back(void **state) {
  fixture *f = *state;
  static const struct {
    int64_t seconds;
    int32_t nanos;
    const char *text;
  } cases[] = {{0, 0, "1970-01-01 00:00:00"},
               {0, 1, "1970-01-01 00:00:00.000000001"},
               {0, 500000000, "1970-01-01 00:00:00.5"},
               {-1, 999999999, "1969-12-31 23:59:59.999999999"},
               {-1, 1000000, "1969-12-31 23:59:59.001"},
               {1795955696, 123456789, "2026-11-29 12:34:56.123456789"},
               {-62135596800, 0, "0001-01-01 00:00:00"},
               {253402300799, 999999999, "9999-12-31 23:59:59.999999999"},
               {253402300800, 0, "+10000-01-01 00:00:00"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    skep_buf_reset(&f->out);
    skep_text_ts((skep_ts){cases[i].seconds, cases[i].nanos, 0}, &f->out);
    assert_string_equal(skep_buf_string(&f->out), cases[i].text);
    skep_ts ts;
    assert_true(skep_parse_ts(text_of(cases[i].text), &ts));
    assert_true(ts.seconds == cases[i].seconds && ts.nanos == cases[i].nanos);
  }
  skep_ts ts;
  assert_true(skep_parse_ts(text_of("1970-01-02"), &ts) && ts.seconds == 86400 && ts.nanos == 0);
  assert_true(skep_parse_ts(text_of("1970-1-2T1:2:3.25"), &ts) && ts.seconds == 86400 + 3723 && ts.nanos == 250000000);
  static const char *const bad[] = {"",
                                    "1970-01-01 ",
                                    "1970-01-01 24:00:00",
                                    "1970-01-01 00:60:00",
                                    "1970-01-01 00:00:60",
                                    "1970-01-01 00:00",
                                    "1970-01-01 00:00:00.",
                                    "1970-01-01 00:00:00.1234567890",
                                    "1970-01-01 00:00:00Z",
                                    "1970-01-01  00:00:00"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(skep_parse_ts(text_of(bad[i]), &ts));
}

/* ---- styles ---- */

static void scalars_print_in_each_style(void **state) {
  fixture *f = *state;
  static const char *const cases[][5] = {
      {"boolean", "true", "true", "true", "true"},
      {"boolean", "no", "false", "false", "false"},
      {"tinyint", "-128", "-128", "-128", "-128"},
      {"smallint", "32767", "32767", "32767", "32767"},
      {"int", "-2147483648", "-2147483648", "-2147483648", "-2147483648"},
      {"bigint", "-9223372036854775808", "-9223372036854775808", "-9223372036854775808", "-9223372036854775808"},
      {"bigint", "0", "0", "0", "0"},
      {"float", "3.4028235E38", "3.4028235E38", "3.4028235E38", "3.4028235E38"},
      {"double", "1e10", "1.0E10", "1.0E10", "1.0E10"},
      {"double", "1.152921504606847E18", "1.15292150460684698E18", "1.15292150460684698E18", "1.152921504606847E18"},
      {"decimal(10,2)", "1.5", "1.50", "1.50", "\"1.50\""},
      {"decimal(38,18)", "-0.000000000000000001", "-0.000000000000000001", "-0.000000000000000001",
       "\"-0.000000000000000001\""},
      {"date", "0001-01-01", "0001-01-01", "0001-01-01", "\"0001-01-01\""},
      {"timestamp", "2020-01-02 03:04:05.600", "2020-01-02 03:04:05.6", "2020-01-02 03:04:05.6",
       "\"2020-01-02 03:04:05.6\""},
      {"timestamp", "2020-01-02", "2020-01-02 00:00:00", "2020-01-02 00:00:00", "\"2020-01-02 00:00:00.0\""},
      {"timestamp with local time zone", "2020-01-02 03:04:05", "2020-01-02 03:04:05.0 UTC",
       "2020-01-02 03:04:05.0 UTC", "\"2020-01-02 03:04:05.0Z\""},
      {"string", "", "", "", "\"\""},
      {"string", "tab\tnl\ncr\rback\\quote\"", "tab\tnl\ncr\rback\\quote\"", "tab\\tnl\\ncr\\rback\\\\quote\"",
       "\"tab\\tnl\\ncr\\rback\\\\quote\\\"\""},
      {"string", "\x01\x08\x0c\x1f\x7f", "\x01\x08\x0c\x1f\x7f", "\x01\x08\x0c\x1f\x7f",
       "\"\\u0001\\b\\f\\u001f\x7f\""},
      {"string", "a long string with \xc3\xa9 inside, plain", "a long string with \xc3\xa9 inside, plain",
       "a long string with \xc3\xa9 inside, plain", "\"a long string with \xc3\xa9 inside, plain\""},
      {"char(4)", "ab", "ab  ", "ab  ", "\"ab\""},
      {"char(3)", "\xe6\x97\xa5\xe6\x9c\xac", "\xe6\x97\xa5\xe6\x9c\xac ", "\xe6\x97\xa5\xe6\x9c\xac ",
       "\"\xe6\x97\xa5\xe6\x9c\xac\""},
      {"char(2)", "abc", "ab", "ab", "\"ab\""},
      {"varchar(2)", "\xc3\xa9\xf0\x9f\x8e\x88z", "\xc3\xa9\xf0\x9f\x8e\x88", "\xc3\xa9\xf0\x9f\x8e\x88",
       "\"\xc3\xa9\xf0\x9f\x8e\x88\""},
      {"binary", "\x01\xff\t", "\x01\xff\t", "01FF09", "[1,255,9]"},
      {"binary", "", "", "", "[]"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    check_value(f, cases[i][0], cases[i][1], cases[i][2], cases[i][3], cases[i][4]);
  }
}

static void null_has_a_text_in_each_style(void **state) {
  fixture *f = *state;
  static const char *const types[] = {"int",        "string",        "decimal(5,1)",
                                      "array<int>", "struct<a:int>", "uniontype<int,string>"};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    skep_vec vec = {0};
    assert_int_equal(skep_vec_init(&vec, &f->ctx, type_of(f, types[i]), &(skep_forms){0}, &f->err), SKEP_OK);
    assert_int_equal(skep_vec_set_null(&vec, 1, &f->err), SKEP_OK);
    assert_string_equal(shown(f, SKEP_TEXT_HIVE, &vec, 0), "NULL");
    assert_string_equal(shown(f, SKEP_TEXT_COPY, &vec, 0), "\\N");
    assert_string_equal(shown(f, SKEP_TEXT_JSON, &vec, 0), "null");
    skep_vec_fini(&vec);
  }
}

static void nul_bytes_are_kept_apart_from_ends(void **state) {
  fixture *f = *state;
  skep_vec vec = {0};
  assert_int_equal(skep_vec_init(&vec, &f->ctx, type_of(f, "string"), &(skep_forms){0}, &f->err), SKEP_OK);
  assert_int_equal(skep_vec_append_text(&vec, skep_bytes_of("a\0b", 3), &f->err), SKEP_OK);
  assert_string_equal(shown(f, SKEP_TEXT_COPY, &vec, 0), "a\\0b");
  assert_string_equal(shown(f, SKEP_TEXT_JSON, &vec, 0), "\"a\\u0000b\"");
  shown(f, SKEP_TEXT_HIVE, &vec, 0);
  assert_int_equal(f->out.size, 3);
  skep_vec_fini(&vec);
}

static void invalid_utf8_is_replaced_or_refused_in_json(void **state) {
  fixture *f = *state;
  static const char *const cases[][2] = {
      {"\xff", "\"\xef\xbf\xbd\""},
      {"a\x80z", "\"a\xef\xbf\xbdz\""},
      {"\xe2\x82", "\"\xef\xbf\xbd\""}, /* a cut sequence is one */
      {"\xe2\x82z", "\"\xef\xbf\xbdz\""},
      {"\xf0\x90\x8dz", "\"\xef\xbf\xbdz\""},
      {"\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""}, /* a surrogate is three */
      {"\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\""},
      {"\xf0\x9f\x8e\x88\xf0", "\"\xf0\x9f\x8e\x88\xef\xbf\xbd\""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    skep_text text = {.style = SKEP_TEXT_JSON};
    skep_buf_reset(&f->out);
    assert_int_equal(skep_text_json_string(&text, text_of(cases[i][0]), &f->out, &f->err), SKEP_OK);
    assert_string_equal(skep_buf_string(&f->out), cases[i][1]);
    assert_true(text.replaced_utf8);
    text = (skep_text){.style = SKEP_TEXT_JSON, .utf8_fail = SKEP_ERR_RANGE};
    assert_int_equal(skep_text_json_string(&text, text_of(cases[i][0]), &f->out, &f->err), SKEP_ERR_RANGE);
    assert_non_null(strstr(f->err.text, "invalid UTF-8 at byte "));
  }
  skep_vec vec = {0};
  const char *bad = "\xff";
  make_vec(f, &vec, "string", &(skep_forms){0}, &bad, 1);
  assert_string_equal(shown(f, SKEP_TEXT_HIVE, &vec, 0), "\xff"); /* strings are bytes elsewhere */
  assert_string_equal(shown(f, SKEP_TEXT_COPY, &vec, 0), "\xff");
  skep_vec_fini(&vec);
}

static void invalid_utf8_is_replaced_elsewhere_on_request(void **state) { /* golden 23-hive1-basic: Hive's own answer */
  fixture *f = *state;
  static const char *const cases[][4] = {{"string",
                                          "\xc9"
                                          "dith",
                                          "\xef\xbf\xbd"
                                          "dith",
                                          "\xef\xbf\xbd"
                                          "dith"},
                                         {"string", "a\t\xe2\x82", "a\t\xef\xbf\xbd", "a\\t\xef\xbf\xbd"},
                                         {"char(3)", "\xff", "\xef\xbf\xbd  ", "\xef\xbf\xbd  "},
                                         {"string", "\xc3\xa9", "\xc3\xa9", "\xc3\xa9"},
                                         {"binary", "\xff", "\xff", "FF"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    skep_vec vec = {0};
    make_vec(f, &vec, cases[i][0], &(skep_forms){0}, &cases[i][1], 1);
    for (int style = SKEP_TEXT_HIVE; style <= SKEP_TEXT_COPY; style++) {
      skep_text text = {.style = (skep_text_style)style, .replace_utf8 = true};
      skep_buf_reset(&f->out);
      assert_int_equal(skep_text_value(&text, &vec, 0, &f->out, &f->err), SKEP_OK);
      assert_string_equal(skep_buf_string(&f->out), cases[i][2 + style]);
      assert_int_equal(text.replaced_utf8, i < 3);
    }
    skep_vec_fini(&vec);
  }
  skep_vec vec = {0};
  assert_int_equal(skep_vec_init(&vec, &f->ctx, type_of(f, "struct<s:string,b:binary>"), &(skep_forms){0}, &f->err),
                   SKEP_OK);
  assert_int_equal(skep_vec_append_text(&vec.children[0], text_of("\xff\""), &f->err), SKEP_OK);
  assert_int_equal(skep_vec_append_text(&vec.children[1], text_of("x\xff"), &f->err), SKEP_OK);
  vec.length = 1;
  skep_text text = {.style = SKEP_TEXT_HIVE, .replace_utf8 = true};
  skep_buf_reset(&f->out);
  assert_int_equal(skep_text_value(&text, &vec, 0, &f->out, &f->err), SKEP_OK);
  assert_string_equal(skep_buf_string(&f->out), "{\"s\":\"\xef\xbf\xbd\\\"\",\"b\":x\xef\xbf\xbd}");
  skep_vec_fini(&vec);
}

/* Fills a list or map entry by entry: offsets over children that were appended as text. */
static void end_entry(skep_vec *vec, fixture *f) {
  assert_int_equal(skep_vec_reserve(vec, vec->length + 1, vec->has_nulls, &f->err), SKEP_OK);
  ((int32_t *)vec->offsets.data)[vec->length + 1] = (int32_t)vec->children[0].length;
  vec->length++;
}

static void append_null(skep_vec *vec, fixture *f) { append_entry(f, vec, &(skep_forms){0}, NULL); }

static void lists_print_as_json_text(void **state) {
  fixture *f = *state;
  skep_vec vec = {0};
  assert_int_equal(skep_vec_init(&vec, &f->ctx, type_of(f, "array<decimal(4,2)>"), &(skep_forms){0}, &f->err), SKEP_OK);
  assert_int_equal(skep_vec_append_text(&vec.children[0], text_of("1.50"), &f->err), SKEP_OK);
  append_null(&vec.children[0], f);
  assert_int_equal(skep_vec_append_text(&vec.children[0], text_of("0"), &f->err), SKEP_OK);
  end_entry(&vec, f);
  end_entry(&vec, f);
  assert_string_equal(shown(f, SKEP_TEXT_HIVE, &vec, 0), "[1.5,null,0]");
  assert_string_equal(shown(f, SKEP_TEXT_COPY, &vec, 0), "[1.5,null,0]");
  assert_string_equal(shown(f, SKEP_TEXT_JSON, &vec, 0), "[\"1.50\",null,\"0.00\"]");
  assert_string_equal(shown(f, SKEP_TEXT_JSON, &vec, 1), "[]");
  skep_vec_fini(&vec);
}

static void maps_print_keys_like_values(void **state) {
  fixture *f = *state;
  skep_vec vec = {0};
  assert_int_equal(skep_vec_init(&vec, &f->ctx, type_of(f, "map<int,string>"), &(skep_forms){0}, &f->err), SKEP_OK);
  assert_int_equal(skep_vec_append_text(&vec.children[0], text_of("1"), &f->err), SKEP_OK);
  assert_int_equal(skep_vec_append_text(&vec.children[1], text_of("a\t\"b\\"), &f->err), SKEP_OK);
  assert_int_equal(skep_vec_append_text(&vec.children[0], text_of("2"), &f->err), SKEP_OK);
  append_null(&vec.children[1], f);
  end_entry(&vec, f);
  assert_string_equal(shown(f, SKEP_TEXT_HIVE, &vec, 0), "{1:\"a\\t\\\"b\\\\\",2:null}");
  assert_string_equal(shown(f, SKEP_TEXT_COPY, &vec, 0), "{1:\"a\\\\t\\\\\"b\\\\\\\\\",2:null}");
  assert_string_equal(shown(f, SKEP_TEXT_JSON, &vec, 0),
                      "[{\"key\":1,\"value\":\"a\\t\\\"b\\\\\"},{\"key\":2,\"value\":null}]");
  skep_vec_fini(&vec);
}

static void structs_print_as_hive_prints_them(void **state) { /* golden 04-types/05-nested */
  fixture *f = *state;
  skep_vec vec = {0};
  const char *type = "struct<d:date,t:timestamp,b:binary,c:char(4),n:struct<er:boolean>,f:float,c:string>";
  assert_int_equal(skep_vec_init(&vec, &f->ctx, type_of(f, type), &(skep_forms){0}, &f->err), SKEP_OK);
  static const char *const texts[] = {"2020-01-01", "2020-01-01 01:02:03.4", "\x01\x02", "ab", NULL, "NaN", "x"};
  for (uint32_t c = 0; c < vec.n_children; c++) {
    skep_vec *child = c == 4 ? &vec.children[4].children[0] : &vec.children[c];
    assert_int_equal(skep_vec_append_text(child, text_of(texts[c] != NULL ? texts[c] : "true"), &f->err), SKEP_OK);
  }
  vec.children[4].length = 1;
  vec.length = 1;
  assert_string_equal(shown(f, SKEP_TEXT_HIVE, &vec, 0),
                      "{\"d\":\"2020-01-01\",\"t\":\"2020-01-01 01:02:03.4\",\"b\":\x01\x02,\"c\":\"ab  "
                      "\",\"n\":{\"er\":true},\"f\":NaN,\"c\":\"x\"}");
  assert_string_equal(shown(f, SKEP_TEXT_JSON, &vec, 0),
                      "{\"d\":\"2020-01-01\",\"t\":\"2020-01-01 "
                      "01:02:03.4\",\"b\":[1,2],\"c\":\"ab\",\"n\":{\"er\":true},\"f\":\"NaN\",\"c#2\":\"x\"}");
  skep_vec_fini(&vec);
}

static void unions_print_their_tag(void **state) {
  fixture *f = *state;
  skep_vec vec = {0};
  assert_int_equal(skep_vec_init(&vec, &f->ctx, type_of(f, "uniontype<int,string>"), &(skep_forms){0}, &f->err),
                   SKEP_OK);
  assert_int_equal(skep_vec_append_text(&vec.children[1], text_of("str"), &f->err), SKEP_OK);
  append_null(&vec.children[0], f);
  assert_int_equal(skep_vec_reserve(&vec, 2, false, &f->err), SKEP_OK);
  memcpy(vec.values.data, (int8_t[]){1, 0}, 2);
  memcpy(vec.offsets.data, (int32_t[]){0, 0}, 8);
  vec.length = 2;
  assert_string_equal(shown(f, SKEP_TEXT_HIVE, &vec, 0), "{1:\"str\"}");
  assert_string_equal(shown(f, SKEP_TEXT_COPY, &vec, 1), "{0:null}");
  assert_string_equal(shown(f, SKEP_TEXT_JSON, &vec, 0), "{\"tag\":1,\"value\":\"str\"}");
  skep_vec_fini(&vec);
}

static void other_forms_print_the_same(void **state) {
  fixture *f = *state;
  static const char *const cases[][2] = {{"boolean", "true"},
                                         {"decimal(4,2)", "-12.34"},
                                         {"decimal(9,2)", "1234567.89"},
                                         {"decimal(18,0)", "-123456789012345678"},
                                         {"decimal(38,1)", "1234567890123456789012345678901234567.8"},
                                         {"string", "short"},
                                         {"string", "longer than twelve bytes"},
                                         {"timestamp", "1969-12-31 23:59:59.123456"}};
  skep_forms forms[2] = {{.boolean = SKEP_FORM_BOOL_BYTES,
                          .timestamp = SKEP_FORM_TS_US,
                          .string = SKEP_FORM_VIEW,
                          .narrow_decimals = true},
                         {.timestamp = SKEP_FORM_TS_NS}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (size_t k = 0; k < 2; k++) {
      skep_vec vec = {0};
      const char *texts[3] = {cases[i][1], NULL, cases[i][1]};
      make_vec(f, &vec, cases[i][0], &forms[k], texts, 3);
      assert_string_equal(shown(f, SKEP_TEXT_HIVE, &vec, 0), cases[i][1]);
      assert_string_equal(shown(f, SKEP_TEXT_HIVE, &vec, 1), "NULL");
      assert_string_equal(shown(f, SKEP_TEXT_HIVE, &vec, 2), cases[i][1]);
      skep_vec_fini(&vec);
    }
  }
}

static void texts_are_cast_as_hive_casts_partition_values(void **state) {
  fixture *f = *state;
  static const char *const good[][3] = {{"int", " 12 ", "12"},
                                        {"int", "1.9", "1"},
                                        {"tinyint", "-1.", "-1"},
                                        {"decimal(5,1)", "1.25", "1.3"},
                                        {"boolean", "FALSE", "false"},
                                        {"boolean", "yes", "true"},
                                        {"date", "2020-1-2", "2020-01-02"},
                                        {"date", "1969-12-31 23:59:59", "1969-12-31"},
                                        {"float", "16777217", "1.6777216E7"},
                                        {"double", "1.0E10", "1.0E10"},
                                        {"timestamp", "2020-01-02", "2020-01-02 00:00:00"}};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    skep_vec vec = {0};
    make_vec(f, &vec, good[i][0], &(skep_forms){0}, &good[i][1], 1);
    assert_string_equal(shown(f, SKEP_TEXT_HIVE, &vec, 0), good[i][2]);
    skep_vec_fini(&vec);
  }
  static const char *const bad[][3] = {{"int", "abc", "\"abc\" is no int"},
                                       {"int", "2147483648", "\"2147483648\" is no int"},
                                       {"int", "1.x", "\"1.x\" is no int"},
                                       {"bigint", "", "\"\" is no bigint"},
                                       {"decimal(3,1)", "100", "\"100\" is no decimal"},
                                       {"double", "1.5x", "\"1.5x\" is no double"},
                                       {"date", "2020-02-30", "\"2020-02-30\" is no date"},
                                       {"timestamp", "now", "\"now\" is no timestamp"},
                                       {"array<int>", "[]", "no text for a value of type array"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    skep_vec vec = {0};
    assert_int_equal(skep_vec_init(&vec, &f->ctx, type_of(f, bad[i][0]), &(skep_forms){0}, &f->err), SKEP_OK);
    assert_int_not_equal(skep_vec_append_text(&vec, text_of(bad[i][1]), &f->err), SKEP_OK);
    assert_string_equal(f->err.text, bad[i][2]);
    assert_int_equal(vec.length, 0);
    skep_vec_fini(&vec);
  }
}

static void a_full_buffer_keeps_its_failure(void **state) {
  fixture *f = *state;
  skep_vec vec = {0};
  const char *value = "a string that is longer than the buffer may become, \t and has escapes";
  make_vec(f, &vec, "string", &(skep_forms){0}, &value, 1);
  for (int style = SKEP_TEXT_HIVE; style <= SKEP_TEXT_JSON; style++) {
    skep_buf small;
    skep_buf_init(&small, &f->ctx, 16);
    skep_text text = {.style = (skep_text_style)style};
    assert_int_equal(skep_text_value(&text, &vec, 0, &small, &f->err), SKEP_OK);
    assert_int_equal(small.status, SKEP_ERR_LIMIT);
    skep_buf_fini(&small);
  }
  skep_vec_fini(&vec);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(doubles_print_as_java_prints_them),
      TEST(floats_print_as_java_prints_them),
      TEST(random_doubles_read_back),
      TEST(not_finite_values_have_names),
      TEST(decimal_texts_round_to_the_nearest_double),
      TEST(texts_that_are_no_numbers_are_refused),
      TEST(integers_are_read_exactly),
      TEST(decimals_show_all_digits_of_their_scale),
      TEST(decimal_texts_round_half_up),
      TEST(dates_print_and_read_back),
      TEST(timestamps_print_and_read_back),
      TEST(scalars_print_in_each_style),
      TEST(null_has_a_text_in_each_style),
      TEST(nul_bytes_are_kept_apart_from_ends),
      TEST(invalid_utf8_is_replaced_or_refused_in_json),
      TEST(invalid_utf8_is_replaced_elsewhere_on_request),
      TEST(lists_print_as_json_text),
      TEST(maps_print_keys_like_values),
      TEST(structs_print_as_hive_prints_them),
      TEST(unions_print_their_tag),
      TEST(other_forms_print_the_same),
      TEST(texts_are_cast_as_hive_casts_partition_values),
      TEST(a_full_buffer_keeps_its_failure),
  };
  return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
