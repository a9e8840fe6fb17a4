/* What a split reads, tests and delivers: pure work on types and predicates, done once when a scan is opened.
 *
 * A predicate may name partition columns, which are the same for all rows of a split: their comparisons are decided
 * here and folded away, so that readers and filters see columns of files only. It may also name columns, or fields of
 * structs, that are not delivered: the type that is read is widened by them. */
#include <strings.h>

#include "acid/scan_int.h"
#include "column/predicate.h"

/* ---- widening the projection ---- */

static skep_status make_struct(skep_arena *arena, const skep_type *const *children, const char *const *names,
                               uint32_t n, const skep_type **out, skep_err *err) {
  static const skep_type like = {.kind = SKEP_STRUCT};
  return skep_type_make(arena, &like, children, names, n, out, err);
}

/* The struct `type` with child i replaced, or one more child when i == n_children. */
static skep_status replace_child(skep_arena *arena, const skep_type *type, uint32_t i, const skep_type *child,
                                 const char *name, const skep_type **out, skep_err *err) {
  uint32_t n = type->n_children + (i == type->n_children ? 1 : 0);
  const skep_type **children = skep_arena_zero(arena, n, sizeof *children);
  const char **names = skep_arena_zero(arena, n, sizeof *names);
  if (children == NULL || names == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "columns of a predicate");
  for (uint32_t k = 0; k < type->n_children; k++) {
    children[k] = type->children[k];
    names[k] = type->names[k];
  }
  children[i] = child;
  names[i] = name;
  return make_struct(arena, children, names, n, out, err);
}

/* `read` with the field path names[0..n) of `table` in it, and nothing else new. A path that `table` does not have
 * leaves it as it is: binding the predicate names the mistake. The depth is bounded by the type's. */
static skep_status add_path(skep_arena *arena, const skep_type *read, const skep_type *table, const char *const *names,
                            uint32_t n, const skep_type **out, skep_err *err) {
  *out = read;
  if (n == 0 || read->kind != SKEP_STRUCT || table->kind != SKEP_STRUCT) return SKEP_OK;
  int64_t t = skep_type_child(table, names[0], strlen(names[0]), true);
  int64_t r = skep_type_child(read, names[0], strlen(names[0]), true);
  if (t < 0) return SKEP_OK;
  const skep_type *column = table->children[t], *from, *child;
  if (r >= 0) {
    from = read->children[r];
  } else if (n == 1 || column->kind != SKEP_STRUCT) {
    from = column;
  } else {
    SKEP_TRY(make_struct(arena, NULL, NULL, 0, &from, err));
  }
  SKEP_TRY(add_path(arena, from, column, names + 1, n - 1, &child, err));
  if (r >= 0 && child == from) return SKEP_OK;
  uint32_t at = r >= 0 ? (uint32_t)r : read->n_children;
  return replace_child(arena, read, at, child, r >= 0 ? read->names[r] : table->names[t], out, err);
}

static skep_status add_predicate(skep_arena *arena, const skep_type *table, const skep_pred *pred,
                                 const skep_type **read, skep_err *err) {
  for (uint32_t i = 0; i < pred->n_children; i++) SKEP_TRY(add_predicate(arena, table, pred->children[i], read, err));
  return pred->path_length == 0 ? SKEP_OK : add_path(arena, *read, table, pred->names, pred->path_length, read, err);
}

/* ---- folding what partition columns decide ---- */

typedef struct fold {
  skep_arena *arena;
  const skep_split *split;
  const skep_vec *constants; /* one row */
} fold;

static skep_pred *make_const(skep_arena *arena, skep_truth value) {
  skep_pred *p = skep_arena_zero(arena, 1, sizeof *p);
  if (p != NULL) {
    p->op = SKEP_PRED_CONST;
    p->constant = value;
  }
  return p;
}

static bool is_const(const skep_pred *p, skep_truth value) { return p->op == SKEP_PRED_CONST && p->constant == value; }

static skep_status is_true_for_partition(const fold *f, const skep_pred *pred, bool *out, skep_err *err) {
  const skep_pred *bound;
  int32_t row;
  int64_t n = 0;
  SKEP_TRY(skep_pred_bind(f->arena, pred, f->constants->type, &bound, err));
  SKEP_TRY(skep_pred_filter(f->arena->ctx, bound, f->constants, &row, &n, err));
  *out = n == 1;
  return SKEP_OK;
}

/* The truth value of a leaf over partition columns: TRUE when it selects the row, FALSE when its negation does. */
static skep_status partition_leaf(const fold *f, const skep_pred *leaf, const skep_pred **out, skep_err *err) {
  bool yes, no = false;
  skep_pred *negated = skep_arena_zero(f->arena, 1, sizeof *negated);
  const skep_pred **child = skep_arena_zero(f->arena, 1, sizeof *child);
  if (negated == NULL || child == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "predicate");
  *child = leaf;
  *negated = (skep_pred){.op = SKEP_PRED_NOT, .n_children = 1, .children = child};
  SKEP_TRY(is_true_for_partition(f, leaf, &yes, err));
  if (!yes) SKEP_TRY(is_true_for_partition(f, negated, &no, err));
  *out = make_const(f->arena, yes ? SKEP_TRUE : no ? SKEP_FALSE : SKEP_UNKNOWN);
  return *out == NULL ? skep_fail(err, SKEP_ERR_NOMEM, "predicate") : SKEP_OK;
}

