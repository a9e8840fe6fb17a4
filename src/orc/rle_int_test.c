/* Integer runs, both versions: the specification's examples, round trips through an encoder written here, damage. */
#include "orc/rle.h"
#include "orc/test_encode.h"
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

/* ---- streams of many runs, encoded here ---- */

enum { MAX_VALUES = 1 << 17 };

typedef struct script {
  test_out bytes;
  int64_t *values;
  size_t n;
  size_t *run_starts; /* byte offsets; [n_runs] is the size */
  size_t *run_values; /* values before each run */
  size_t n_runs;
  bool v2, is_signed;
} script;

static void script_init(script *c, bool v2, bool is_signed) {
  *c = (script){.v2 = v2, .is_signed = is_signed};
  c->values = malloc(MAX_VALUES * sizeof *c->values);
  c->run_starts = malloc(MAX_VALUES * sizeof *c->run_starts);
  c->run_values = malloc(MAX_VALUES * sizeof *c->run_values);
  assert_true(c->values != NULL && c->run_starts != NULL && c->run_values != NULL);
  c->run_starts[0] = c->run_values[0] = 0;
}

static void script_free(script *c) {
  free(c->bytes.bytes);
  free(c->values);
  free(c->run_starts);
  free(c->run_values);
}

static void end_run(script *c) {
  c->n_runs++;
  c->run_starts[c->n_runs] = c->bytes.size;
  c->run_values[c->n_runs] = c->n;
}

static void add_value(script *c, int64_t v) {
  assert_true(c->n < MAX_VALUES);
  c->values[c->n++] = v;
}

static int64_t meaning(const script *c, uint64_t stored) {
  return c->is_signed ? skep_unzigzag(stored) : (int64_t)stored;
}

static void add_direct(script *c, uint32_t width, size_t n, uint64_t *seed) {
  uint64_t stored[512];
  for (size_t i = 0; i < n; i++) {
    stored[i] = test_random(seed) >> (64 - width);
    add_value(c, meaning(c, stored[i]));
  }
  test_put_direct(&c->bytes, width, stored, n);
  end_run(c);
}

static void add_short_repeat(script *c, uint32_t n_bytes, size_t n, uint64_t *seed) {
  uint64_t stored = test_random(seed) >> (64 - 8 * n_bytes);
  for (size_t i = 0; i < n; i++) add_value(c, meaning(c, stored));
  test_put_short_repeat(&c->bytes, n_bytes, stored, n);
  end_run(c);
}

static void add_delta(script *c, uint32_t width, size_t n, uint64_t *seed) {
  uint64_t deltas[512], first = test_random(seed) >> 30, v = (uint64_t)meaning(c, first);
  int64_t step = (int64_t)(test_random(seed) % 2001) - 1000;
  for (size_t i = 0; i < n; i++) {
    deltas[i] = width == 0 ? 0 : test_random(seed) >> (64 - width);
    add_value(c, (int64_t)v);
    uint64_t by = width == 0 || i == 0 ? (uint64_t)step : step < 0 ? 0 - deltas[i - 1] : deltas[i - 1];
    v += by;
  }
  test_put_delta(&c->bytes, width, first, step, deltas, n);
  end_run(c);
}

/* Patches every 40 values and one more after a gap of more than 255, when n allows. */
static void add_patched(script *c, uint32_t width, uint32_t patch_width, bool negative, size_t n, uint64_t *seed) {
  uint64_t stored[512], patches[31], base = test_random(seed) >> 40;
  size_t n_patches = 0, at = 0, start = c->n;
  for (size_t i = 0; i < n; i++) {
    stored[i] = test_random(seed) >> (64 - width);
    add_value(c, (int64_t)(stored[i] + (negative ? 0 - base : base)));
  }
  for (size_t gap = n > 1 ? 1 : 0; at + gap < n && n_patches < 5; gap = n_patches == 3 && n > 400 ? 255 + 7 : 40) {
    uint64_t bits = (test_random(seed) >> (64 - patch_width)) | 1;
    if (gap >= 255) patches[n_patches++] = (uint64_t)255 << patch_width;
    patches[n_patches++] = (uint64_t)(gap % 255) << patch_width | bits;
    at += gap;
    c->values[start + at] += (int64_t)(bits << width);
  }
  test_put_patched(&c->bytes, width, stored, n, negative, base, 4, patch_width, 8, patches, n_patches);
  end_run(c);
}

