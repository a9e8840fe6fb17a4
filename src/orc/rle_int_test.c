/* Integer runs, both versions: the specification's examples, round trips through an encoder written here, damage. */
#include "orc/rle.h"
#include "orc/test_source.h"

typedef struct vector {
  const char *name;
  bool v2, is_signed;
  size_t n_bytes;
  uint8_t bytes[64];
  size_t n;
  int64_t first[32]; /* the values; when n is larger, first[0] + k * step */
  int64_t step;
} vector;

/* From ORC Specification v1, "Integer Run Length Encoding"; what is not from there says so. */
static const vector vectors[] = {
    {"v1 repeat of 7, 100 times", false, false, 3, {0x61, 0x00, 0x07}, 100, {7}, 0},
    {"v1 100 down to 1", false, false, 3, {0x61, 0xff, 0x64}, 100, {100}, -1},
    {"v1 literals 2 3 6 7 11", false, false, 6, {0xfb, 0x02, 0x03, 0x06, 0x07, 0x0b}, 5, {2, 3, 6, 7, 11}, 0},
    {"v1 signed literals (own)", false, true, 7, {0xfc, 0x01, 0x02, 0xff, 0x01, 0x80, 0x02}, 4, {-1, 1, -128, 128}, 0},
    {"v2 short repeat 10000", true, false, 3, {0x0a, 0x27, 0x10}, 5, {10000, 10000, 10000, 10000, 10000}, 0},
    {"v2 direct",
     true,
     false,
     10,
     {0x5e, 0x03, 0x5c, 0xa1, 0xab, 0x1e, 0xde, 0xad, 0xbe, 0xef},
     4,
     {23713, 43806, 57005, 48879},
     0},
    {"v2 patched base",
     true,
     false,
     28,
     {0x8e, 0x13, 0x2b, 0x21, 0x07, 0xd0, 0x1e, 0x00, 0x14, 0x70, 0x28, 0x32, 0x3c, 0x46,
      0x50, 0x5a, 0x64, 0x6e, 0x78, 0x82, 0x8c, 0x96, 0xa0, 0xaa, 0xb4, 0xbe, 0xfc, 0xe8},
     20,
     {2030, 2000, 2020, 1000000, 2040, 2050, 2060, 2070, 2080, 2090,
      2100, 2110, 2120, 2130,    2140, 2150, 2160, 2170, 2180, 2190},
     0},
    {"v2 delta: primes",
     true,
     false,
     8,
     {0xc6, 0x09, 0x02, 0x02, 0x22, 0x42, 0x42, 0x46},
     10,
     {2, 3, 5, 7, 11, 13, 17, 19, 23, 29},
     0},
    {"v2 fixed delta, signed (own)", true, true, 5, {0xc0, 0x63, 0xc7, 0x01, 0x06}, 100, {-100}, 3},
};

static int64_t expected(const vector *v, size_t i) {
  return v->n <= 32 && v->step == 0 && v->first[1] != 0 ? v->first[i] : v->first[0] + (int64_t)i * v->step;
}

static void check_in_steps(const vector *v, size_t step) {
  test_source t;
  skep_orc_stream s;
  skep_rle_int r;
  skep_err err;
  int64_t out[512];
  test_open(&t, &s, v->bytes, v->n_bytes, NULL, 0);
  skep_rle_int_init(&r, &s, v->v2, v->is_signed);
  for (size_t at = 0; at < v->n; at += step) {
    size_t n = v->n - at < step ? v->n - at : step;
    if (skep_rle_int_next(&r, out, n, &err) != SKEP_OK) fail_msg("%s: %s", v->name, err.text);
    for (size_t i = 0; i < n; i++)
      if (out[i] != expected(v, at + i)) fail_msg("%s: value %zu is %lld", v->name, at + i, (long long)out[i]);
  }
  assert_int_equal(skep_rle_int_next(&r, out, 1, &err), SKEP_ERR_CORRUPT);
  assert_string_equal(err.text, "column 1 DATA: run needs 1 bytes, 0 left");
  test_close(&t, &s);
}

static void test_vectors_decode_in_any_steps(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
    static const size_t steps[] = {1, 3, 7, 512};
    for (size_t k = 0; k < 4; k++) check_in_steps(&vectors[i], steps[k]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_vectors_decode_in_any_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
