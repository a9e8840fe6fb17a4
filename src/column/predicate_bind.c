/* Binding: names to columns, literals to the column's own domain, so that filtering and search arguments compare like
 * with like. A comparison that can have only one answer becomes that answer (or NULL for NULL rows).
 *
 * Rules (hiveql.md 2.3; where Hive would go through DOUBLE and lose digits, the exact answer is taken):
 *   whole numbers, decimals   numbers and number-like strings by value: i = 1.5 is never true, i < 1.5 is i <= 1
 *   float, double             the literal as double; a float is widened
 *   string                    strings bytewise; numbers, dates and timestamps convert each value (NULL when it is none)
 *   char                      trailing blanks do not count on either side
 *   date, timestamp           strings are converted; a date is its midnight
 *   boolean                   TRUE, FALSE, 'true', 'false', 1, 0
 * A string that is no value of the column's type is NULL, as Hive's implicit cast makes it. */
#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "column/predicate_int.h"
#include "column/text_int.h"

typedef struct binder {
  skep_arena *arena;
  const skep_type *root;
  skep_err *err;
} binder;

static skep_status out_of_memory(binder *b) { return skep_fail(b->err, SKEP_ERR_NOMEM, "predicate"); }

/* ---- making nodes ---- */

static skep_status make_node(binder *b, const skep_pred *like, skep_pred_op op, skep_pred **out) {
  *out = skep_arena_alloc(b->arena, sizeof **out);
  if (*out == NULL) return out_of_memory(b);
  **out = *like;
  (*out)->op = op;
  (*out)->n_literals = 0;
  (*out)->literals = NULL;
  return SKEP_OK;
}

static skep_status make_const(binder *b, const skep_pred *leaf, skep_truth truth, const skep_pred **out) {
  skep_pred *node = skep_arena_zero(b->arena, 1, sizeof *node);
  if (node == NULL) return out_of_memory(b);
  *node = (skep_pred){.op = SKEP_PRED_CONST, .constant = truth, .position = leaf->position};
  *out = node;
  return SKEP_OK;
}

static skep_status make_parent(binder *b, skep_pred_op op, const skep_pred *const *children, uint32_t n,
                               const skep_pred **out) {
  skep_pred *node = skep_arena_zero(b->arena, 1, sizeof *node);
  const skep_pred **copy = skep_arena_zero(b->arena, n, sizeof *copy);
  if (node == NULL || copy == NULL) return out_of_memory(b);
  memcpy(copy, children, n * sizeof *copy);
  *node = (skep_pred){.op = op, .n_children = n, .children = copy, .position = children[0]->position};
  *out = node;
  return SKEP_OK;
}

static skep_status make_leaf(binder *b, const skep_pred *leaf, skep_pred_op op, const skep_literal *literals,
                             uint32_t n, const skep_pred **out) {
  skep_pred *node;
  SKEP_TRY(make_node(b, leaf, op, &node));
  skep_literal *copy = NULL;
  if (n != 0) {
    copy = skep_arena_zero(b->arena, n, sizeof *copy);
    if (copy == NULL) return out_of_memory(b);
    memcpy(copy, literals, n * sizeof *copy);
  }
  node->literals = copy;
  node->n_literals = n;
  *out = node;
  return SKEP_OK;
}

/* `truth` for rows with a value, NULL for the others. For <=> the answer to NULL rows is FALSE as well. */
static skep_status make_answer(binder *b, const skep_pred *leaf, skep_pred_op op, bool truth, const skep_pred **out) {
  if (op == SKEP_PRED_NULL_EQ) return make_const(b, leaf, truth ? SKEP_TRUE : SKEP_FALSE, out);
  const skep_pred *pair[2];
  SKEP_TRY(make_leaf(b, leaf, SKEP_PRED_IS_NULL, NULL, 0, &pair[0]));
  SKEP_TRY(make_const(b, leaf, SKEP_UNKNOWN, &pair[1]));
  if (!truth) return make_parent(b, SKEP_PRED_AND, pair, 2, out);
  SKEP_TRY(make_parent(b, SKEP_PRED_NOT, pair, 1, &pair[0]));
  return make_parent(b, SKEP_PRED_OR, pair, 2, out);
}

/* ---- typing literals ---- */

/* What a literal is for a column. */
typedef enum fit {
  FIT_EXACT,     /* *value compares as it is */
  FIT_FLOOR,     /* *value is the largest one of the column's domain below the literal */
  FIT_TOO_SMALL, /* below all values */
  FIT_TOO_LARGE,
  FIT_NULL, /* a string that is no such value */
  FIT_NOT_COMPARABLE
} fit;

