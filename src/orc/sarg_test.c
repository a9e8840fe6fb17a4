/* Search arguments: tables of statistics and predicates, and the property that matters: whatever is known about a set
 * of rows, a set that holds a matching row is never skipped. */
#include "orc/sarg.h"

#include <math.h>

#include "column/predicate_testing.h"

/* One column's evidence for all leaves. */
typedef struct one_column {
  skep_orc_evidence evidence;
  bool exists, known;
} one_column;

static bool find_one(void *self, const skep_pred *leaf, skep_orc_evidence *out, bool *known) {
  (void)leaf;
  const one_column *c = self;
  *out = c->evidence;
  *known = c->known;
  return c->exists;
}

static const skep_pred *bound_to(fixture *f, const skep_type *root, const char *text) {
  const skep_pred *pred = NULL;
  skep_status status = skep_pred_parse(&f->arena, text, strlen(text), &pred, &f->err);
  if (status == SKEP_OK) status = skep_pred_bind(&f->arena, pred, root, &pred, &f->err);
  if (status != SKEP_OK) fail_msg("%s: %s", text, f->err.text);
  return pred;
}

static void expect(fixture *f, const char *type, const skep_orc_stats *stats, uint64_t n_rows, const char *predicate,
                   bool may_match) {
  char schema[100];
  snprintf(schema, sizeof schema, "struct<x:%s>", type);
  one_column c = {{stats, NULL, n_rows}, true, true};
  if (skep_orc_sarg_may_match(bound_to(f, type_of(f, schema), predicate), find_one, &c) != may_match) {
    fail_msg("%s: %s was %s", type, predicate, may_match ? "skipped" : "kept");
  }
}

/* Values 10..20, no NULL among the 5 rows. */
static const skep_orc_stats ints = {.has_count = true,
                                    .count = 5,
                                    .has_null_known = true,
                                    .kind = SKEP_ORC_STATS_INT,
                                    .has_min = true,
                                    .has_max = true,
                                    .min = {.i64 = 10},
                                    .max = {.i64 = 20}};

static void whole_numbers_outside_the_range_are_skipped(void **state) {
  fixture *f = *state;
  static const struct {
    const char *predicate;
    bool may_match;
  } cases[] = {
      {"x = 9", false},
      {"x = 10", true},
      {"x = 20", true},
      {"x = 21", false},
      {"x <=> 9", false},
      {"x <=> 15", true},
      {"x < 10", false},
      {"x < 11", true},
      {"x <= 9", false},
      {"x <= 10", true},
      {"x > 20", false},
      {"x > 19", true},
      {"x >= 21", false},
      {"x >= 20", true},
      {"x <> 15", true},
      {"x between 1 and 9", false},
      {"x between 1 and 10", true},
      {"x between 21 and 30", false},
      {"x between 12 and 11", true},
      {"x not between 10 and 20", false},
      {"x not between 11 and 20", true},
      {"x in (1, 2, 30)", false},
      {"x in (1, 15)", true},
      {"x in (1, null)", false},
      {"x not in (15)", true},
      {"x not in (1, null)", false},
      {"x is null", false},
      {"x is not null", true},
      {"not (x < 30)", false},
      {"not (x < 20)", true},
      {"x < 5 or x > 25", false},
      {"x < 15 and x > 25", false},
      {"x < 5 or x = 12", true},
      {"not (x > 5 and x < 25)", false},
      {"x = 15.5", false},
      {"x <> 15.5", true},
      {"x <=> null", false},
      {"x = null", false},
      {"true", true},
      {"false or null", false},
      {"x = 12 and null", false},
      {"x = 12 or null", true},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    expect(f, "int", &ints, 5, cases[i].predicate, cases[i].may_match);
    expect(f, "bigint", &ints, 5, cases[i].predicate, cases[i].may_match);
  }
  skep_orc_stats same = ints; /* one value only: its opposite is excluded as well */
  same.max.i64 = 10;
  expect(f, "int", &same, 5, "x <> 10", false);
  expect(f, "int", &same, 5, "x not in (9, 10)", false);
  expect(f, "int", &same, 5, "x <> 11", true);
}

