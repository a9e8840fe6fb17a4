/* Exact filtering of batches. Every node of the tree gives one byte a row (FALSE 0, NULL 1, TRUE 2), so that AND, OR
 * and NOT are the minimum, the maximum and 2 - x, and leaves are tight loops over typed buffers.
 *
 * Comparisons of ordered fixed-width values all become "low <= v and v <= high" with the ends in the column's own
 * units. Strings are tested one by one, dictionaries once per entry. NULLs are put in at the end of each leaf. */
#include <float.h>
#include <math.h>

#include "base/checked.h"
#include "base/err.h"
#include "column/predicate_int.h"
#include "column/text_int.h"

/* ---- ranges ---- */

/* Both ends belong to the range; empty when low > high. */
typedef struct range_i64 {
  int64_t low, high;
} range_i64;

typedef struct range_i128 {
  skep_i128 low, high;
} range_i128;

typedef struct range_f64 {
  double low, high;
  bool has_nan;
} range_f64;

#define I128_MAX ((skep_i128)(((unsigned __int128)1 << 127) - 1))
#define I128_MIN (-I128_MAX - 1)

/* The values for which `v op literal(s)` holds, where the literals are whole numbers in the column's units. */
static range_i128 range_of(skep_pred_op op, skep_i128 first, skep_i128 second) {
  switch (op) {
    case SKEP_PRED_LT:
      return first == I128_MIN ? (range_i128){1, 0} : (range_i128){I128_MIN, first - 1};
    case SKEP_PRED_LE:
      return (range_i128){I128_MIN, first};
    case SKEP_PRED_GT:
      return first == I128_MAX ? (range_i128){1, 0} : (range_i128){first + 1, I128_MAX};
    case SKEP_PRED_GE:
      return (range_i128){first, I128_MAX};
    case SKEP_PRED_BETWEEN:
      return (range_i128){first, second};
    default:
      return (range_i128){first, first};
  }
}

/* The part of a range that a narrower integer can reach. */
static range_i64 clamp(range_i128 r, int64_t min, int64_t max) {
  if (r.low > r.high || r.low > max || r.high < min) return (range_i64){1, 0};
  return (range_i64){r.low < min ? min : (int64_t)r.low, r.high > max ? max : (int64_t)r.high};
}

static range_f64 range_of_f64(skep_pred_op op, double first, double second) {
  const range_f64 none = {1, 0, false};
  switch (op) {
    case SKEP_PRED_LT:
      if (isnan(first)) return (range_f64){-INFINITY, INFINITY, false};
      return first == -INFINITY ? none : (range_f64){-INFINITY, nextafter(first, -INFINITY), false};
    case SKEP_PRED_LE:
      return (range_f64){-INFINITY, isnan(first) ? INFINITY : first, isnan(first)};
    case SKEP_PRED_GT:
      if (isnan(first)) return none;
      return first == INFINITY ? (range_f64){1, 0, true} : (range_f64){nextafter(first, INFINITY), INFINITY, true};
    case SKEP_PRED_GE:
      return isnan(first) ? (range_f64){1, 0, true} : (range_f64){first, INFINITY, true};
    case SKEP_PRED_BETWEEN:
      if (isnan(first)) return (range_f64){1, 0, isnan(second)};
      return (range_f64){first, isnan(second) ? INFINITY : second, isnan(second)};
    default:
      return isnan(first) ? (range_f64){1, 0, true} : (range_f64){first, first, false};
  }
}

/* ---- loops ---- */

/* One unsigned comparison tests both ends. */
#define DEFINE_RANGE_LOOP(name, type, unsigned_type)                                                        \
  static void name(const type *restrict v, int64_t n, type low, type high, uint8_t *restrict out) {         \
    unsigned_type width = (unsigned_type)((unsigned_type)high - (unsigned_type)low);                        \
    for (int64_t i = 0; i < n; i++) {                                                                       \
      out[i] = (uint8_t)(((unsigned_type)((unsigned_type)v[i] - (unsigned_type)low) <= width) * PRED_TRUE); \
    }                                                                                                       \
  }
DEFINE_RANGE_LOOP(range_loop_i8, int8_t, uint8_t)
DEFINE_RANGE_LOOP(range_loop_i16, int16_t, uint16_t)
DEFINE_RANGE_LOOP(range_loop_i32, int32_t, uint32_t)
DEFINE_RANGE_LOOP(range_loop_i64, int64_t, uint64_t)