static bool is_number(const skep_literal *literal) {
  return literal->kind == SKEP_LIT_DECIMAL || literal->kind == SKEP_LIT_F64;
}

static fit fit_scaled(const skep_literal *literal, unsigned scale, skep_i128 *value) {
  bool exact;
  if (!is_number(literal) && literal->kind != SKEP_LIT_BYTES) return FIT_NOT_COMPARABLE;
  switch (skep_parse_scaled(skep_text_trim(literal->bytes), scale, value, &exact)) {
    case SKEP_SCALED_OK:
      return exact ? FIT_EXACT : FIT_FLOOR;
    case SKEP_SCALED_TOO_SMALL:
      return FIT_TOO_SMALL;
    case SKEP_SCALED_TOO_LARGE:
      return FIT_TOO_LARGE;
    default:
      return FIT_NULL;
  }
}

static fit fit_integer(const skep_literal *literal, skep_literal *out) {
  skep_i128 value = 0;
  fit how = fit_scaled(literal, 0, &value);
  if (how != FIT_EXACT && how != FIT_FLOOR) return how;
  if (value > INT64_MAX) return FIT_TOO_LARGE;
  if (value < INT64_MIN) return FIT_TOO_SMALL;
  *out = (skep_literal){.kind = SKEP_LIT_I64, .i64 = (int64_t)value};
  return how;
}

static fit fit_decimal(const skep_literal *literal, unsigned scale, skep_literal *out) {
  *out = (skep_literal){.kind = SKEP_LIT_DECIMAL, .scale = scale};
  return fit_scaled(literal, scale, &out->decimal);
}

static fit fit_double(const skep_literal *literal, skep_literal *out) {
  *out = (skep_literal){.kind = SKEP_LIT_F64, .f64 = literal->f64};
  if (is_number(literal)) return FIT_EXACT;
  if (literal->kind != SKEP_LIT_BYTES) return FIT_NOT_COMPARABLE;
  return skep_parse_f64(skep_text_trim(literal->bytes), &out->f64) ? FIT_EXACT : FIT_NULL;
}

static fit fit_boolean(const skep_literal *literal, skep_literal *out) {
  *out = (skep_literal){.kind = SKEP_LIT_BOOL, .i64 = literal->i64};
  if (literal->kind == SKEP_LIT_BOOL) return FIT_EXACT;
  if (literal->kind == SKEP_LIT_BYTES) {
    skep_bytes text = skep_text_trim(literal->bytes);
    out->i64 = skep_text_equals(text, "true");
    return out->i64 != 0 || skep_text_equals(text, "false") ? FIT_EXACT : FIT_NULL;
  }
  skep_i128 value = 0;
  if (!is_number(literal) || fit_scaled(literal, 0, &value) != FIT_EXACT || value < 0 || value > 1)
    return FIT_NOT_COMPARABLE;
  out->i64 = (int64_t)value;
  return FIT_EXACT;
}

static skep_ts midnight(int64_t days) { return (skep_ts){days * 86400, 0, 0}; }

static fit fit_date(const skep_literal *literal, skep_literal *out) {
  *out = (skep_literal){.kind = SKEP_LIT_I64, .i64 = literal->i64};
  switch (literal->kind) {
    case SKEP_LIT_I64:
      return FIT_EXACT;
    case SKEP_LIT_TS:
      out->i64 = literal->ts.seconds / 86400 - (literal->ts.seconds % 86400 < 0);
      return literal->ts.nanos == 0 && literal->ts.seconds % 86400 == 0 ? FIT_EXACT : FIT_FLOOR;
    case SKEP_LIT_BYTES:
      return skep_text_cast_date(literal->bytes, &out->i64) ? FIT_EXACT : FIT_NULL;
    default:
      return FIT_NOT_COMPARABLE;
  }
}

static fit fit_timestamp(const skep_literal *literal, skep_literal *out) {
  *out = (skep_literal){.kind = SKEP_LIT_TS, .ts = literal->ts};
  switch (literal->kind) {
    case SKEP_LIT_TS:
      return FIT_EXACT;
    case SKEP_LIT_I64:
      out->ts = midnight(literal->i64);
      return FIT_EXACT;
    case SKEP_LIT_BYTES:
      return skep_text_cast_ts(literal->bytes, &out->ts) ? FIT_EXACT : FIT_NULL;
    default:
      return FIT_NOT_COMPARABLE;
  }
}