static void add_v1(script *c, bool repeat, uint32_t width, size_t n, uint64_t *seed) {
  uint64_t stored[128];
  for (size_t i = 0; i < n && !repeat; i++) {
    stored[i] = test_random(seed) >> (64 - width);
    add_value(c, meaning(c, stored[i]));
  }
  if (repeat) {
    int8_t delta = (int8_t)(test_random(seed) & 0xff);
    stored[0] = test_random(seed) >> (64 - width);
    for (size_t i = 0; i < n; i++)
      add_value(c, (int64_t)((uint64_t)meaning(c, stored[0]) + (uint64_t)(int64_t)delta * i));
    test_put_v1_repeat(&c->bytes, stored[0], delta, n);
  } else {
    test_put_v1_literals(&c->bytes, stored, n);
  }
  end_run(c);
}

/* Every form of the version, every width, small and full runs. */
static void everything(script *c, bool v2, bool is_signed, uint64_t seed) {
  static const size_t sizes[] = {1, 7, 50, 512};
  script_init(c, v2, is_signed);
  for (size_t k = 0; v2 && k < 4; k++) {
    for (size_t w = 0; w < 32; w++) {
      size_t n = test_widths[w] % 7 == 0 || sizes[k] < 512 ? sizes[k] : 500 + w % 13;
      add_direct(c, test_widths[w], n, &seed);
      if (w > 0 && n > 1) add_delta(c, test_widths[w], n, &seed);
      if (test_widths[w] < 40 && n > 1) add_patched(c, test_widths[w], 1 + (uint32_t)w % 24, w % 2 == 0, n, &seed);
      add_delta(c, 0, n, &seed);
      add_short_repeat(c, 1 + (uint32_t)w % 8, 3 + w % 8, &seed);
    }
  }
  for (uint32_t width = 1; !v2 && width <= 64; width++) {
    add_v1(c, false, width, 1 + width % 5 * 31, &seed);
    add_v1(c, true, width, 3 + width % 5 * 31, &seed);
    add_v1(c, false, width, 128, &seed);
  }
}

static void open_script(const script *c, test_source *t, skep_orc_stream *s, skep_rle_int *r) {
  test_open(t, s, c->bytes.bytes, c->bytes.size, NULL, 0);
  skep_rle_int_init(r, s, c->v2, c->is_signed);
}

static void check_script_in_steps(const script *c, size_t step) {
  test_source t;
  skep_orc_stream s;
  skep_rle_int r;
  skep_err err;
  int64_t *out = malloc(step * sizeof *out);
  open_script(c, &t, &s, &r);
  for (size_t at = 0; at < c->n; at += step) {
    size_t n = c->n - at < step ? c->n - at : step;
    int64_t *to = out + (step - n); /* up to the end of the block: the sanitizer sees a write beyond */
    if (skep_rle_int_next(&r, to, n, &err) != SKEP_OK) fail_msg("%s", err.text);
    for (size_t i = 0; i < n; i++)
      if (to[i] != c->values[at + i]) fail_msg("step %zu: value %zu is %lld", step, at + i, (long long)to[i]);
  }
  assert_int_equal(skep_rle_int_next(&r, out, 1, &err), SKEP_ERR_CORRUPT);
  free(out);
  test_close(&t, &s);
}

static void test_all_forms_and_widths_decode_in_any_steps(void **state) {
  (void)state;
  static const size_t steps[] = {1, 3, 7, 10, 512, 1024, MAX_VALUES};
  for (unsigned kind = 0; kind < 4; kind++) {
    script c;
    everything(&c, (kind & 1) != 0, (kind & 2) != 0, kind);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) check_script_in_steps(&c, steps[i]);
    script_free(&c);
  }
}

static void test_a_skip_to_any_value_equals_reading_up_to_it(void **state) {
  (void)state;
  for (unsigned kind = 0; kind < 4; kind++) {
    script c;
    test_source t;
    skep_orc_stream s;
    skep_rle_int r;
    skep_err err;
    everything(&c, (kind & 1) != 0, (kind & 2) != 0, kind);
    for (size_t at = 0; at < c.n; at += at < 600 ? 1 : 97) {
      int64_t two[2];
      size_t n = c.n - at < 2 ? 1 : 2;
      open_script(&c, &t, &s, &r);
      assert_int_equal(skep_rle_int_skip(&r, at / 2, &err), SKEP_OK);
      assert_int_equal(skep_rle_int_skip(&r, at - at / 2, &err), SKEP_OK);
      assert_int_equal(skep_rle_int_next(&r, two, n, &err), SKEP_OK);
      assert_memory_equal(two, c.values + at, n * sizeof two[0]);
      test_close(&t, &s);
    }
    open_script(&c, &t, &s, &r);
    assert_int_equal(skep_rle_int_skip(&r, c.n + 1, &err), SKEP_ERR_CORRUPT);
    test_close(&t, &s);
    script_free(&c);
  }
}

