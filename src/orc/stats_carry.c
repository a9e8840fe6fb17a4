/* Statistics as they were read -> as they are gathered: kind by kind, and what is not known is lost. */
#include "orc/stats_carry.h"

#include <math.h>

#include "column/text.h"

bool skep_orc_stats_can_carry(const skep_orc_stats *from) { return from->has_count; }

/* Minimum and maximum: both, or neither where there is no value, or they are lost. */
static void take_ends(skep_orc_tally *t, const skep_orc_stats *from, int kind) {
  t->has_ends = (int)from->kind == kind && from->has_min && from->has_max;
  t->ends_are_lost = !t->has_ends && from->count != 0;
}

static void carry_ints(skep_orc_tally *t, const skep_orc_stats *from, int kind) {
  take_ends(t, from, kind);
  if (t->has_ends) {
    t->min.i64 = from->min.i64;
    t->max.i64 = from->max.i64;
  }
  t->sum = from->has_sum ? from->sum.i64 : 0;
  t->sum_is_lost = !from->has_sum && from->count != 0;
}

/* Without a sum nobody knows whether there is a NaN: a sum that is none says that there may be. */
static void carry_doubles(skep_orc_tally *t, const skep_orc_stats *from) {
  take_ends(t, from, SKEP_ORC_STATS_DOUBLE);
  if (t->has_ends) {
    t->min.f64 = from->min.f64;
    t->max.f64 = from->max.f64;
  }
  t->sum_f64 = from->has_sum ? from->sum.f64 : from->count != 0 ? NAN : 0;
  if (isnan(t->sum_f64)) t->ends_are_lost = false; /* no ends are believed anyway, and those of others may stay */
}

/* To the type's scale; false when digits would be lost. */
static bool rescale(skep_i128 v, unsigned from, unsigned to, skep_i128 *out) {
  if (from > to) return false;
  for (; from < to; from++)
    if (__builtin_mul_overflow(v, 10, &v)) return false;
  *out = v;
  return true;
}

static void carry_decimals(skep_orc_tally *t, const skep_type *type, const skep_orc_stats *from) {
  take_ends(t, from, SKEP_ORC_STATS_DECIMAL);
  if (t->has_ends && (!rescale(from->min.decimal.unscaled, from->min.decimal.scale, type->scale, &t->min.i128) ||
                      !rescale(from->max.decimal.unscaled, from->max.decimal.scale, type->scale, &t->max.i128))) {
    t->has_ends = false;
    t->ends_are_lost = true;
  }
  bool is_exact = false;
  bool has_sum =
      from->has_sum && skep_parse_decimal(from->sum.decimal_text, type->scale, &t->sum_i128, &is_exact) && is_exact;
  if (!has_sum) t->sum_i128 = 0;
  t->sum_is_lost = !has_sum && from->count != 0;
}

static skep_status carry_text(const skep_ctx *ctx, skep_orc_text_end *end, skep_bytes text, bool is_bound,
                              skep_err *err) {
  if (end->bytes == NULL) end->bytes = skep_alloc(ctx, SKEP_ORC_MAX_STATS_TEXT);
  if (end->bytes == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "statistics of %d bytes", SKEP_ORC_MAX_STATS_TEXT);
  if (text.left != 0) memcpy(end->bytes, text.at, text.left);
  end->size = (uint32_t)text.left;
  end->is_bound = is_bound;
  return SKEP_OK;
}

static skep_status carry_texts(const skep_ctx *ctx, skep_orc_tally *t, const skep_orc_stats *from, skep_err *err) {
  take_ends(t, from, SKEP_ORC_STATS_STRING);
  if (t->has_ends &&
      (from->min.bytes.left > SKEP_ORC_MAX_STATS_TEXT || from->max.bytes.left > SKEP_ORC_MAX_STATS_TEXT)) {
    t->has_ends = false;
    t->ends_are_lost = true;
  }
  t->sum = from->has_sum ? from->sum.i64 : 0;
  t->sum_is_lost = !from->has_sum && from->count != 0;
  if (!t->has_ends) return SKEP_OK;
  SKEP_TRY(carry_text(ctx, &t->low, from->min.bytes, from->min_is_bound, err));
  return carry_text(ctx, &t->high, from->max.bytes, from->max_is_bound, err);
}

static void carry_collection(skep_orc_tally *t, const skep_orc_stats *from) {
  bool is_known = from->kind == SKEP_ORC_STATS_COLLECTION && from->max_children <= INT64_MAX &&
                  from->min_children <= from->max_children && from->total_children <= INT64_MAX;
  t->has_ends = is_known && from->count != 0;
  t->ends_are_lost = t->sum_is_lost = !is_known && from->count != 0;
  if (!is_known) return;
  t->min.i64 = (int64_t)from->min_children;
  t->max.i64 = (int64_t)from->max_children;
  t->sum = (int64_t)from->total_children;
}

skep_status skep_orc_tally_carry(const skep_ctx *ctx, skep_orc_tally *t, const skep_type *type,
                                 const skep_orc_stats *from, skep_err *err) {
  skep_orc_tally_reset(t);
  t->count = from->count;
  t->has_null = !from->has_null_known || from->has_null;
  t->bytes_on_disk = from->has_bytes_on_disk ? from->bytes_on_disk : 0;
  switch (type->kind) {
    case SKEP_TINYINT:
    case SKEP_SMALLINT:
    case SKEP_INT:
    case SKEP_BIGINT:
      carry_ints(t, from, SKEP_ORC_STATS_INT);
      return SKEP_OK;
    case SKEP_DATE:
      carry_ints(t, from, SKEP_ORC_STATS_DATE);
      return SKEP_OK;
    case SKEP_FLOAT:
    case SKEP_DOUBLE:
      carry_doubles(t, from);
      return SKEP_OK;
    case SKEP_DECIMAL:
      carry_decimals(t, type, from);
      return SKEP_OK;
    case SKEP_STRING:
    case SKEP_CHAR:
    case SKEP_VARCHAR:
      return carry_texts(ctx, t, from, err);
    case SKEP_BOOLEAN:
      t->sum_is_lost = from->kind != SKEP_ORC_STATS_BOOLEAN && from->count != 0;
      t->sum = t->sum_is_lost ? 0 : (int64_t)from->true_count;
      return SKEP_OK;
    case SKEP_BINARY:
      t->sum_is_lost = !from->has_sum && from->count != 0;
      t->sum = from->has_sum ? from->sum.i64 : 0;
      return SKEP_OK;
    case SKEP_TIMESTAMP:
    case SKEP_TIMESTAMP_TZ:
      take_ends(t, from, SKEP_ORC_STATS_TS);
      if (t->has_ends) {
        t->min.ts = from->min.ts;
        t->max.ts = from->max.ts;
      }
      return SKEP_OK;
    case SKEP_LIST:
    case SKEP_MAP:
      carry_collection(t, from);
      return SKEP_OK;
    default:
      return SKEP_OK;
  }
}
