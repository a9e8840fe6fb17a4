/* Search arguments: every node's answer is a set of truth values that rows may have; TRUE missing at the root means
 * skip.
 *
 * The sets are upper bounds: a value is left out only when the evidence excludes it. NOT works on sets (it swaps TRUE
 * and FALSE), so that a comparison must also know when FALSE cannot be, which needs exact minima and maxima.
 *
 * What minima and maxima do not say, and is allowed for here:
 *   doubles     NaN is not in them; without a sum that is a number a NaN must be expected, which satisfies x > 1
 *   timestamps  the minimum is rounded down and the maximum up, so that one value never fills the range
 *   strings     a bound stands for a minimum or maximum that was cut
 *   char        values may be stored with or without their padding, and the order of padded texts is another one when
 *               a control character follows a common start */
#include "orc/sarg.h"

#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "column/text.h"

typedef unsigned truths; /* a set of: */
enum { MAY_BE_FALSE = 1, MAY_BE_TRUE = 2, MAY_BE_NULL = 4, MAY_BE_ANY = 7 };

/* ---- sets ---- */

static truths not_of(truths a) {
  return (a & MAY_BE_NULL) | (a & MAY_BE_TRUE ? MAY_BE_FALSE : 0) | (a & MAY_BE_FALSE ? MAY_BE_TRUE : 0);
}

static truths and_of(truths a, truths b) {
  truths both = a & b & MAY_BE_TRUE, either = (a | b) & MAY_BE_FALSE;
  bool null = ((a & MAY_BE_NULL) != 0 && (b & (MAY_BE_NULL | MAY_BE_TRUE)) != 0) ||
              ((b & MAY_BE_NULL) != 0 && (a & (MAY_BE_NULL | MAY_BE_TRUE)) != 0);
  return both | either | (null ? MAY_BE_NULL : 0);
}

static truths or_of(truths a, truths b) { return not_of(and_of(not_of(a), not_of(b))); }

static truths set_of(bool may_be_true, bool may_be_false) {
  return (may_be_true ? MAY_BE_TRUE : 0) | (may_be_false ? MAY_BE_FALSE : 0);
}

/* ---- comparing literals with minima and maxima ---- */

/* Orders of a literal against the ends: -1, 0, 1 as the end is below, equal to or above the literal. */
typedef struct ends {
  bool has_min, has_max;
  int min, max;
} ends;