static void test_equal_values_are_taken_together_and_no_others(void **state) {
  (void)state;
  static const size_t steps[] = {1, 2, 5, 1000};
  for (unsigned kind = 0; kind < 4; kind++) {
    script c;
    test_source t;
    skep_orc_stream s;
    skep_rle_int r;
    skep_err err;
    everything(&c, (kind & 1) != 0, (kind & 2) != 0, kind);
    for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
      open_script(&c, &t, &s, &r);
      for (size_t at = 0, same; at < c.n; at += same) {
        int64_t value, other;
        size_t n = c.n - at < steps[k] ? c.n - at : steps[k], want = 1;
        while (want < n && c.values[at + want] == c.values[at]) want++;
        assert_int_equal(skep_rle_int_next_same(&r, n, &value, &same, &err), SKEP_OK);
        assert_int_equal(value, c.values[at]);
        assert_int_equal(same, want);
        if (at + same == c.n || at % 3 != 0) continue; /* and the usual way goes on behind them */
        assert_int_equal(skep_rle_int_next(&r, &other, 1, &err), SKEP_OK);
        assert_int_equal(other, c.values[at + same++]);
      }
      int64_t value;
      size_t same;
      assert_int_equal(skep_rle_int_next_same(&r, 0, &value, &same, &err), SKEP_OK);
      assert_int_equal(same, 0);
      assert_int_equal(skep_rle_int_next_same(&r, 1, &value, &same, &err), SKEP_ERR_CORRUPT);
      test_close(&t, &s);
    }
    script_free(&c);
  }
}

/* What a row index records: the byte where a run starts and how many of its values come before. */
static void test_a_seek_to_any_recorded_position_equals_reading_up_to_it(void **state) {
  (void)state;
  script c;
  test_source t;
  skep_orc_stream s;
  skep_rle_int r;
  skep_err err;
  everything(&c, true, true, 9);
  open_script(&c, &t, &s, &r);
  for (size_t k = c.n_runs; k-- > 0;) {
    size_t within = (c.run_values[k + 1] - c.run_values[k]) / 2;
    int64_t value;
    assert_int_equal(skep_orc_stream_seek(&s, 0, c.run_starts[k], &err), SKEP_OK);
    skep_rle_int_restart(&r);
    assert_int_equal(skep_rle_int_skip(&r, within, &err), SKEP_OK);
    assert_int_equal(skep_rle_int_next(&r, &value, 1, &err), SKEP_OK);
    assert_int_equal(value, c.values[c.run_values[k] + within]);
  }
  test_close(&t, &s);
  script_free(&c);
}

static void test_narrow_lanes_have_the_same_values_or_refuse(void **state) {
  (void)state;
  script c;
  skep_err err;
  everything(&c, true, true, 3);
  size_t n_refused = 0, n_taken = 0;
  for (size_t k = 0; k < c.n_runs; k++) {
    size_t n = c.run_values[k + 1] - c.run_values[k];
    const int64_t *want = c.values + c.run_values[k];
    int32_t *i32 = malloc(n * sizeof *i32);
    int16_t *i16 = malloc(n * sizeof *i16);
    bool fits_32 = true, fits_16 = true;
    for (size_t i = 0; i < n; i++) {
      fits_32 = fits_32 && want[i] == (int32_t)want[i];
      fits_16 = fits_16 && want[i] == (int16_t)want[i];
    }
    for (unsigned lanes = 16; lanes <= 32; lanes *= 2) {
      test_source t;
      skep_orc_stream s;
      skep_rle_int r;
      test_open(&t, &s, c.bytes.bytes + c.run_starts[k], c.run_starts[k + 1] - c.run_starts[k], NULL, 0);
      skep_rle_int_init(&r, &s, true, true);
      skep_status status =
          lanes == 32 ? skep_rle_int_next_i32(&r, i32, n, &err) : skep_rle_int_next_i16(&r, i16, n, &err);
      bool fits = lanes == 32 ? fits_32 : fits_16;
      assert_int_equal(status, fits ? SKEP_OK : SKEP_ERR_CORRUPT);
      fits ? n_taken++ : n_refused++;
      if (!fits) assert_non_null(strstr(err.text, lanes == 32 ? "does not fit 32 bits" : "does not fit 16 bits"));
      for (size_t i = 0; fits && i < n; i++) assert_int_equal(lanes == 32 ? i32[i] : i16[i], want[i]);
      test_close(&t, &s);
    }
    free(i32);
    free(i16);
  }
  assert_true(n_taken > 100 && n_refused > 100);
  script_free(&c);
}