static void loop_i128(const uint8_t *restrict v, int64_t n, range_i128 r, uint8_t *restrict out) {
  for (int64_t i = 0; i < n; i++) {
    skep_i128 x;
    memcpy(&x, v + 16 * i, sizeof x); /* a lent buffer may be aligned to 8 only */
    out[i] = (uint8_t)((x >= r.low && x <= r.high) * PRED_TRUE);
  }
}

static void loop_f32(const float *restrict v, int64_t n, range_f64 r, uint8_t *restrict out) {
  for (int64_t i = 0; i < n; i++) {
    double x = (double)v[i];
    out[i] = (uint8_t)((((x >= r.low) & (x <= r.high)) | ((x != x) & r.has_nan)) * PRED_TRUE);
  }
}

static void loop_f64(const double *restrict v, int64_t n, range_f64 r, uint8_t *restrict out) {
  for (int64_t i = 0; i < n; i++) {
    double x = v[i];
    out[i] = (uint8_t)((((x >= r.low) & (x <= r.high)) | ((x != x) & r.has_nan)) * PRED_TRUE);
  }
}

/* Nanoseconds since 1970 of any skep_ts: more than 64 bits. */
static skep_i128 nanos_of(skep_ts ts) { return (skep_i128)ts.seconds * 1000000000 + ts.nanos; }

static void loop_ts(const skep_ts *restrict v, int64_t n, range_i128 r, uint8_t *restrict out) {
  for (int64_t i = 0; i < n; i++) {
    skep_i128 x = nanos_of(v[i]);
    out[i] = (uint8_t)((x >= r.low && x <= r.high) * PRED_TRUE);
  }
}

/* A range of nanoseconds in a coarser unit, of whose values only those inside count. */
static range_i128 in_units(range_i128 r, int64_t unit) {
  skep_i128 low = r.low / unit, high = r.high / unit;
  if (low * unit < r.low) low++;
  if (high * unit > r.high) high--;
  return (range_i128){low, high};
}

static bool entry_bool(const skep_vec *vec, int64_t i) {
  const uint8_t *values = vec->values.data;
  return vec->form == SKEP_FORM_BOOL_BYTES ? values[i] != 0 : (values[i >> 3] >> (i & 7) & 1) != 0;
}

static void loop_bool(const skep_vec *vec, range_i64 r, uint8_t *out) {
  uint8_t answer[2] = {r.low <= 0 && r.high >= 0 ? PRED_TRUE : PRED_FALSE,
                       r.low <= 1 && r.high >= 1 ? PRED_TRUE : PRED_FALSE};
  for (int64_t i = 0; i < vec->length; i++) out[i] = answer[entry_bool(vec, i)];
}

/* ---- fixed-width leaves ---- */

static skep_status wrong_form(const skep_vec *vec, skep_err *err) {
  return skep_fail(err, SKEP_ERR_INTERNAL, "a predicate on %s met a vector of form %d", skep_kind_name(vec->type->kind),
                   (int)vec->form);
}

/* Rows whose whole-number value (integers, dates, booleans, unscaled decimals, timestamps in nanoseconds) is in the
 * range. */
static skep_status filter_range(const skep_vec *vec, range_i128 r, uint8_t *out, skep_err *err) {
  int64_t n = vec->length;
  const void *v = vec->values.data;
  range_i64 c = clamp(r, INT64_MIN, INT64_MAX);
  switch (vec->form) {
    case SKEP_FORM_BOOL_BITS:
    case SKEP_FORM_BOOL_BYTES:
      loop_bool(vec, c, out);
      return SKEP_OK;
    case SKEP_FORM_I8:
      c = clamp(r, INT8_MIN, INT8_MAX);
      break;
    case SKEP_FORM_I16:
      c = clamp(r, INT16_MIN, INT16_MAX);
      break;
    case SKEP_FORM_I32:
      c = clamp(r, INT32_MIN, INT32_MAX);
      break;
    case SKEP_FORM_I64:
      break;
    case SKEP_FORM_TS_US:
      c = clamp(in_units(r, 1000), INT64_MIN, INT64_MAX);
      break;
    case SKEP_FORM_TS_NS:
      break;
    case SKEP_FORM_I128:
      loop_i128(v, n, r, out);
      return SKEP_OK;
    case SKEP_FORM_TS:
      loop_ts(v, n, r, out);
      return SKEP_OK;
    default:
      return wrong_form(vec, err);
  }
  if (c.low > c.high) {
    memset(out, PRED_FALSE, (size_t)n);
  } else if (vec->form == SKEP_FORM_I8) {
    range_loop_i8(v, n, (int8_t)c.low, (int8_t)c.high, out);
  } else if (vec->form == SKEP_FORM_I16) {
    range_loop_i16(v, n, (int16_t)c.low, (int16_t)c.high, out);
  } else if (vec->form == SKEP_FORM_I32) {
    range_loop_i32(v, n, (int32_t)c.low, (int32_t)c.high, out);
  } else {
    range_loop_i64(v, n, c.low, c.high, out);
  }
  return SKEP_OK;
}