static int order_i64(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int order_f64(double a, double b) { return (a > b) - (a < b); } /* neither is NaN */

static int order_ts(skep_ts a, skep_ts b) {
  return a.seconds != b.seconds ? order_i64(a.seconds, b.seconds) : order_i64(a.nanos, b.nanos);
}

static int order_bytes(skep_bytes a, skep_bytes b) {
  size_t n = a.left < b.left ? a.left : b.left;
  int order = n == 0 ? 0 : memcmp(a.at, b.at, n);
  return order != 0 ? order : (a.left > b.left) - (a.left < b.left);
}

/* a / 10^scale_a against b / 10^scale_b. The one with the smaller scale is widened; when that overflows it is the one
 * farther from zero, since the other is a 128-bit number. */
static int order_decimal(skep_i128 a, unsigned scale_a, skep_i128 b, unsigned scale_b) {
  if (scale_a > scale_b) return -order_decimal(b, scale_b, a, scale_a);
  for (; scale_a < scale_b && a != 0; scale_a++) {
    skep_i128 wider;
    if (__builtin_mul_overflow(a, (skep_i128)10, &wider)) return a < 0 ? -1 : 1;
    a = wider;
  }
  return (a > b) - (a < b);
}

/* A CHAR literal, trimmed, is compared with ends that may be padded (see ends_of). */
static int order_to_padded(skep_bytes end, skep_bytes literal) {
  size_t n = end.left < literal.left ? end.left : literal.left;
  int order = n == 0 ? 0 : memcmp(end.at, literal.at, n);
  if (order != 0 || end.left <= literal.left) return order != 0 ? order : end.left < literal.left ? -1 : 0;
  for (size_t i = n; i < end.left; i++) {
    if (end.at[i] != ' ') return end.at[i] < ' ' ? -1 : 1;
  }
  return 0;
}

static bool has_control(skep_bytes text) {
  for (size_t i = 0; i < text.left; i++) {
    if (text.at[i] < ' ') return true;
  }
  return false;
}

/* The kind of statistics that speaks of literals of a kind in a column; NONE when none does. */
static int stats_kind_of(skep_kind kind, const skep_literal *literal) {
  switch (kind) {
    case SKEP_BOOLEAN:
      return literal->kind == SKEP_LIT_BOOL ? SKEP_ORC_STATS_BOOLEAN : SKEP_ORC_STATS_NONE;
    case SKEP_TINYINT:
    case SKEP_SMALLINT:
    case SKEP_INT:
    case SKEP_BIGINT:
      return literal->kind == SKEP_LIT_I64 ? SKEP_ORC_STATS_INT : SKEP_ORC_STATS_NONE;
    case SKEP_FLOAT:
    case SKEP_DOUBLE:
      return literal->kind == SKEP_LIT_F64 ? SKEP_ORC_STATS_DOUBLE : SKEP_ORC_STATS_NONE;
    case SKEP_DECIMAL:
      return literal->kind == SKEP_LIT_DECIMAL ? SKEP_ORC_STATS_DECIMAL : SKEP_ORC_STATS_NONE;
    case SKEP_STRING:
    case SKEP_CHAR:
    case SKEP_VARCHAR:
      return literal->kind == SKEP_LIT_BYTES ? SKEP_ORC_STATS_STRING : SKEP_ORC_STATS_NONE;
    case SKEP_DATE:
      return literal->kind == SKEP_LIT_I64 ? SKEP_ORC_STATS_DATE : SKEP_ORC_STATS_NONE;
    case SKEP_TIMESTAMP:
    case SKEP_TIMESTAMP_TZ:
      return literal->kind == SKEP_LIT_TS ? SKEP_ORC_STATS_TS : SKEP_ORC_STATS_NONE;
    default:
      return SKEP_ORC_STATS_NONE;
  }
}

static ends boolean_ends(const skep_orc_stats *s, const skep_literal *x) {
  bool all_true = s->has_count && s->true_count >= s->count, any_true = s->true_count != 0;
  return (ends){true, true, order_i64(all_true, x->i64), order_i64(any_true, x->i64)};
}

static ends ends_of(const skep_orc_stats *s, skep_kind kind, const skep_literal *x) {
  ends e = {.has_min = s->has_min, .has_max = s->has_max};
  if (stats_kind_of(kind, x) != (int)s->kind) return (ends){0};
  switch (s->kind) {
    case SKEP_ORC_STATS_BOOLEAN:
      return boolean_ends(s, x);
    case SKEP_ORC_STATS_INT:
    case SKEP_ORC_STATS_DATE:
      e.min = order_i64(s->min.i64, x->i64);
      e.max = order_i64(s->max.i64, x->i64);
      return e;
    case SKEP_ORC_STATS_DOUBLE:
      if (isnan(x->f64)) return (ends){true, true, -1, -1}; /* all numbers are below it */
      e.has_min = e.has_min && !isnan(s->min.f64);
      e.has_max = e.has_max && !isnan(s->max.f64);
      e.min = order_f64(s->min.f64, x->f64);
      e.max = order_f64(s->max.f64, x->f64);
      return e;
    case SKEP_ORC_STATS_DECIMAL:
      if (e.has_min) e.min = order_decimal(s->min.decimal.unscaled, s->min.decimal.scale, x->decimal, x->scale);
      if (e.has_max) e.max = order_decimal(s->max.decimal.unscaled, s->max.decimal.scale, x->decimal, x->scale);
      return e;
    case SKEP_ORC_STATS_TS:
      if (e.has_min) e.min = order_ts(s->min.ts, x->ts);
      if (e.has_max) e.max = order_ts(s->max.ts, x->ts);
      return e;
    case SKEP_ORC_STATS_STRING:
      if (kind == SKEP_CHAR) {
        /* A value below or equal to x may be padded: it sorts at or below x with its padding, if x has nothing that
         * sorts below a blank. One above or equal to x starts with x or differs from it upwards, padded or not. */
        e.has_min = e.has_min && !has_control(x->bytes);
        if (e.has_min) e.min = order_to_padded(s->min.bytes, x->bytes);
      } else if (e.has_min) {
        e.min = order_bytes(s->min.bytes, x->bytes);
      }
      if (e.has_max) e.max = order_bytes(s->max.bytes, x->bytes);
      return e;
    default:
      return (ends){0};
  }
}

/* ---- bloom filters ---- */

static bool bloom_may_have_decimal(const skep_orc_bloom *bloom, const skep_literal *x) {
  for (int trim = 0; trim < 2; trim++) { /* Java hashes it without trailing zeros; do not depend on that */
    uint8_t text[128];
    skep_buf shown = {.data = text, .capacity = sizeof text, .max_size = sizeof text - 1};
    if (x->scale > 38) return true;
    skep_text_decimal(x->decimal, x->scale, trim != 0, &shown); /* 82 bytes at most: never grows */
    if (skep_orc_bloom_may_contain_bytes(bloom, skep_bytes_of(shown.data, shown.size))) return true;
  }
  return false;
}

/* False only when no value of the column can be equal to the literal. */
static bool bloom_may_have(const skep_orc_bloom *bloom, skep_kind kind, const skep_literal *x) {
  int64_t millis;
  switch (kind) {
    case SKEP_TINYINT:
    case SKEP_SMALLINT:
    case SKEP_INT:
    case SKEP_BIGINT:
    case SKEP_DATE:
      return x->kind != SKEP_LIT_I64 || skep_orc_bloom_may_contain_i64(bloom, x->i64);
    case SKEP_FLOAT:
    case SKEP_DOUBLE: /* hashed by their bits: zeros have two spellings, NaN many */
      if (x->kind != SKEP_LIT_F64 || isnan(x->f64)) return true;
      if (x->f64 == 0 && skep_orc_bloom_may_contain_f64(bloom, -x->f64)) return true;
      return skep_orc_bloom_may_contain_f64(bloom, x->f64);
    case SKEP_STRING:
    case SKEP_VARCHAR:
    case SKEP_BINARY:
      return x->kind != SKEP_LIT_BYTES || skep_orc_bloom_may_contain_bytes(bloom, x->bytes);
    case SKEP_DECIMAL:
      return x->kind != SKEP_LIT_DECIMAL || bloom_may_have_decimal(bloom, x);
    case SKEP_TIMESTAMP: /* milliseconds, in UTC only in the filters of kind UTF8 (ORC-135). Values of the last second
                            before 1970 read one second late, the C++ writer rounds negative ones towards zero. */
      if (x->kind != SKEP_LIT_TS || !bloom->utf8 || !skep_mul_i64(x->ts.seconds, 1000, &millis)) return true;
      if (!skep_add_i64(millis, x->ts.nanos / 1000000, &millis) || millis < INT64_MIN + 1000) return true;
      return skep_orc_bloom_may_contain_i64(bloom, millis) || skep_orc_bloom_may_contain_i64(bloom, millis - 1000) ||
             (millis < 0 && skep_orc_bloom_may_contain_i64(bloom, millis + 1));
    default:
      return true; /* booleans are not worth it; char is hashed padded or not, by writer */
  }
}

/* ---- leaves ---- */

static bool may_have_values(const skep_orc_evidence *e) {
  return e->stats == NULL || !e->stats->has_count || e->stats->count != 0;
}

static bool may_have_nulls(const skep_orc_evidence *e) {
  const skep_orc_stats *s = e->stats;
  if (s == NULL) return true;
  bool counts = s->has_count && e->n_rows != 0;
  if (counts && s->count < e->n_rows) return true; /* whatever else is said */
  if (s->has_null_known) return s->has_null;
  return !counts;
}

static bool may_have_nan(const skep_orc_stats *s, skep_kind kind) {
  if (kind != SKEP_FLOAT && kind != SKEP_DOUBLE) return false;
  return s == NULL || s->kind != SKEP_ORC_STATS_DOUBLE || !s->has_sum || isnan(s->sum.f64);
}

/* Whether equal minimum and maximum mean that all values are the same. */
static bool ends_are_values(const skep_orc_stats *s, skep_kind kind) {
  return !s->min_is_bound && !s->max_is_bound && s->kind != SKEP_ORC_STATS_TS && kind != SKEP_CHAR;
}

/* `v op x` where the ends of v's range are known. */
static truths compare_ends(skep_pred_op op, ends e) {
  switch (op) {
    case SKEP_PRED_LT:
      return set_of(!e.has_min || e.min < 0, !e.has_max || e.max >= 0);
    case SKEP_PRED_LE:
      return set_of(!e.has_min || e.min <= 0, !e.has_max || e.max > 0);
    case SKEP_PRED_GT:
      return set_of(!e.has_max || e.max > 0, !e.has_min || e.min <= 0);
    case SKEP_PRED_GE:
      return set_of(!e.has_max || e.max >= 0, !e.has_min || e.min < 0);
    default:
      return set_of((!e.has_min || e.min <= 0) && (!e.has_max || e.max >= 0),
                    !e.has_min || !e.has_max || e.min != 0 || e.max != 0);
  }
}

/* `NaN op x`: NaN is equal to itself and above all numbers. */
static truths compare_nan(skep_pred_op op, bool x_is_nan) {
  bool holds =
      op == SKEP_PRED_GE || (op == SKEP_PRED_GT && !x_is_nan) || (op != SKEP_PRED_LT && op != SKEP_PRED_GT && x_is_nan);
  return holds ? MAY_BE_TRUE : MAY_BE_FALSE;
}

/* Answers for the values that are neither NULL nor NaN. */
static truths compare(skep_pred_op op, skep_kind kind, const skep_orc_evidence *e, const skep_literal *x) {
  truths set = MAY_BE_TRUE | MAY_BE_FALSE;
  bool equality = op == SKEP_PRED_EQ || op == SKEP_PRED_NULL_EQ;
  if (e->stats != NULL) {
    set = compare_ends(op, ends_of(e->stats, kind, x));
    if (kind == SKEP_CHAR || (equality && !ends_are_values(e->stats, kind))) set |= MAY_BE_FALSE;
  }
  if (equality && e->bloom != NULL && !bloom_may_have(e->bloom, kind, x)) set &= ~(truths)MAY_BE_TRUE;
  return set;
}

static truths in_list(const skep_pred *leaf, const skep_orc_evidence *e) {
  truths set = MAY_BE_FALSE;
  for (uint32_t i = 0; i < leaf->n_literals; i++) {
    bool is_null = leaf->literals[i].is_null;
    set = or_of(set, is_null ? MAY_BE_NULL : compare(SKEP_PRED_EQ, leaf->type->kind, e, &leaf->literals[i]));
  }
  return set;
}

/* Values that match start with what stands before the first wildcard. FALSE is always possible. */
static truths like(const skep_pred *leaf, const skep_orc_evidence *e) {
  skep_bytes pattern = leaf->literals->bytes, prefix = {pattern.at, 0};
  while (prefix.left < pattern.left && memchr("%_\\", pattern.at[prefix.left], 3) == NULL) prefix.left++;
  if (prefix.left == pattern.left && leaf->type->kind != SKEP_CHAR) {
    return compare(SKEP_PRED_EQ, leaf->type->kind, e, leaf->literals) | MAY_BE_FALSE;
  }
  const skep_orc_stats *s = e->stats;
  if (s == NULL || s->kind != SKEP_ORC_STATS_STRING) return MAY_BE_TRUE | MAY_BE_FALSE;
  skep_bytes start = s->min.bytes;
  if (start.left > prefix.left) start.left = prefix.left;
  bool too_low = s->has_max && order_bytes(s->max.bytes, prefix) < 0;
  bool too_high = s->has_min && order_bytes(start, prefix) > 0;
  return set_of(!too_low && !too_high, true);
}

/* Answers for the values that are neither NULL nor NaN. */
static truths value_truths(const skep_pred *leaf, const skep_orc_evidence *e) {
  skep_kind kind = leaf->type->kind;
  switch (leaf->op) {
    case SKEP_PRED_IN:
      return in_list(leaf, e);
    case SKEP_PRED_LIKE:
      return like(leaf, e);
    case SKEP_PRED_BETWEEN:
      return and_of(compare(SKEP_PRED_GE, kind, e, &leaf->literals[0]),
                    compare(SKEP_PRED_LE, kind, e, &leaf->literals[1]));
    default:
      return compare(leaf->op, kind, e, leaf->literals);
  }
}

/* The answer for NaN. */
static truths nan_truths(const skep_pred *leaf) {
  truths set = MAY_BE_FALSE;
  const skep_literal *x = leaf->literals;
  switch (leaf->op) {
    case SKEP_PRED_BETWEEN:
      return and_of(compare_nan(SKEP_PRED_GE, isnan(x[0].f64)), compare_nan(SKEP_PRED_LE, isnan(x[1].f64)));
    case SKEP_PRED_IN:
      for (uint32_t i = 0; i < leaf->n_literals; i++) {
        set = or_of(set, x[i].is_null ? MAY_BE_NULL : compare_nan(SKEP_PRED_EQ, isnan(x[i].f64)));
      }
      return set;
    default:
      return compare_nan(leaf->op, isnan(x->f64));
  }
}

/* A string column compared with a number or date converts its values: what is no number is NULL. */
static bool converts_values(const skep_pred *leaf) {
  return skep_kind_is_bytes(leaf->type->kind) && leaf->n_literals != 0 && leaf->literals->kind != SKEP_LIT_BYTES;
}

static truths leaf_truths(const skep_pred *leaf, skep_orc_evidence_for *find, void *self) {
  skep_orc_evidence e = {0};
  bool known = false, exists = find(self, leaf, &e, &known);
  if (exists && !known) e = (skep_orc_evidence){0};
  bool values = exists && may_have_values(&e), nulls = !exists || may_have_nulls(&e) || !values;
  if (leaf->op == SKEP_PRED_IS_NULL) return set_of(nulls, values);
  truths set = nulls ? leaf->op == SKEP_PRED_NULL_EQ ? MAY_BE_FALSE : MAY_BE_NULL : 0;
  if (!values) return set;
  if (converts_values(leaf)) return MAY_BE_ANY;
  set |= value_truths(leaf, &e);
  return may_have_nan(e.stats, leaf->type->kind) ? set | nan_truths(leaf) : set;
}

static truths node_truths(const skep_pred *pred, skep_orc_evidence_for *find, void *self) {
  if (pred->op == SKEP_PRED_CONST) {
    return pred->constant == SKEP_TRUE ? MAY_BE_TRUE : pred->constant == SKEP_FALSE ? MAY_BE_FALSE : MAY_BE_NULL;
  }
  if (pred->op > SKEP_PRED_NOT) return leaf_truths(pred, find, self);
  truths set = node_truths(pred->children[0], find, self);
  if (pred->op == SKEP_PRED_NOT) return not_of(set);
  for (uint32_t i = 1; i < pred->n_children; i++) {
    truths other = node_truths(pred->children[i], find, self);
    set = pred->op == SKEP_PRED_AND ? and_of(set, other) : or_of(set, other);
  }
  return set;
}

bool skep_orc_sarg_may_match(const skep_pred *bound, skep_orc_evidence_for *find, void *self) {
  return (node_truths(bound, find, self) & MAY_BE_TRUE) != 0;
}