static void test_unsigned_values_beyond_the_lanes_are_refused(void **state) {
  (void)state;
  static const struct {
    size_t n_bytes;
    uint8_t bytes[8];
  } runs[] = {
      {5, {0x18, 0x80, 0, 0, 0}},                            /* short repeat of 2^31 */
      {6, {0x76, 0x00, 0x80, 0, 0, 0}},                      /* direct, 32 bits, 2^31 */
      {8, {0xc0, 0x02, 0xff, 0xff, 0xff, 0xff, 0x07, 0x02}}, /* 2^31 - 1 and up */
  };
  for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
    int32_t out[16];
    test_source t;
    skep_orc_stream s;
    skep_rle_int r;
    skep_err err;
    test_open(&t, &s, runs[i].bytes, runs[i].n_bytes, NULL, 0);
    skep_rle_int_init(&r, &s, true, false);
    assert_int_equal(skep_rle_int_next_i32(&r, out, i == 1 ? 1 : 3, &err), SKEP_ERR_CORRUPT);
    assert_non_null(strstr(err.text, "column 1 DATA: value 214748364"));
    test_close(&t, &s);
  }
}

static void test_unsigned_values_of_16_bits_fit_up_to_their_half(void **state) {
  (void)state;
  for (unsigned high = 0x7f; high <= 0x80; high++) {
    uint8_t bytes[] = {0x5e, 0x01, 0x00, 0x07, (uint8_t)high, 0xff}; /* direct, 16 bits: 7 and 0x7fff or 0x80ff */
    int16_t out[2];
    test_source t;
    skep_orc_stream s;
    skep_rle_int r;
    skep_err err;
    test_open(&t, &s, bytes, sizeof bytes, NULL, 0);
    skep_rle_int_init(&r, &s, true, false);
    assert_int_equal(skep_rle_int_next_i16(&r, out, 2, &err), high == 0x7f ? SKEP_OK : SKEP_ERR_CORRUPT);
    if (high == 0x7f) assert_true(out[0] == 7 && out[1] == 0x7fff);
    if (high == 0x80) assert_string_equal(err.text, "column 1 DATA: value 33023 does not fit 16 bits");
    test_close(&t, &s);
  }
}

static void test_impossible_runs_are_refused(void **state) {
  (void)state;
  static const struct {
    bool v2;
    size_t n_bytes;
    uint8_t bytes[24];
    const char *text;
  } runs[] = {
      {true, 6, {0x8e, 0x00, 0x00, 0x00, 0x01, 0x00}, "column 1 DATA: patched base run without patches"},
      {true,
       6,
       {0x8e, 0x00, 0x1f, 0x01, 0x01, 0x00},
       "column 1 DATA: patched base run of 8 bits with patches of 64 + 1 bits"},
      {true, 16, {0xbe, 0x00, 0x00, 0x01}, "column 1 DATA: patched base run of 64 bits with patches of 1 + 1 bits"},
      {true,
       9,
       {0x8e, 0x00, 0x07, 0xe1, 0x01, 0x05, 0xff, 0x00, 0x00},
       "column 1 DATA: patched base run ends in a gap"},
      {true, 5, {0xc2, 0x00, 0x01, 0x02, 0x00}, "column 1 DATA: delta run of 1 value with packed deltas"},
      {true,
       13,
       {0xc0, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01},
       "column 1 DATA: delta run: base or delta is cut off or too long, 11 bytes left"},
      {true, 3, {0x5e, 0x03, 0x5c}, "column 1 DATA: direct run needs 8 bytes, 1 left"},
      {true, 2, {0x0a, 0x27}, "column 1 DATA: short repeat run needs 3 bytes, 2 left"},
      {false, 1, {0x61}, "column 1 DATA: repeat run needs 2 bytes, 0 left"},
      {false, 3, {0xfe, 0x05, 0x80}, "column 1 DATA: literal run needs 3 bytes, 2 left"},
      {false,
       12,
       {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01},
       "column 1 DATA: a varint does not fit 64 bits"},
  };
  for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
    int64_t out;
    test_source t;
    skep_orc_stream s;
    skep_rle_int r;
    skep_err err;
    test_open(&t, &s, runs[i].bytes, runs[i].n_bytes, NULL, 0);
    skep_rle_int_init(&r, &s, runs[i].v2, false);
    assert_int_equal(skep_rle_int_next(&r, &out, 1, &err), SKEP_ERR_CORRUPT);
    if (strncmp(err.text, runs[i].text, strlen(runs[i].text) - 7) != 0) fail_msg("run %zu: %s", i, err.text);
    test_close(&t, &s);
  }
}