static void nulls_are_possible_unless_excluded(void **state) {
  fixture *f = *state;
  skep_orc_stats s = ints;
  s.has_null_known = false;
  expect(f, "int", &s, 0, "x is null", true);  /* nothing is said */
  expect(f, "int", &s, 5, "x is null", false); /* as many values as rows */
  expect(f, "int", &s, 6, "x is null", true);
  s.has_null_known = true;
  expect(f, "int", &s, 6, "x is null", true); /* fewer values than rows, whatever the flag says */
  s.has_null = true;
  expect(f, "int", &s, 0, "x is null", true);
  expect(f, "int", &s, 0, "x = 12 or x is null", true);
  expect(f, "int", &s, 0, "not (x = 9)", true);
  expect(f, "int", &s, 0, "not (x <=> 9)", true);
  skep_orc_stats none = {.has_count = true, .has_null_known = true, .has_null = true};
  expect(f, "int", &none, 5, "x is null", true);
  expect(f, "int", &none, 5, "x is not null", false);
  expect(f, "int", &none, 5, "x = 1", false);
  expect(f, "int", &none, 5, "x <> 1", false);
  expect(f, "int", &none, 5, "x <=> 1", false);
  expect(f, "int", &none, 5, "not (x <=> 1)", true);
  expect(f, "int", &none, 5, "x <=> null", true);
  expect(f, "string", &none, 5, "x like 'a%'", false);
  expect(f, "string", &none, 5, "x = 1", false);
}

static void unknown_columns_keep_and_missing_ones_are_null(void **state) {
  fixture *f = *state;
  const skep_type *root = type_of(f, "struct<x:int>");
  one_column unknown = {.exists = true}, missing = {.exists = false, .known = true};
  unknown.evidence.stats = &ints; /* must not be looked at */
  static const char *const texts[] = {"x = 9",   "x is null",   "x is not null",
                                      "x <=> 1", "not (x = 9)", "x in (1, null)"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    assert_true(skep_orc_sarg_may_match(bound_to(f, root, texts[i]), find_one, &unknown));
  }
  static const bool of_missing[] = {false, true, false, false, false, false};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    assert_int_equal(skep_orc_sarg_may_match(bound_to(f, root, texts[i]), find_one, &missing), of_missing[i]);
  }
  expect(f, "int", &(skep_orc_stats){0}, 5, "x = 1", true);
  expect(f, "int", NULL, 5, "x = 1", true);
  skep_orc_stats other = {.kind = SKEP_ORC_STATS_STRING, .has_min = true, .has_max = true}; /* of another kind */
  expect(f, "int", &other, 5, "x = 1", true);
}

static void nan_is_expected_where_it_is_not_excluded(void **state) {
  fixture *f = *state;
  skep_orc_stats s = {.has_count = true,
                      .count = 5,
                      .has_null_known = true,
                      .kind = SKEP_ORC_STATS_DOUBLE,
                      .has_min = true,
                      .has_max = true,
                      .has_sum = true,
                      .min = {.f64 = -1},
                      .max = {.f64 = 2},
                      .sum = {.f64 = 3}};
  for (int k = 0; k < 2; k++) {
    const char *type = k == 0 ? "double" : "float";
    s.has_sum = true; /* a sum that is a number: no NaN */
    expect(f, type, &s, 5, "x > 2", false);
    expect(f, type, &s, 5, "x = 'NaN'", false);
    expect(f, type, &s, 5, "x >= 'NaN'", false);
    expect(f, type, &s, 5, "x < 'NaN'", true);
    expect(f, type, &s, 5, "not (x < 'NaN')", false);
    expect(f, type, &s, 5, "x between -2 and 3", true);
    expect(f, type, &s, 5, "x not between -2 and 3", false);
    s.has_sum = false;
    expect(f, type, &s, 5, "x > 2", true);
    expect(f, type, &s, 5, "x >= 3", true);
    expect(f, type, &s, 5, "x = 'NaN'", true);
    expect(f, type, &s, 5, "x in (5, 'NaN')", true);
    expect(f, type, &s, 5, "x < -1", false);
    expect(f, type, &s, 5, "x = 3", false);
    expect(f, type, &s, 5, "not (x <= 2)", true);
    expect(f, type, &s, 5, "x between 3 and 4", false);
    expect(f, type, &s, 5, "x between 3 and 'NaN'", true);
    expect(f, type, &s, 5, "x not between -2 and 3", true);
  }
  s.min.f64 = s.max.f64 = NAN;
  s.has_sum = true;
  s.sum.f64 = NAN;
  expect(f, "double", &s, 5, "x = 7", true);
}