static skep_status filter_range_f64(const skep_vec *vec, range_f64 r, uint8_t *out, skep_err *err) {
  if (vec->form == SKEP_FORM_F32) {
    loop_f32(vec->values.data, vec->length, r, out);
  } else if (vec->form == SKEP_FORM_F64) {
    loop_f64(vec->values.data, vec->length, r, out);
  } else {
    return wrong_form(vec, err);
  }
  return SKEP_OK;
}

static skep_i128 whole_number(const skep_literal *literal) {
  switch (literal->kind) {
    case SKEP_LIT_DECIMAL:
      return literal->decimal;
    case SKEP_LIT_TS:
      return nanos_of(literal->ts);
    default:
      return literal->i64;
  }
}

/* `v op literal` over a whole column; for IN, one of its literals with op EQ. */
static skep_status filter_fixed(const skep_vec *vec, skep_pred_op op, const skep_literal *literals, uint8_t *out,
                                skep_err *err) {
  const skep_literal *second = op == SKEP_PRED_BETWEEN ? &literals[1] : &literals[0];
  if (literals->kind == SKEP_LIT_F64)
    return filter_range_f64(vec, range_of_f64(op, literals->f64, second->f64), out, err);
  return filter_range(vec, range_of(op, whole_number(literals), whole_number(second)), out, err);
}

/* Whole-number value of an entry, for long IN lists. */
static skep_i128 entry_number(const skep_vec *vec, int64_t i) {
  skep_i128 wide;
  switch (vec->form) {
    case SKEP_FORM_BOOL_BITS:
    case SKEP_FORM_BOOL_BYTES:
      return entry_bool(vec, i);
    case SKEP_FORM_I8:
      return ((const int8_t *)vec->values.data)[i];
    case SKEP_FORM_I16:
      return ((const int16_t *)vec->values.data)[i];
    case SKEP_FORM_I32:
      return ((const int32_t *)vec->values.data)[i];
    case SKEP_FORM_TS:
      return nanos_of(((const skep_ts *)vec->values.data)[i]);
    case SKEP_FORM_TS_US:
      return (skep_i128)((const int64_t *)vec->values.data)[i] * 1000;
    case SKEP_FORM_I128:
      memcpy(&wide, (const uint8_t *)vec->values.data + 16 * i, sizeof wide);
      return wide;
    default:
      return ((const int64_t *)vec->values.data)[i];
  }
}

static int order_to_literal(const skep_vec *vec, int64_t i, const skep_literal *literal) {
  if (literal->kind == SKEP_LIT_F64) {
    double v = vec->form == SKEP_FORM_F32 ? (double)((const float *)vec->values.data)[i]
                                          : ((const double *)vec->values.data)[i];
    return skep_pred_compare_f64(v, literal->f64);
  }
  skep_i128 v = entry_number(vec, i), x = whole_number(literal);
  return (v > x) - (v < x);
}

static bool in_sorted(const skep_vec *vec, int64_t i, const skep_literal *literals, uint32_t n) {
  uint32_t low = 0, high = n;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    int order = order_to_literal(vec, i, &literals[middle]);
    if (order == 0) return true;
    if (order < 0) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return false;
}

enum { SHORT_IN_LIST = 8 }; /* up to here a pass for each literal is faster than searching for each row */

static void merge(uint8_t *restrict out, const uint8_t *restrict other, size_t n) {
  for (size_t i = 0; i < n; i++) out[i] |= other[i];
}