/* Strings are compared with the literal's own type: the values are converted, row by row. */
static fit fit_string(const skep_literal *literal, skep_kind kind, skep_literal *out) {
  *out = *literal;
  if (literal->kind == SKEP_LIT_BYTES) {
    while (kind == SKEP_CHAR && out->bytes.left != 0 && out->bytes.at[out->bytes.left - 1] == ' ') out->bytes.left--;
    return FIT_EXACT;
  }
  if (literal->kind == SKEP_LIT_BOOL || kind == SKEP_BINARY) return FIT_NOT_COMPARABLE;
  if (is_number(literal)) *out = (skep_literal){.kind = SKEP_LIT_F64, .f64 = literal->f64};
  return FIT_EXACT;
}

static fit fit_literal(const skep_type *type, const skep_literal *literal, skep_literal *out) {
  switch (type->kind) {
    case SKEP_BOOLEAN:
      return fit_boolean(literal, out);
    case SKEP_TINYINT:
    case SKEP_SMALLINT:
    case SKEP_INT:
    case SKEP_BIGINT:
      return fit_integer(literal, out);
    case SKEP_FLOAT:
    case SKEP_DOUBLE:
      return fit_double(literal, out);
    case SKEP_DECIMAL:
      return fit_decimal(literal, type->scale, out);
    case SKEP_STRING:
    case SKEP_CHAR:
    case SKEP_VARCHAR:
    case SKEP_BINARY:
      return fit_string(literal, type->kind, out);
    case SKEP_DATE:
      return fit_date(literal, out);
    case SKEP_TIMESTAMP:
    case SKEP_TIMESTAMP_TZ:
      return fit_timestamp(literal, out);
    default:
      return FIT_NOT_COMPARABLE;
  }
}

static const char *literal_name(const skep_literal *literal) {
  switch (literal->kind) {
    case SKEP_LIT_BOOL:
      return "a boolean";
    case SKEP_LIT_BYTES:
      return "a string";
    case SKEP_LIT_I64:
      return "a date";
    case SKEP_LIT_TS:
      return "a timestamp";
    default:
      return "a number";
  }
}

/* The path as the user would write it, for messages. */
static const char *shown_path(const skep_pred *leaf, uint32_t length, char *out, size_t size) {
  size_t n = 0;
  out[0] = 0;
  for (uint32_t i = 0; i < length && n + 8 < size; i++) {
    if (i != 0) out[n++] = '.';
    skep_quote(out + n, size - n, leaf->names[i], strlen(leaf->names[i]));
    n += strlen(out + n);
  }
  return out;
}

static skep_status not_comparable(binder *b, const skep_pred *leaf, const skep_literal *literal) {
  char path[200];
  return skep_fail(b->err, SKEP_ERR_ARGUMENT,
                   "predicate, byte %zu: column \"%s\" of type %s cannot be compared with %s", leaf->position,
                   shown_path(leaf, leaf->path_length, path, sizeof path), skep_kind_name(leaf->type->kind),
                   literal_name(literal));
}

/* column op literal */
static skep_status bind_comparison(binder *b, const skep_pred *leaf, skep_pred_op op, const skep_literal *literal,
                                   const skep_pred **out) {
  skep_literal value;
  fit how = literal->is_null ? FIT_NULL : fit_literal(leaf->type, literal, &value);
  bool wants_less = op == SKEP_PRED_LT || op == SKEP_PRED_LE, wants_more = op == SKEP_PRED_GT || op == SKEP_PRED_GE;
  switch (how) {
    case FIT_EXACT:
      return make_leaf(b, leaf, op, &value, 1, out);
    case FIT_FLOOR:
      if (wants_less) return make_leaf(b, leaf, SKEP_PRED_LE, &value, 1, out);
      if (wants_more) return make_leaf(b, leaf, SKEP_PRED_GT, &value, 1, out);
      return make_answer(b, leaf, op, false, out);
    case FIT_TOO_SMALL:
      return make_answer(b, leaf, op, wants_more, out);
    case FIT_TOO_LARGE:
      return make_answer(b, leaf, op, wants_less, out);
    case FIT_NULL:
      if (op == SKEP_PRED_NULL_EQ) return make_leaf(b, leaf, SKEP_PRED_IS_NULL, NULL, 0, out);
      return make_const(b, leaf, SKEP_UNKNOWN, out);
    default:
      return not_comparable(b, leaf, literal);
  }
}