static skep_orc_stats string_stats(const char *min, const char *max) {
  return (skep_orc_stats){.has_count = true,
                          .count = 5,
                          .has_null_known = true,
                          .kind = SKEP_ORC_STATS_STRING,
                          .has_min = min != NULL,
                          .has_max = max != NULL,
                          .min = {.bytes = text_of(min != NULL ? min : "")},
                          .max = {.bytes = text_of(max != NULL ? max : "")}};
}

static void strings_compare_bytewise_and_by_prefix(void **state) {
  fixture *f = *state;
  static const struct {
    const char *min, *max, *predicate;
    bool may_match;
  } cases[] = {
      {"b", "d", "x = 'a'", false},          {"b", "d", "x = 'c'", true},         {"b", "d", "x = 'da'", false},
      {"b", "d", "x > 'd'", false},          {"b", "\xc3\xa9", "x > 'z'", true},  {"b", "d", "x like 'a%'", false},
      {"b", "d", "x like 'c%'", true},       {"b", "d", "x like 'e%'", false},    {"bb", "bd", "x like 'b_'", true},
      {"bb", "bd", "x like 'ba%'", false},   {"bb", "bd", "x like 'bc%z'", true}, {"bb", "bd", "x like '%a'", true},
      {"bb", "bd", "x like 'ba\\%'", false}, {"bb", "bd", "x like ''", false},    {"", "bd", "x like ''", true},
      {"bb", "bd", "x not like 'z%'", true}, {"b", NULL, "x = 'a'", false},       {"b", NULL, "x = 'z'", true},
      {NULL, "d", "x = 'z'", false},         {"b", "d", "x = 1", true},           {"b", "d", "x in ('a', 'z')", false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    skep_orc_stats s = string_stats(cases[i].min, cases[i].max);
    expect(f, "string", &s, 5, cases[i].predicate, cases[i].may_match);
    expect(f, "varchar(10)", &s, 5, cases[i].predicate, cases[i].may_match);
  }
  skep_orc_stats same = string_stats("b", "b");
  expect(f, "string", &same, 5, "x <> 'b'", false);
  same.min_is_bound = true; /* cut: values may be longer */
  expect(f, "string", &same, 5, "x <> 'b'", true);
}

static void char_may_be_stored_padded_or_not(void **state) {
  fixture *f = *state;
  for (int padded = 0; padded < 2; padded++) {
    skep_orc_stats s = padded ? string_stats("b    ", "d    ") : string_stats("b", "d");
    expect(f, "char(5)", &s, 5, "x = 'b'", true);
    expect(f, "char(5)", &s, 5, "x = 'd'", true);
    expect(f, "char(5)", &s, 5, "x = 'a'", false);
    expect(f, "char(5)", &s, 5, "x = 'da'", false);
    expect(f, "char(5)", &s, 5, "x = 'b '", true);
    expect(f, "char(5)", &s, 5, "x < 'b'", false);
    expect(f, "char(5)", &s, 5, "x <= 'b'", true);
    expect(f, "char(5)", &s, 5, "x > 'e'", false);
    expect(f, "char(5)", &s, 5, "x like 'a%'", false);
    expect(f, "char(5)", &s, 5, "x not in ('b')", true);
  }
  skep_orc_stats odd = string_stats("a\x01   ", "a    "); /* as padded texts are ordered */
  expect(f, "char(5)", &odd, 5, "x > 'a'", true);
  expect(f, "char(5)", &odd, 5, "x = 'a\x01'", true);
  expect(f, "char(5)", &odd, 5, "x < 'a\x01'", true);
}

static void decimals_compare_at_any_scale(void **state) {
  fixture *f = *state;
  skep_orc_stats s = {.has_count = true,
                      .count = 5,
                      .has_null_known = true,
                      .kind = SKEP_ORC_STATS_DECIMAL,
                      .has_min = true,
                      .has_max = true};
  s.min.decimal.unscaled = -15; /* -1.5 */
  s.min.decimal.scale = 1;
  s.max.decimal.unscaled = 2; /* 2 */
  s.max.decimal.scale = 0;
  static const struct {
    const char *predicate;
    bool may_match;
  } cases[] = {{"x = -1.5", true},   {"x = -1.51", false}, {"x < -1.5", false}, {"x <= -1.50", true},
               {"x > 2.00", false},  {"x >= 2", true},     {"x = 2.01", false}, {"x in (3, 4)", false},
               {"x < -1.499", true}, {"x = 1e30", false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    expect(f, "decimal(10,3)", &s, 5, cases[i].predicate, cases[i].may_match);
    expect(f, "decimal(38,37)", &s, 5, cases[i].predicate, cases[i].may_match);
  }
  for (int i = 0; i < 37; i++) s.max.decimal.unscaled *= 10; /* widening it to the literal's scale overflows */
  expect(f, "decimal(38,37)", &s, 5, "x > 3", true);
  s.max.decimal.unscaled = -s.max.decimal.unscaled;
  expect(f, "decimal(38,37)", &s, 5, "x > -3", false);
}

static void dates_booleans_and_timestamps_have_ranges(void **state) {
  fixture *f = *state;
  skep_orc_stats days = ints;
  days.kind = SKEP_ORC_STATS_DATE;
  expect(f, "date", &days, 5, "x = '1970-01-11'", true);
  expect(f, "date", &days, 5, "x = '1970-01-10'", false);
  expect(f, "date", &days, 5, "x > timestamp '1970-01-21 00:00:01'", false);
  expect(f, "int", &days, 5, "x = 1", true); /* statistics of another kind say nothing */
  skep_orc_stats flags = {
      .has_count = true, .count = 5, .has_null_known = true, .kind = SKEP_ORC_STATS_BOOLEAN, .true_count = 0};
  expect(f, "boolean", &flags, 5, "x", false);
  expect(f, "boolean", &flags, 5, "x = false", true);
  expect(f, "boolean", &flags, 5, "not x", true);
  flags.true_count = 5;
  expect(f, "boolean", &flags, 5, "not x", false);
  expect(f, "boolean", &flags, 5, "x", true);
  flags.true_count = 3;
  expect(f, "boolean", &flags, 5, "x", true);
  expect(f, "boolean", &flags, 5, "not x", true);
  skep_orc_stats ts = {.has_count = true,
                       .count = 5,
                       .has_null_known = true,
                       .kind = SKEP_ORC_STATS_TS,
                       .has_min = true,
                       .has_max = true,
                       .min = {.ts = {0, 1000000, 0}},
                       .max = {.ts = {0, 1999999, 0}}};
  expect(f, "timestamp", &ts, 5, "x = '1970-01-01 00:00:00.001500'", true);
  expect(f, "timestamp", &ts, 5, "x < '1970-01-01 00:00:00.001'", false);
  expect(f, "timestamp", &ts, 5, "x > '1970-01-01 00:00:00.001999999'", false);
  ts.max.ts = ts.min.ts;
  expect(f, "timestamp", &ts, 5, "x <> '1970-01-01 00:00:00.001'", true); /* rounded: not one value */
}

static void empty_bloom_filters_exclude_equality_only(void **state) {
  fixture *f = *state;
  static const uint64_t no_bits[4] = {0};
  static const struct {
    const char *type, *predicate;
    bool may_match;
  } cases[] = {
      {"int", "x = 1", false},
      {"int", "x in (1, 2)", false},
      {"int", "x <=> 1", false},
      {"int", "x < 1", true},
      {"int", "x <> 1", true},
      {"bigint", "x = 1", false},
      {"double", "x = 0", false},
      {"double", "x = 'NaN'", true},
      {"string", "x = 'a'", false},
      {"string", "x like 'a'", false},
      {"string", "x like 'a%'", true},
      {"string", "x = 1", true},
      {"char(3)", "x = 'a'", true},
      {"varchar(3)", "x = 'a'", false},
      {"binary", "x = 'a'", false},
      {"date", "x = '2020-01-01'", false},
      {"decimal(5,2)", "x = 1.5", false},
      {"boolean", "x", true},
      {"timestamp", "x = '2020-01-01'", false},
      {"timestamp with local time zone", "x = '2020-01-01'", true},
      {"int", "x in (1, null)", false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char schema[100];
    snprintf(schema, sizeof schema, "struct<x:%s>", cases[i].type);
    skep_orc_bloom bloom = {3, 4, no_bits, true};
    one_column c = {{NULL, &bloom, 5}, true, true};
    const skep_pred *pred = bound_to(f, type_of(f, schema), cases[i].predicate);
    if (skep_orc_sarg_may_match(pred, find_one, &c) != cases[i].may_match)
      fail_msg("%s: %s", cases[i].type, cases[i].predicate);
    bloom.utf8 = false;
    if (strcmp(cases[i].type, "timestamp") == 0) assert_true(skep_orc_sarg_may_match(pred, find_one, &c));
  }
}

/* ---- a set with a match is never skipped ---- */

enum { GROUP_ROWS = 4, BLOOM_WORDS = 4 };

typedef struct known_column {
  skep_orc_stats stats;
  skep_orc_bloom bloom;
  uint64_t words[BLOOM_WORDS];
  uint8_t text[2][8];
  bool has_stats, has_bloom, known;
} known_column;

static bool find_of_group(void *self, const skep_pred *leaf, skep_orc_evidence *out, bool *known) {
  const known_column *c = (const known_column *)self + leaf->path[0];
  *out = (skep_orc_evidence){c->has_stats ? &c->stats : NULL, c->has_bloom ? &c->bloom : NULL, GROUP_ROWS};
  *known = c->known;
  return true;
}

/* Adds a value by finding the bits whose absence excludes it. */
static void add_to_bloom(known_column *c, const skep_vec *vec, int64_t i) {
  uint64_t words[BLOOM_WORDS];
  skep_orc_bloom probe = c->bloom;
  probe.words = words;
  for (unsigned p = 0; p < BLOOM_WORDS * 64; p++) {
    memset(words, 0xff, sizeof words);
    words[p / 64] &= ~(UINT64_C(1) << (p % 64));
    bool without;
    switch (vec->type->kind) {
      case SKEP_SMALLINT:
        without = skep_orc_bloom_may_contain_i64(&probe, ((const int16_t *)vec->values.data)[i]);
        break;
      case SKEP_INT:
      case SKEP_DATE:
        without = skep_orc_bloom_may_contain_i64(&probe, ((const int32_t *)vec->values.data)[i]);
        break;
      case SKEP_BIGINT:
        without = skep_orc_bloom_may_contain_i64(&probe, ((const int64_t *)vec->values.data)[i]);
        break;
      case SKEP_FLOAT:
        without = skep_orc_bloom_may_contain_f64(&probe, (double)((const float *)vec->values.data)[i]);
        break;
      case SKEP_DOUBLE:
        without = skep_orc_bloom_may_contain_f64(&probe, ((const double *)vec->values.data)[i]);
        break;
      case SKEP_STRING:
        without = skep_orc_bloom_may_contain_bytes(&probe, skep_vec_bytes(vec, i));
        break;
      case SKEP_TIMESTAMP: {
        skep_ts ts = ((const skep_ts *)vec->values.data)[i];
        without = skep_orc_bloom_may_contain_i64(&probe, ts.seconds * 1000 + ts.nanos / 1000000);
        break;
      }
      case SKEP_DECIMAL: {
        uint8_t text[100];
        skep_buf shown = {.data = text, .capacity = sizeof text, .max_size = sizeof text - 1};
        skep_i128 v;
        memcpy(&v, (const char *)vec->values.data + 16 * i, sizeof v);
        skep_text_decimal(v, vec->type->scale, true, &shown);
        without = skep_orc_bloom_may_contain_bytes(&probe, skep_bytes_of(text, shown.size));
        break;
      }
      default:
        c->has_bloom = false;
        return;
    }
    if (!without) c->words[p / 64] |= UINT64_C(1) << (p % 64);
  }
}

static int order_of_entries(const skep_vec *vec, int64_t i, int64_t j) {
  const void *v = vec->values.data;
  skep_i128 a, b;
  switch (vec->type->kind) {
    case SKEP_FLOAT:
      return (((const float *)v)[i] > ((const float *)v)[j]) - (((const float *)v)[i] < ((const float *)v)[j]);
    case SKEP_DOUBLE:
      return (((const double *)v)[i] > ((const double *)v)[j]) - (((const double *)v)[i] < ((const double *)v)[j]);
    case SKEP_CHAR:
    case SKEP_STRING: {
      skep_bytes x = skep_vec_bytes(vec, i), y = skep_vec_bytes(vec, j);
      size_t n = x.left < y.left ? x.left : y.left;
      int order = n == 0 ? 0 : memcmp(x.at, y.at, n);
      return order != 0 ? order : (x.left > y.left) - (x.left < y.left);
    }
    case SKEP_TIMESTAMP: {
      skep_ts x = ((const skep_ts *)v)[i], y = ((const skep_ts *)v)[j];
      return x.seconds != y.seconds ? (x.seconds > y.seconds) - (x.seconds < y.seconds)
                                    : (x.nanos > y.nanos) - (x.nanos < y.nanos);
    }
    case SKEP_DECIMAL:
      memcpy(&a, (const char *)v + 16 * i, sizeof a);
      memcpy(&b, (const char *)v + 16 * j, sizeof b);
      return (a > b) - (a < b);
    case SKEP_SMALLINT:
      return (((const int16_t *)v)[i] > ((const int16_t *)v)[j]) - (((const int16_t *)v)[i] < ((const int16_t *)v)[j]);
    case SKEP_BIGINT:
      return (((const int64_t *)v)[i] > ((const int64_t *)v)[j]) - (((const int64_t *)v)[i] < ((const int64_t *)v)[j]);
    default:
      return (((const int32_t *)v)[i] > ((const int32_t *)v)[j]) - (((const int32_t *)v)[i] < ((const int32_t *)v)[j]);
  }
}

/* The text of a CHAR or STRING end, cut to one byte when `cut` (an upper end is raised then). */
static skep_bytes end_text(const skep_vec *vec, int64_t i, uint8_t *room, bool cut, bool upper, bool *is_bound) {
  skep_bytes text = skep_vec_bytes(vec, i);
  if (!cut || text.left < 2) return text;
  *is_bound = true;
  room[0] = (uint8_t)(text.at[0] + upper);
  return skep_bytes_of(room, 1);
}

static void set_ends(known_column *c, const skep_vec *vec, int64_t low, int64_t high, uint64_t random) {
  skep_orc_stats *s = &c->stats;
  const void *v = vec->values.data;
  s->has_min = random % 7 != 0;
  s->has_max = random / 7 % 7 != 0;
  switch (vec->type->kind) {
    case SKEP_SMALLINT:
      s->kind = SKEP_ORC_STATS_INT;
      s->min.i64 = ((const int16_t *)v)[low];
      s->max.i64 = ((const int16_t *)v)[high];
      break;
    case SKEP_INT:
    case SKEP_DATE:
      s->kind = vec->type->kind == SKEP_DATE ? SKEP_ORC_STATS_DATE : SKEP_ORC_STATS_INT;
      s->min.i64 = ((const int32_t *)v)[low];
      s->max.i64 = ((const int32_t *)v)[high];
      break;
    case SKEP_BIGINT:
      s->kind = SKEP_ORC_STATS_INT;
      s->min.i64 = ((const int64_t *)v)[low];
      s->max.i64 = ((const int64_t *)v)[high];
      break;
    case SKEP_FLOAT:
      s->kind = SKEP_ORC_STATS_DOUBLE;
      s->min.f64 = (double)((const float *)v)[low];
      s->max.f64 = (double)((const float *)v)[high];
      break;
    case SKEP_DOUBLE:
      s->kind = SKEP_ORC_STATS_DOUBLE;
      s->min.f64 = ((const double *)v)[low];
      s->max.f64 = ((const double *)v)[high];
      break;
    case SKEP_DECIMAL:
      s->kind = SKEP_ORC_STATS_DECIMAL;
      memcpy(&s->min.decimal.unscaled, (const char *)v + 16 * low, 16);
      memcpy(&s->max.decimal.unscaled, (const char *)v + 16 * high, 16);
      s->min.decimal.scale = s->max.decimal.scale = vec->type->scale;
      break;
    case SKEP_TIMESTAMP: /* rounded to milliseconds, outwards */
      s->kind = SKEP_ORC_STATS_TS;
      s->min.ts = ((const skep_ts *)v)[low];
      s->max.ts = ((const skep_ts *)v)[high];
      s->min.ts.nanos -= s->min.ts.nanos % 1000000;
      s->max.ts.nanos += 999999 - s->max.ts.nanos % 1000000;
      break;
    case SKEP_CHAR:
    case SKEP_STRING:
      s->kind = SKEP_ORC_STATS_STRING;
      s->min.bytes = end_text(vec, low, c->text[0], random & 64, false, &s->min_is_bound);
      s->max.bytes = end_text(vec, high, c->text[1], random & 128, true, &s->max_is_bound);
      break;
    default:
      break;
  }
}

/* What a writer would have recorded, with parts left out at random. */
static void know(known_column *c, const skep_vec *vec, uint64_t random) {
  *c = (known_column){.has_stats = random % 5 != 0, .has_bloom = random / 5 % 2 == 0, .known = random / 10 % 11 != 0};
  c->bloom = (skep_orc_bloom){2, BLOOM_WORDS, c->words, true};
  int64_t low = -1, high = -1;
  bool has_nan = false;
  for (int64_t i = 0; i < vec->length; i++) {
    if (!skep_vec_is_valid(vec, i)) continue;
    c->stats.count++;
    if (c->has_bloom) add_to_bloom(c, vec, i);
    if (vec->type->kind == SKEP_BOOLEAN)
      c->stats.true_count += ((const uint8_t *)vec->values.data)[i >> 3] >> (i & 7) & 1;
    bool is_nan = (vec->type->kind == SKEP_FLOAT && isnan(((const float *)vec->values.data)[i])) ||
                  (vec->type->kind == SKEP_DOUBLE && isnan(((const double *)vec->values.data)[i]));
    has_nan |= is_nan;
    if (is_nan) continue;
    if (low < 0 || order_of_entries(vec, i, low) < 0) low = i;
    if (high < 0 || order_of_entries(vec, i, high) > 0) high = i;
  }
  c->stats.has_count = random / 110 % 3 != 0;
  c->stats.has_null_known = random / 330 % 3 != 0;
  c->stats.has_null = c->stats.count < (uint64_t)vec->length;
  if (vec->type->kind == SKEP_BOOLEAN) c->stats.kind = SKEP_ORC_STATS_BOOLEAN;
  if (low >= 0 && vec->type->kind != SKEP_BOOLEAN) set_ends(c, vec, low, high, random / 1000);
  if (c->stats.kind == SKEP_ORC_STATS_DOUBLE) {
    c->stats.has_sum = random / 990 % 2 == 0;
    c->stats.sum.f64 = has_nan ? NAN : 0;
  }
}

static void groups_with_a_match_are_never_skipped(void **state) {
  fixture *f = *state;
  uint64_t seed = 99;
  int n_skipped = 0, n_without = 0;
  skep_buf text;
  skep_buf_init(&text, &f->ctx, 1 << 16);
  for (int group = 0; group < 150; group++) {
    skep_vec columns[N_RANDOM_TYPES] = {{0}}, root;
    known_column known[N_RANDOM_TYPES];
    make_random_root(f, &seed, GROUP_ROWS, columns, &root);
    for (size_t c = 0; c < N_RANDOM_TYPES; c++) know(&known[c], &columns[c], next_random(&seed) >> 8);
    for (int round = 0; round < 200; round++) {
      int32_t rows[GROUP_ROWS];
      int64_t n = 0;
      skep_buf_reset(&text);
      append_random_predicate(root.type, &seed, round % 3, &text);
      const skep_pred *bound = bound_to(f, root.type, skep_buf_string(&text));
      assert_int_equal(skep_pred_filter(&f->ctx, bound, &root, rows, &n, &f->err), SKEP_OK);
      bool may = skep_orc_sarg_may_match(bound, find_of_group, known);
      if (n != 0 && !may) fail_msg("group %d was skipped: %s", group, skep_buf_string(&text));
      n_without += n == 0;
      n_skipped += !may;
    }
    for (size_t c = 0; c < N_RANDOM_TYPES; c++) skep_vec_fini(&columns[c]);
    skep_arena_fini(&f->arena);
    skep_arena_init(&f->arena, &f->ctx, 1 << 26);
  }
  assert_true(n_skipped > n_without / 3); /* and skipping does happen */
  skep_buf_fini(&text);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(whole_numbers_outside_the_range_are_skipped),
      TEST(nulls_are_possible_unless_excluded),
      TEST(unknown_columns_keep_and_missing_ones_are_null),
      TEST(nan_is_expected_where_it_is_not_excluded),
      TEST(strings_compare_bytewise_and_by_prefix),
      TEST(char_may_be_stored_padded_or_not),
      TEST(decimals_compare_at_any_scale),
      TEST(dates_booleans_and_timestamps_have_ranges),
      TEST(empty_bloom_filters_exclude_equality_only),
      TEST(groups_with_a_match_are_never_skipped),
  };
  return cmocka_run_group_tests_name("sarg", tests, NULL, NULL);
}