static skep_status filter_fixed_in(const skep_vec *vec, const skep_literal *literals, uint32_t n, uint8_t *out,
                                   uint8_t *scratch, skep_err *err) {
  if (n > SHORT_IN_LIST) {
    if (vec->form == SKEP_FORM_NONE || vec->form >= SKEP_FORM_STR) return wrong_form(vec, err);
    for (int64_t i = 0; i < vec->length; i++) out[i] = in_sorted(vec, i, literals, n) ? PRED_TRUE : PRED_FALSE;
    return SKEP_OK;
  }
  memset(out, PRED_FALSE, (size_t)vec->length);
  for (uint32_t k = 0; k < n; k++) {
    SKEP_TRY(filter_fixed(vec, SKEP_PRED_EQ, &literals[k], scratch, err));
    merge(out, scratch, (size_t)vec->length);
  }
  return SKEP_OK;
}

/* ---- strings ---- */

static bool answers(skep_pred_op op, int order, int order_to_second) {
  switch (op) {
    case SKEP_PRED_LT:
      return order < 0;
    case SKEP_PRED_LE:
      return order <= 0;
    case SKEP_PRED_GT:
      return order > 0;
    case SKEP_PRED_GE:
      return order >= 0;
    case SKEP_PRED_BETWEEN:
      return order >= 0 && order_to_second <= 0;
    default:
      return order == 0;
  }
}

static skep_bytes without_trailing_blanks(skep_bytes v) {
  while (v.left != 0 && v.at[v.left - 1] == ' ') v.left--;
  return v;
}

/* The order of a value, converted to the literal's type, to it; false when it is no value of that type. */
static bool converted_order(skep_bytes v, const skep_literal *literal, int *order) {
  double f;
  int64_t days;
  skep_ts ts;
  switch (literal->kind) {
    case SKEP_LIT_F64:
      if (!skep_parse_f64(skep_text_trim(v), &f)) return false;
      *order = skep_pred_compare_f64(f, literal->f64);
      return true;
    case SKEP_LIT_I64:
      if (!skep_text_cast_date(v, &days)) return false;
      *order = (days > literal->i64) - (days < literal->i64);
      return true;
    default:
      if (!skep_text_cast_ts(v, &ts)) return false;
      *order = (nanos_of(ts) > nanos_of(literal->ts)) - (nanos_of(ts) < nanos_of(literal->ts));
      return true;
  }
}

/* A leaf over strings, ready to test values. */
typedef struct string_test {
  skep_pred_op op;
  const skep_literal *literals;
  uint32_t n_literals; /* NULLs not counted */
  bool ignores_blanks;
  skep_like like;
} string_test;

static uint8_t test_converted(const string_test *t, skep_bytes v) {
  int order = 0, second = 0;
  for (uint32_t k = 0; k < t->n_literals; k++) {
    if (!converted_order(v, &t->literals[k], t->op == SKEP_PRED_BETWEEN && k == 1 ? &second : &order)) {
      return t->op == SKEP_PRED_NULL_EQ ? PRED_FALSE : PRED_UNKNOWN;
    }
    if (t->op == SKEP_PRED_IN && order == 0) return PRED_TRUE;
  }
  if (t->op == SKEP_PRED_IN) return PRED_FALSE;
  return answers(t->op, order, second) ? PRED_TRUE : PRED_FALSE;
}

static bool in_sorted_strings(const string_test *t, skep_bytes v) {
  uint32_t low = 0, high = t->n_literals;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    int order = skep_pred_compare_bytes(v, t->literals[middle].bytes);
    if (order == 0) return true;
    if (order < 0) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return false;
}

static uint8_t test_string(const string_test *t, skep_bytes v) {
  if (t->ignores_blanks) v = without_trailing_blanks(v);
  bool answer;
  if (t->literals->kind != SKEP_LIT_BYTES) return test_converted(t, v);
  if (t->op == SKEP_PRED_LIKE) {
    answer = skep_like_matches(&t->like, v);
  } else if (t->op == SKEP_PRED_IN) {
    answer = in_sorted_strings(t, v);
  } else if (t->op == SKEP_PRED_EQ || t->op == SKEP_PRED_NULL_EQ) {
    skep_bytes x = t->literals->bytes;
    answer = v.left == x.left && (v.left == 0 || memcmp(v.at, x.at, v.left) == 0);
  } else {
    int second = t->op == SKEP_PRED_BETWEEN ? skep_pred_compare_bytes(v, t->literals[1].bytes) : 0;
    answer = answers(t->op, skep_pred_compare_bytes(v, t->literals[0].bytes), second);
  }
  return answer ? PRED_TRUE : PRED_FALSE;
}