static skep_status bind_between(binder *b, const skep_pred *leaf, const skep_literal *literals, const skep_pred **out) {
  const skep_pred *pair[2];
  SKEP_TRY(bind_comparison(b, leaf, SKEP_PRED_GE, &literals[0], &pair[0]));
  SKEP_TRY(bind_comparison(b, leaf, SKEP_PRED_LE, &literals[1], &pair[1]));
  if (pair[0]->op == SKEP_PRED_GE && pair[1]->op == SKEP_PRED_LE &&
      pair[0]->literals->kind == pair[1]->literals->kind) {
    skep_literal both[2] = {pair[0]->literals[0], pair[1]->literals[0]};
    return make_leaf(b, leaf, SKEP_PRED_BETWEEN, both, 2, out);
  }
  return make_parent(b, SKEP_PRED_AND, pair, 2, out);
}

int skep_pred_compare_bytes(skep_bytes a, skep_bytes b) {
  size_t n = a.left < b.left ? a.left : b.left;
  int order = n == 0 ? 0 : memcmp(a.at, b.at, n);
  if (order != 0) return order < 0 ? -1 : 1;
  return (a.left > b.left) - (a.left < b.left);
}

int skep_pred_compare_f64(double a, double b) {
  if (a < b) return -1;
  if (a > b) return 1;
  return a == b ? 0 : isnan(a) - isnan(b);
}

/* Orders literals of one kind. */
static int compare_literals(const void *left, const void *right) {
  const skep_literal *a = left, *b = right;
  switch (a->kind) {
    case SKEP_LIT_F64:
      return skep_pred_compare_f64(a->f64, b->f64);
    case SKEP_LIT_DECIMAL:
      return (a->decimal > b->decimal) - (a->decimal < b->decimal);
    case SKEP_LIT_BYTES:
      return skep_pred_compare_bytes(a->bytes, b->bytes);
    case SKEP_LIT_TS:
      if (a->ts.seconds != b->ts.seconds) return a->ts.seconds < b->ts.seconds ? -1 : 1;
      return (a->ts.nanos > b->ts.nanos) - (a->ts.nanos < b->ts.nanos);
    default:
      return (a->i64 > b->i64) - (a->i64 < b->i64);
  }
}

/* One IN list per kind of literal (a string column may be compared with strings and numbers), values ascending and
 * distinct, a NULL last. */
static skep_status make_in(binder *b, const skep_pred *leaf, skep_literal *values, uint32_t n, bool has_null,
                           const skep_pred **out) {
  qsort(values, n, sizeof *values, compare_literals);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (kept == 0 || compare_literals(&values[kept - 1], &values[i]) != 0) values[kept++] = values[i];
  }
  if (has_null) values[kept++] = (skep_literal){.is_null = true, .kind = values[0].kind};
  return make_leaf(b, leaf, SKEP_PRED_IN, values, kept, out);
}

static skep_status bind_in(binder *b, const skep_pred *leaf, const skep_literal *literals, uint32_t n,
                           const skep_pred **out) {
  skep_literal *values = skep_arena_zero(b->arena, (size_t)n + 1, 2 * sizeof *values), *chosen = values + n + 1;
  if (values == NULL) return out_of_memory(b);
  uint32_t kept = 0, n_lists = 0;
  bool has_null = false;
  for (uint32_t i = 0; i < n; i++) {
    fit how = literals[i].is_null ? FIT_NULL : fit_literal(leaf->type, &literals[i], &values[kept]);
    if (how == FIT_NOT_COMPARABLE) return not_comparable(b, leaf, &literals[i]);
    has_null |= how == FIT_NULL;
    kept += how == FIT_EXACT;
  }
  if (kept == 0)
    return has_null ? make_const(b, leaf, SKEP_UNKNOWN, out) : make_answer(b, leaf, SKEP_PRED_EQ, false, out);
  const skep_pred *lists[SKEP_LIT_BOOL + 1];
  for (int kind = 0; kind <= SKEP_LIT_BOOL; kind++) {
    uint32_t n_chosen = 0;
    for (uint32_t i = 0; i < kept; i++) {
      if ((int)values[i].kind == kind) chosen[n_chosen++] = values[i];
    }
    if (n_chosen != 0) SKEP_TRY(make_in(b, leaf, chosen, n_chosen, has_null, &lists[n_lists++]));
  }
  if (n_lists > 1) return make_parent(b, SKEP_PRED_OR, lists, n_lists, out);
  *out = lists[0];
  return SKEP_OK;
}