static skep_status fold_pred(const fold *f, const skep_pred *pred, const skep_pred **out, skep_err *err);

/* AND and OR lose children that say nothing and become constants when one decides. */
static skep_status fold_junction(const fold *f, const skep_pred *pred, const skep_pred **out, skep_err *err) {
  skep_truth neutral = pred->op == SKEP_PRED_AND ? SKEP_TRUE : SKEP_FALSE;
  skep_truth decisive = pred->op == SKEP_PRED_AND ? SKEP_FALSE : SKEP_TRUE;
  skep_pred *copy = skep_arena_zero(f->arena, 1, sizeof *copy);
  const skep_pred **children = skep_arena_zero(f->arena, pred->n_children, sizeof *children);
  if (copy == NULL || children == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "predicate");
  uint32_t n = 0;
  for (uint32_t i = 0; i < pred->n_children; i++) {
    const skep_pred *child;
    SKEP_TRY(fold_pred(f, pred->children[i], &child, err));
    if (is_const(child, decisive)) {
      *out = child;
      return SKEP_OK;
    }
    if (!is_const(child, neutral)) children[n++] = child;
  }
  if (n == 0) {
    *out = make_const(f->arena, neutral);
    return *out == NULL ? skep_fail(err, SKEP_ERR_NOMEM, "predicate") : SKEP_OK;
  }
  *copy = *pred;
  copy->children = children;
  copy->n_children = n;
  *out = n == 1 ? children[0] : copy;
  return SKEP_OK;
}

static skep_status fold_not(const fold *f, const skep_pred *pred, const skep_pred **out, skep_err *err) {
  const skep_pred *child;
  SKEP_TRY(fold_pred(f, pred->children[0], &child, err));
  if (child->op == SKEP_PRED_CONST) {
    skep_truth v = child->constant;
    *out = make_const(f->arena, v == SKEP_TRUE ? SKEP_FALSE : v == SKEP_FALSE ? SKEP_TRUE : SKEP_UNKNOWN);
    return *out == NULL ? skep_fail(err, SKEP_ERR_NOMEM, "predicate") : SKEP_OK;
  }
  skep_pred *copy = skep_arena_zero(f->arena, 1, sizeof *copy);
  const skep_pred **children = skep_arena_zero(f->arena, 1, sizeof *children);
  if (copy == NULL || children == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "predicate");
  *copy = *pred;
  children[0] = child;
  copy->children = children;
  *out = copy;
  return SKEP_OK;
}

/* Recursion is bounded: the parser limits the depth. Table columns hide partition columns of the same name. */
static skep_status fold_pred(const fold *f, const skep_pred *pred, const skep_pred **out, skep_err *err) {
  *out = pred;
  if (pred->op == SKEP_PRED_AND || pred->op == SKEP_PRED_OR) return fold_junction(f, pred, out, err);
  if (pred->op == SKEP_PRED_NOT) return fold_not(f, pred, out, err);
  if (pred->path_length == 0 || f->constants->type == NULL) return SKEP_OK;
  const char *name = pred->names[0];
  if (skep_type_child(f->split->table, name, strlen(name), true) >= 0) return SKEP_OK;
  if (skep_type_child(f->constants->type, name, strlen(name), true) < 0) return SKEP_OK;
  return partition_leaf(f, pred, out, err);
}

/* ---- the whole ---- */

static skep_status prepare_predicate(skep_arena *arena, const skep_split *split, skep_scan_shape *shape,
                                     skep_err *err) {
  const skep_pred *parsed;
  SKEP_TRY(skep_pred_parse(arena, split->predicate, strlen(split->predicate), &parsed, err));
  fold f = {arena, split, &shape->constants};
  SKEP_TRY(fold_pred(&f, parsed, &shape->predicate, err));
  if (shape->predicate->op == SKEP_PRED_CONST) {
    shape->never = shape->predicate->constant != SKEP_TRUE;
    shape->predicate = NULL;
    return SKEP_OK;
  }
  return add_predicate(arena, split->table, shape->predicate, &shape->read, err);
}

skep_status skep_scan_shape_make(skep_arena *arena, const skep_split *split, skep_scan_shape *out, skep_err *err) {
  *out = (skep_scan_shape){.read = split->columns, .is_table = split->columns->kind == SKEP_STRUCT};
  if (split->kind != SKEP_SPLIT_PLAIN && !out->is_table)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "split: rows of a table are structs");
  if (split->kind == SKEP_SPLIT_PLAIN && split->row_ids)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "plain files have no row ids");
  if (!out->is_table && (split->predicate != NULL || split->n_partition_columns != 0)) {
    return skep_fail(err, SKEP_ERR_UNSUPPORTED, "predicates and partition columns of files whose rows are no structs");
  }
  out->n_row_ids = split->row_ids ? 3 : 0;
  out->n_columns = out->is_table ? split->columns->n_children : 0;
  skep_status st = skep_split_type(arena, split, &out->output, err);
  if (st == SKEP_OK) st = skep_split_constants(arena->ctx, split, &out->constants, err);
  if (st == SKEP_OK && split->predicate != NULL) st = prepare_predicate(arena, split, out, err);
  if (st != SKEP_OK) skep_scan_shape_fini(out);
  return st;
}

void skep_scan_shape_fini(skep_scan_shape *shape) { skep_vec_fini(&shape->constants); }