static void filter_offsets(const string_test *t, const skep_vec *vec, uint8_t *out) {
  const int32_t *offsets = vec->offsets.data;
  const uint8_t *heap = vec->heap.data;
  for (int64_t i = 0; i < vec->length; i++) {
    size_t length = (size_t)(offsets[i + 1] - offsets[i]);
    out[i] = test_string(t, (skep_bytes){length == 0 ? heap : heap + offsets[i], length});
  }
}

/* Once per dictionary entry, when that is less work than once per row. */
static skep_status filter_dictionary(const skep_ctx *ctx, const string_test *t, const skep_vec *vec, uint8_t *out,
                                     skep_err *err) {
  const int32_t *codes = vec->values.data;
  const skep_dict *dict = vec->dict;
  if (dict == NULL || dict->count == 0) { /* all rows are NULL */
    memset(out, PRED_FALSE, (size_t)vec->length);
    return SKEP_OK;
  }
  if (dict->count > vec->length) {
    for (int64_t i = 0; i < vec->length; i++) {
      uint32_t first = dict->offsets[codes[i]], length = dict->offsets[codes[i] + 1] - first;
      out[i] = test_string(t, (skep_bytes){dict->bytes + first, length});
    }
    return SKEP_OK;
  }
  uint8_t *answer = skep_alloc(ctx, dict->count);
  if (answer == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "answers for %u dictionary entries", dict->count);
  for (uint32_t k = 0; k < dict->count; k++) {
    answer[k] = test_string(t, (skep_bytes){dict->bytes + dict->offsets[k], dict->offsets[k + 1] - dict->offsets[k]});
  }
  for (int64_t i = 0; i < vec->length; i++) out[i] = answer[codes[i]];
  skep_release(ctx, answer);
  return SKEP_OK;
}

static skep_status filter_strings(const skep_ctx *ctx, const skep_pred *leaf, uint32_t n_literals, const skep_vec *vec,
                                  uint8_t *out, skep_err *err) {
  string_test t = {.op = leaf->op,
                   .literals = leaf->literals,
                   .n_literals = n_literals,
                   .ignores_blanks = leaf->type->kind == SKEP_CHAR};
  if (leaf->op == SKEP_PRED_LIKE) t.like = skep_like_of(leaf->literals->bytes);
  switch (vec->form) {
    case SKEP_FORM_STR:
      filter_offsets(&t, vec, out);
      return SKEP_OK;
    case SKEP_FORM_DICT:
      return filter_dictionary(ctx, &t, vec, out, err);
    case SKEP_FORM_VIEW:
      for (int64_t i = 0; i < vec->length; i++) {
        out[i] = skep_vec_is_valid(vec, i) ? test_string(&t, skep_vec_bytes(vec, i)) : PRED_FALSE;
      }
      return SKEP_OK;
    default:
      return wrong_form(vec, err);
  }
}

/* ---- the tree ---- */

static void put_nulls(const skep_vec *vec, uint8_t answer, uint8_t *out) {
  if (!vec->has_nulls) return;
  const uint8_t *bits = vec->validity.data;
  for (int64_t i = 0; i < vec->length; i++) {
    if ((bits[i >> 3] >> (i & 7) & 1) == 0) out[i] = answer;
  }
}

typedef struct filter {
  const skep_ctx *ctx;
  const skep_vec *root;
  skep_err *err;
} filter;

static const skep_vec *column_of(const filter *f, const skep_pred *leaf) {
  const skep_vec *vec = f->root;
  for (uint32_t i = 0; i < leaf->path_length; i++) vec = &vec->children[leaf->path[i]];
  return vec;
}

/* out and scratch have room for a byte a row. */
static skep_status filter_leaf(const filter *f, const skep_pred *leaf, uint8_t *out, uint8_t *scratch) {
  const skep_vec *vec = column_of(f, leaf);
  size_t n = (size_t)f->root->length;
  if (leaf->op == SKEP_PRED_IS_NULL) {
    memset(out, PRED_FALSE, n);
    put_nulls(vec, PRED_TRUE, out);
    return SKEP_OK;
  }
  uint32_t n_literals = leaf->n_literals;
  bool has_null = leaf->literals[n_literals - 1].is_null;
  n_literals -= has_null;
  if (skep_kind_is_bytes(leaf->type->kind)) {
    SKEP_TRY(filter_strings(f->ctx, leaf, n_literals, vec, out, f->err));
  } else if (leaf->op == SKEP_PRED_IN) {
    SKEP_TRY(filter_fixed_in(vec, leaf->literals, n_literals, out, scratch, f->err));
  } else {
    SKEP_TRY(filter_fixed(vec, leaf->op, leaf->literals, out, f->err));
  }
  for (size_t i = 0; has_null && i < n; i++)
    out[i] |= PRED_UNKNOWN & (uint8_t) - (out[i] == PRED_FALSE); /* not in: NULL */
  put_nulls(vec, leaf->op == SKEP_PRED_NULL_EQ ? PRED_FALSE : PRED_UNKNOWN, out);
  return SKEP_OK;
}