static skep_status bind_like(binder *b, const skep_pred *leaf, const skep_literal *literal, const skep_pred **out) {
  char path[200];
  if (leaf->type->kind < SKEP_STRING || leaf->type->kind > SKEP_VARCHAR) {
    return skep_fail(b->err, SKEP_ERR_ARGUMENT, "predicate, byte %zu: LIKE needs a string, column \"%s\" is %s",
                     leaf->position, shown_path(leaf, leaf->path_length, path, sizeof path),
                     skep_kind_name(leaf->type->kind));
  }
  if (literal->is_null) return make_const(b, leaf, SKEP_UNKNOWN, out);
  if (literal->kind != SKEP_LIT_BYTES) {
    return skep_fail(b->err, SKEP_ERR_ARGUMENT, "predicate, byte %zu: LIKE needs a string, not %s", leaf->position,
                     literal_name(literal));
  }
  return make_leaf(b, leaf, SKEP_PRED_LIKE, literal, 1, out);
}

/* ---- the tree ---- */

static skep_status resolve(binder *b, skep_pred *leaf) {
  char path_text[200];
  uint32_t *path = skep_arena_zero(b->arena, leaf->path_length, sizeof *path);
  if (path == NULL) return out_of_memory(b);
  const skep_type *type = b->root;
  for (uint32_t i = 0; i < leaf->path_length; i++) {
    if (type->kind != SKEP_STRUCT) {
      return skep_fail(b->err, SKEP_ERR_ARGUMENT, "predicate, byte %zu: \"%s\" is %s and has no fields", leaf->position,
                       shown_path(leaf, i, path_text, sizeof path_text), skep_kind_name(type->kind));
    }
    int64_t child = skep_type_child(type, leaf->names[i], strlen(leaf->names[i]), true);
    if (child < 0) {
      return skep_fail(b->err, SKEP_ERR_ARGUMENT, "predicate, byte %zu: there is no column \"%s\"", leaf->position,
                       shown_path(leaf, i + 1, path_text, sizeof path_text));
    }
    path[i] = (uint32_t)child;
    type = type->children[child];
  }
  leaf->path = path;
  leaf->type = type;
  return SKEP_OK;
}

static skep_status bind_leaf(binder *b, const skep_pred *pred, const skep_pred **out) {
  skep_pred *leaf;
  SKEP_TRY(make_node(b, pred, pred->op, &leaf));
  SKEP_TRY(resolve(b, leaf));
  switch (pred->op) {
    case SKEP_PRED_IS_NULL:
      *out = leaf;
      return SKEP_OK;
    case SKEP_PRED_LIKE:
      return bind_like(b, leaf, pred->literals, out);
    case SKEP_PRED_IN:
      return bind_in(b, leaf, pred->literals, pred->n_literals, out);
    case SKEP_PRED_BETWEEN:
      return bind_between(b, leaf, pred->literals, out);
    default:
      return bind_comparison(b, leaf, pred->op, pred->literals, out);
  }
}

static skep_status bind_node(binder *b, const skep_pred *pred, uint32_t depth, const skep_pred **out) {
  if (depth > 4 * b->arena->ctx->limits.max_type_depth) { /* a bracket level of the parser is OR, AND and NOT */
    return skep_fail(b->err, SKEP_ERR_LIMIT, "predicate nested deeper than %u", depth);
  }
  if (pred->op == SKEP_PRED_CONST) {
    *out = pred;
    return SKEP_OK;
  }
  if (pred_is_leaf(pred)) return bind_leaf(b, pred, out);
  const skep_pred **children = skep_arena_zero(b->arena, pred->n_children, sizeof *children);
  skep_pred *node = skep_arena_alloc(b->arena, sizeof *node);
  if (children == NULL || node == NULL) return out_of_memory(b);
  for (uint32_t i = 0; i < pred->n_children; i++) SKEP_TRY(bind_node(b, pred->children[i], depth + 1, &children[i]));
  *node = *pred;
  node->children = children;
  *out = node;
  return SKEP_OK;
}

skep_status skep_pred_bind(skep_arena *arena, const skep_pred *pred, const skep_type *root, const skep_pred **out,
                           skep_err *err) {
  binder b = {arena, root, err};
  *out = NULL;
  const skep_pred *bound = NULL;
  SKEP_TRY(bind_node(&b, pred, 0, &bound));
  *out = bound;
  return SKEP_OK;
}

void skep_pred_columns(const skep_pred *bound, bool *wanted) {
  for (uint32_t i = 0; i < bound->n_children; i++) skep_pred_columns(bound->children[i], wanted);
  if (!pred_is_leaf(bound)) return;
  for (uint32_t id = bound->type->id; id <= bound->type->max_id; id++) wanted[id] = true;
}