/* Decodes whatever it is, in all lanes, until it fails. Returns the 64-bit values. */
static size_t decode_until_failure(const uint8_t *bytes, size_t size, bool v2, bool is_signed, size_t step,
                                   int64_t *out, size_t max) {
  size_t n = 0;
  for (unsigned lanes = 16; lanes <= 64; lanes *= 2) {
    test_source t;
    skep_orc_stream s;
    skep_rle_int r;
    skep_err err = {0};
    int32_t i32[64];
    int16_t i16[64];
    skep_status status = SKEP_OK;
    test_open(&t, &s, bytes, size, NULL, 0);
    skep_rle_int_init(&r, &s, v2, is_signed);
    for (n = 0; status == SKEP_OK && n + step <= max; n += step)
      status = lanes == 16   ? skep_rle_int_next_i16(&r, i16, step, &err)
               : lanes == 32 ? skep_rle_int_next_i32(&r, i32, step, &err)
                             : skep_rle_int_next(&r, out + n, step, &err);
    if (status != SKEP_OK) assert_int_equal(status, SKEP_ERR_CORRUPT);
    test_close(&t, &s);
  }
  return n;
}

static void test_prefixes_fail_and_changed_bytes_do_no_harm(void **state) {
  (void)state;
  int64_t out[4096];
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++) {
    const vector *v = &vectors[k];
    for (size_t n = 0; n < v->n_bytes; n++) { /* each vector is one run: no proper prefix gives its first value */
      test_source t;
      skep_orc_stream s;
      skep_rle_int r;
      skep_err err;
      test_open(&t, &s, v->bytes, n, NULL, 0);
      skep_rle_int_init(&r, &s, v->v2, v->is_signed);
      assert_int_equal(skep_rle_int_next(&r, out, 1, &err), SKEP_ERR_CORRUPT);
      assert_memory_equal(err.text, "column 1 DATA: ", 15);
      test_close(&t, &s);
    }
    for (size_t i = 0; i < v->n_bytes; i++) {
      for (unsigned x = 1; x < 256; x++) {
        uint8_t bytes[64];
        memcpy(bytes, v->bytes, v->n_bytes);
        bytes[i] ^= (uint8_t)x;
        (void)decode_until_failure(bytes, v->n_bytes, v->v2, v->is_signed, 1 + x % 64, out, 4096);
      }
    }
  }
}

static void test_random_bytes_do_no_harm(void **state) {
  (void)state;
  uint64_t seed = 77;
  static int64_t out[1 << 15];
  for (unsigned round = 0; round < 400; round++) {
    uint8_t bytes[700];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)test_random(&seed);
    (void)decode_until_failure(bytes, sizeof bytes, round % 2 == 0, round % 4 < 2, 1 + round % 64, out, 1 << 15);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_vectors_decode_in_any_steps),
      cmocka_unit_test(test_all_forms_and_widths_decode_in_any_steps),
      cmocka_unit_test(test_equal_values_are_taken_together_and_no_others),
      cmocka_unit_test(test_a_skip_to_any_value_equals_reading_up_to_it),
      cmocka_unit_test(test_a_seek_to_any_recorded_position_equals_reading_up_to_it),
      cmocka_unit_test(test_narrow_lanes_have_the_same_values_or_refuse),
      cmocka_unit_test(test_unsigned_values_beyond_the_lanes_are_refused),
      cmocka_unit_test(test_unsigned_values_of_16_bits_fit_up_to_their_half),
      cmocka_unit_test(test_impossible_runs_are_refused),
      cmocka_unit_test(test_prefixes_fail_and_changed_bytes_do_no_harm),
      cmocka_unit_test(test_random_bytes_do_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