static uint8_t byte_of(skep_truth truth) {
  return truth == SKEP_TRUE ? PRED_TRUE : truth == SKEP_FALSE ? PRED_FALSE : PRED_UNKNOWN;
}

/* Combines `other` into `out`; whether the rest of the operands can still change anything. */
static bool combine(skep_pred_op op, uint8_t *restrict out, const uint8_t *restrict other, size_t n) {
  uint8_t settled = op == SKEP_PRED_AND ? PRED_FALSE : PRED_TRUE, open = 0;
  if (op == SKEP_PRED_AND) {
    for (size_t i = 0; i < n; i++) out[i] = out[i] < other[i] ? out[i] : other[i];
  } else {
    for (size_t i = 0; i < n; i++) out[i] = out[i] > other[i] ? out[i] : other[i];
  }
  for (size_t i = 0; i < n; i++) open |= out[i] ^ settled;
  return open != 0;
}

/* `out` is followed by one more block of n bytes for each level of the tree below, and one for leaves. */
static skep_status filter_node(const filter *f, const skep_pred *pred, uint8_t *out) {
  size_t n = (size_t)f->root->length;
  switch (pred->op) {
    case SKEP_PRED_CONST:
      memset(out, byte_of(pred->constant), n);
      return SKEP_OK;
    case SKEP_PRED_NOT:
      SKEP_TRY(filter_node(f, pred->children[0], out));
      for (size_t i = 0; i < n; i++) out[i] = (uint8_t)(PRED_TRUE - out[i]);
      return SKEP_OK;
    case SKEP_PRED_AND:
    case SKEP_PRED_OR:
      SKEP_TRY(filter_node(f, pred->children[0], out));
      for (uint32_t i = 1; i < pred->n_children; i++) {
        SKEP_TRY(filter_node(f, pred->children[i], out + n));
        if (!combine(pred->op, out, out + n, n)) break;
      }
      return SKEP_OK;
    default:
      return filter_leaf(f, pred, out, out + n);
  }
}

static size_t height_of(const skep_pred *pred) {
  size_t highest = 0;
  for (uint32_t i = 0; i < pred->n_children; i++) {
    size_t h = height_of(pred->children[i]);
    if (h > highest) highest = h;
  }
  return highest + 1;
}

/* Positions of the rows that are TRUE, eight at a time where they are all or none. */
static int64_t gather(const uint8_t *mask, size_t n, int32_t *rows) {
  static const uint64_t all_true = UINT64_C(0x0101010101010101) * PRED_TRUE;
  int64_t kept = 0;
  for (size_t i = 0; i < n;) {
    uint64_t word = 0;
    if (n - i >= 8) memcpy(&word, mask + i, 8);
    if (n - i >= 8 && (word & all_true) == 0) {
      i += 8;
    } else if (word == all_true) {
      for (int k = 0; k < 8; k++) rows[kept + k] = (int32_t)i + k;
      kept += 8;
      i += 8;
    } else {
      for (size_t end = n - i < 8 ? n : i + 8; i < end; i++) {
        rows[kept] = (int32_t)i; /* kept <= i: never beyond the room */
        kept += mask[i] == PRED_TRUE;
      }
    }
  }
  return kept;
}

skep_status skep_pred_filter(const skep_ctx *ctx, const skep_pred *bound, const skep_vec *root, int32_t *rows,
                             int64_t *n_rows, skep_err *err) {
  *n_rows = 0;
  if (root->length == 0) return SKEP_OK;
  size_t n = (size_t)root->length;
  size_t size;
  uint8_t *masks = skep_mul_size(height_of(bound) + 1, n, &size) ? skep_alloc(ctx, size) : NULL;
  if (masks == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "masks of a predicate over %zu rows", n);
  filter f = {ctx, root, err};
  skep_status status = filter_node(&f, bound, masks);
  if (status == SKEP_OK) *n_rows = gather(masks, n, rows);
  skep_release(ctx, masks);
  return status;
}
