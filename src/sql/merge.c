/* MERGE INTO t USING s ON c WHEN .. runs in two steps:
 *
 *   the source goes into a temporary table of the engine: it is read once, its size is known, and it can spill
 *   SELECT <matched action>, <insert or not>, t.ROW__ID, <t's partition keys>, <updated row>, <inserted row>
 *     FROM t RIGHT JOIN source s ON c ORDER BY t.ROW__ID, <keys>, <row number of s>      (INNER without an INSERT
 * clause)
 *
 * whose rows go into up to four branches with Hive's statement ids (observed, golden 05): delete events of UPDATE and
 * DELETE in the order of their clauses, then the updated rows, then the inserted ones. The join builds on the source,
 * so memory follows the source, not the table. Rules of clauses and of NULL: hiveql.md 4.3. */

#include "column/text.h"
#include "sql/merge_source.h"
#include "sql/rows.h"
#include "sql/update.h"

enum { MERGE_BATCH_ROWS = 16384, ACTION_UPDATE = 1, ACTION_DELETE = 2 };

/* Positions of the query's outputs. */
enum { OUT_ACTION, OUT_INSERT, OUT_WAY, OUT_ROW_ID, OUT_KEYS };

typedef struct merge_job {
  const skep_statement *statement;
  const skep_merge_into *merge;
  skep_target target;
  const char *alias; /* of the target */
  const skep_merge_when *update, *delete_, *insert;
  const skep_merge_when *first; /* of the two matched clauses, in order of writing */
  skep_merge_source source;
  skep_bind_target bind; /* of both row images */
  skep_bound_query *bound;
  const uint64_t *ids;
  uint32_t n_keys, out_updated, out_inserted, out_checks;
  bool check_cardinality;
} merge_job;

static skep_status no_memory(skep_err *err) { return skep_fail(err, SKEP_ERR_NOMEM, "a statement"); }

/* ---- clauses ---- */

static skep_status twice(const merge_job *job, int number, const char *what, skep_err *err) {
  char quoted[600];
  const skep_statement *s = job->statement;
  return skep_fail(err, SKEP_ERR_SEMANTIC,
                   "SemanticException [Error %d]: MERGE statement can have at most 1 WHEN MATCHED ... %s clause: <%s>",
                   number, what, skep_quote(quoted, sizeof quoted, s->text, s->text != NULL ? s->text_length : 0));
}

static skep_status sort_clauses(merge_job *job, skep_err *err) {
  const skep_merge_into *m = job->merge;
  char quoted[600];
  for (uint32_t i = 0; i < m->n_whens; i++) {
    const skep_merge_when *w = &m->whens[i];
    const skep_merge_when **slot = w->action == SKEP_MERGE_UPDATE   ? &job->update
                                   : w->action == SKEP_MERGE_DELETE ? &job->delete_
                                                                    : &job->insert;
    if (*slot != NULL && w->action == SKEP_MERGE_UPDATE) return twice(job, 10406, "UPDATE", err);
    if (*slot != NULL && w->action == SKEP_MERGE_DELETE) return twice(job, 10405, "DELETE", err);
    if (*slot != NULL)
      return skep_fail(err, SKEP_ERR_SEMANTIC,
                       "SemanticException MERGE statement can have at most 1 WHEN NOT MATCHED "
                       "clause");
    *slot = w;
    if (w->action != SKEP_MERGE_INSERT && job->first == NULL) job->first = w;
  }
  if (job->update == NULL || job->delete_ == NULL || job->first->condition != NULL) return SKEP_OK;
  const skep_statement *s = job->statement;
  return skep_fail(
      err, SKEP_ERR_SEMANTIC,
      "SemanticException [Error 10404]: MERGE statement with both UPDATE and DELETE clauses requires \"AND "
      "<boolean>\" on the 1st WHEN MATCHED clause of <%s>",
      skep_quote(quoted, sizeof quoted, s->text, s->text != NULL ? s->text_length : 0));
}

/* ---- which columns of the target ON names ---- */

typedef struct on_walk {
  const merge_job *job;
  bool *used; /* one a child of the target's row */
  bool any;
  uint32_t depth;
} on_walk;

enum { MAX_ON_DEPTH = 500 };

/* The position in the target's row of the column that a name means, or -1; *whole: it is the column, no field of it. */
static int64_t target_column(const merge_job *job, const skep_name_list *name, bool *whole) {
  const skep_catalog_table *t = job->target.table->t;
  uint32_t at = 0;
  if (name->n >= 3 && strcmp(name->items[0], t->db) == 0 && strcmp(name->items[1], t->name) == 0) {
    at = 2;
  } else if (name->n >= 2 && strcmp(name->items[0], job->alias) == 0) {
    at = 1;
  } else if (name->n == 0 || skep_merge_source_has(&job->source, name->items[0])) {
    return -1;
  }
  *whole = name->n == at + 1;
  return skep_target_column(&job->target, name->items[at]);
}

/* The same for the source. */
static int64_t source_column(const merge_job *job, const skep_name_list *name) {
  const char *column = NULL;
  if (name->n == 2 && strcmp(name->items[0], job->source.alias) == 0) column = name->items[1];
  if (name->n == 1 && skep_target_column(&job->target, name->items[0]) < 0) column = name->items[0];
  return column == NULL ? -1 : skep_type_child(job->source.type, column, strlen(column), false);
}

static void on_name(on_walk *walk, const skep_name_list *name) {
  bool whole;
  int64_t at = target_column(walk->job, name, &whole);
  if (at < 0) return;
  walk->used[at] = true;
  walk->any = true;
}

static bool on_child(void *self, const skep_expr *child) {
  on_walk *walk = self;
  if (walk->depth >= MAX_ON_DEPTH) return false;
  if (child->kind == SKEP_EXPR_NAME) on_name(walk, &child->name);
  walk->depth++;
  bool going = skep_expr_each_child(child, on_child, walk);
  walk->depth--;
  return going;
}

static const skep_expr *both(skep_arena *arena, const skep_expr *a, const skep_expr *b) {
  if (a == NULL || b == NULL) return a != NULL ? a : b;
  return skep_expr_binary(arena, SKEP_OP_AND, a, b);
}

/* NOT MATCHED, as Hive tests it: every column of the target that ON names is NULL after the join. */
static skep_status not_matched(const merge_job *job, skep_life *life, const skep_expr **out, skep_err *err) {
  skep_arena *arena = &life->s->arena;
  const skep_type *row = job->target.row;
  on_walk walk = {.job = job, .used = skep_arena_zero(arena, row->n_children + 1, sizeof *walk.used)};
  if (walk.used == NULL) return no_memory(err);
  if (!on_child(&walk, job->merge->on)) return skep_fail(err, SKEP_ERR_LIMIT, "ON is nested too deep");
  if (!walk.any) {
    const skep_pos *pos = &job->merge->on->pos;
    char quoted[300];
    const char *text = job->statement->text;
    size_t length = text != NULL && pos->offset <= job->statement->text_length ? pos->length : 0;
    return skep_fail(
        err, SKEP_ERR_SEMANTIC,
        "SemanticException [Error 10149]: No columns from target table '%s' found in ON clause '%s' of MERGE "
        "statement.",
        job->alias, skep_quote(quoted, sizeof quoted, length != 0 ? text + pos->offset : "", length));
  }
  const skep_expr *all = NULL;
  for (uint32_t i = 0; i < row->n_children; i++) {
    if (!walk.used[i]) continue;
    const skep_expr *is_null =
        skep_expr_unary(arena, SKEP_OP_IS_NULL, skep_expr_column(arena, job->alias, row->names[i]));
    if (is_null == NULL) return no_memory(err);
    all = both(arena, all, is_null);
    if (all == NULL) return no_memory(err);
  }
  *out = all;
  return SKEP_OK;
}

/* ---- the query ---- */

/* CASE WHEN matched AND p1 THEN a1 WHEN matched AND p2 AND NOT(p1) THEN a2 END; a condition that is NULL is no match.
 */
static skep_status action_of(const merge_job *job, skep_life *life, const skep_expr **out, skep_err *err) {
  skep_arena *arena = &life->s->arena;
  const skep_merge_when *second = job->first == job->update ? job->delete_ : job->update;
  if (job->first == NULL) {
    *out = skep_expr_int(arena, 0);
    return *out != NULL ? SKEP_OK : no_memory(err);
  }
  const skep_expr *matched =
      skep_expr_unary(arena, SKEP_OP_IS_NOT_NULL, skep_expr_column(arena, job->alias, "row__id"));
  if (matched == NULL) return no_memory(err);
  skep_when whens[2];
  whens[0].when = both(arena, matched, job->first->condition);
  whens[0].then = skep_expr_int(arena, job->first == job->update ? ACTION_UPDATE : ACTION_DELETE);
  if (second != NULL) {
    const skep_expr *not_first = skep_expr_unary(arena, SKEP_OP_NOT, job->first->condition);
    if (not_first == NULL) return no_memory(err);
    whens[1].when = both(arena, both(arena, matched, second->condition), not_first);
    whens[1].then = skep_expr_int(arena, second == job->update ? ACTION_UPDATE : ACTION_DELETE);
  }
  *out = skep_expr_case(arena, whens, second != NULL ? 2 : 1, NULL);
  return *out != NULL ? SKEP_OK : no_memory(err);
}

static skep_status insert_flag(const merge_job *job, skep_life *life, const skep_expr **out, skep_err *err) {
  skep_arena *arena = &life->s->arena;
  if (job->insert == NULL) {
    *out = skep_expr_bool(arena, false);
    return *out != NULL ? SKEP_OK : no_memory(err);
  }
  const skep_expr *missing;
  SKEP_TRY(not_matched(job, life, &missing, err));
  *out = both(arena, missing, job->insert->condition);
  return *out != NULL ? SKEP_OK : no_memory(err);
}

/* The inserted row: VALUES in the order of the column list, defaults for the rest. */
static skep_status inserted_row(const merge_job *job, skep_life *life, skep_select_item *items, skep_err *err) {
  const skep_merge_when *w = job->insert;
  const skep_type *row = job->target.row;
  uint32_t expected = w->has_columns ? w->columns.n : row->n_children;
  char quoted[200];
  if (w->values.n != expected)
    return skep_fail(err, SKEP_ERR_SEMANTIC,
                     "SemanticException [Error 10044]: Line %u:%u Cannot insert into target table because column "
                     "number/types are different '%s': Table insclause-0 has %u columns, but query has %u columns.",
                     w->pos.line, w->pos.column, job->target.table->t->name, expected, w->values.n);
  for (uint32_t i = 0; i < w->values.n; i++) {
    int64_t at = w->has_columns ? skep_target_column(&job->target, w->columns.items[i]) : (int64_t)i;
    if (at < 0)
      return skep_fail(
          err, SKEP_ERR_SEMANTIC,
          "SemanticException %u:%u '[%s]' in insert schema specification are not found among regular columns "
          "of %s.%s nor dynamic partition columns.. Error encountered near token '%s'",
          w->pos.line, w->pos.column,
          skep_quote(quoted, sizeof quoted, w->columns.items[i], strlen(w->columns.items[i])), job->target.table->t->db,
          job->target.table->t->name, job->target.table->t->name);
    if (items[at].expr != NULL)
      return skep_fail(err, SKEP_ERR_SEMANTIC, "SemanticException [Error 10036]: Duplicate column name: %s",
                       row->names[at]);
    items[at].expr = w->values.items[i];
  }
  for (uint32_t i = 0; i < row->n_children; i++)
    if (items[i].expr == NULL || items[i].expr->kind == SKEP_EXPR_DEFAULT)
      SKEP_TRY(skep_target_default(&job->target, life, i, &items[i].expr, err));
  return SKEP_OK;
}

static skep_status select_items(merge_job *job, skep_life *life, skep_select_item **out, uint32_t *n, skep_err *err) {
  const skep_type *row = job->target.row, *keys = job->target.table->t->partition_keys;
  skep_select_item *items =
      skep_arena_zero(&life->s->arena, OUT_KEYS + keys->n_children + 2 * row->n_children + 1, sizeof *items);
  if (items == NULL) return no_memory(err);
  SKEP_TRY(action_of(job, life, &items[OUT_ACTION].expr, err));
  SKEP_TRY(insert_flag(job, life, &items[OUT_INSERT].expr, err));
  items[OUT_WAY].expr = job->source.n_ways > 1 ? skep_expr_column(&life->s->arena, job->source.alias, SKEP_UNION_WAY)
                                               : skep_expr_int(&life->s->arena, 0);
  /* who only inserts needs no row ids: tables without any may be its target */
  items[OUT_ROW_ID].expr =
      job->first != NULL ? skep_expr_column(&life->s->arena, job->alias, "row__id") : skep_expr_int(&life->s->arena, 0);
  for (uint32_t k = 0; k < keys->n_children; k++)
    items[OUT_KEYS + k].expr = skep_expr_column(&life->s->arena, job->alias, keys->names[k]);
  uint32_t at = OUT_KEYS + keys->n_children;
  job->n_keys = keys->n_children;
  job->out_updated = at;
  if (job->update != NULL) {
    SKEP_TRY(skep_update_image(&job->target, life, job->alias, &job->update->set, items + at, err));
    at += row->n_children;
  }
  job->out_inserted = at;
  if (job->insert != NULL) {
    SKEP_TRY(inserted_row(job, life, items + at, err));
    at += row->n_children;
  }
  job->out_checks = at;
  for (uint32_t i = 0; i < at; i++)
    if (items[i].expr == NULL) return no_memory(err);
  *out = items;
  *n = at;
  return SKEP_OK;
}

static skep_status make_query(merge_job *job, skep_life *life, const skep_query **out, skep_err *err) {
  skep_arena *arena = &life->s->arena;
  const skep_table_name *name = &job->merge->table;
  skep_select_item *items;
  uint32_t n;
  const skep_type *keys = job->target.table->t->partition_keys;
  uint32_t n_order = job->first != NULL ? 3 + keys->n_children + 1 : 1;
  skep_order_item *order = skep_arena_zero(arena, n_order, sizeof *order);
  skep_query *ordered = skep_arena_zero(arena, 1, sizeof *ordered);
  if (order == NULL || ordered == NULL) return no_memory(err);
  SKEP_TRY(select_items(job, life, &items, &n, err));
  if (job->first != NULL) SKEP_TRY(skep_update_row_order(life, job->alias, order, err));
  for (uint32_t k = 0; k < keys->n_children && job->first != NULL; k++)
    order[3 + k].expr = skep_expr_column(arena, job->alias, keys->names[k]);
  order[n_order - 1].expr = skep_expr_column(arena, job->source.alias, SKEP_MERGE_SOURCE_ROW);
  const skep_from *from =
      skep_from_join(arena, job->insert != NULL ? SKEP_JOIN_RIGHT : SKEP_JOIN_INNER,
                     skep_from_table(arena, job->target.table->t->db, name->name, job->alias), /* no given rows */
                     skep_from_table(arena, NULL, SKEP_MERGE_SOURCE_TABLE, job->source.alias), job->merge->on);
  const skep_select select = {.items = items, .n_items = n, .from = from};
  const skep_query *query = skep_query_select(arena, &select);
  if (from == NULL || query == NULL) return no_memory(err);
  for (uint32_t i = 0; i < n_order; i++)
    if (order[i].expr == NULL) return no_memory(err);
  *ordered = *query;
  ordered->order_by = (skep_order_list){.items = order, .n = n_order};
  *out = ordered;
  return SKEP_OK;
}

/* Both row images as the binder's target; CHECKs once for each. */
static skep_status bind_images(merge_job *job, skep_life *life, const skep_query *query, skep_err *err) {
  skep_arena *arena = &life->s->arena;
  const skep_type *images[2];
  uint32_t n = 0, n_checks = job->target.bind.n_checks, row_width = job->target.row->n_children;
  const skep_expr **checks = skep_arena_zero(arena, 2 * n_checks + 1, sizeof *checks);
  uint32_t *from = skep_arena_zero(arena, 2 * n_checks + 1, sizeof *from);
  if (checks == NULL || from == NULL) return no_memory(err);
  if (job->update != NULL) images[n++] = job->target.row;
  if (job->insert != NULL) images[n++] = job->target.row;
  job->bind = job->target.bind;
  SKEP_TRY(skep_target_images(arena, images, n, &job->bind.types, err));
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t c = 0; c < n_checks; c++) {
      checks[i * n_checks + c] = job->target.bind.checks[c];
      from[i * n_checks + c] = i * row_width;
    }
  }
  job->bind.n_checks = n * n_checks;
  job->bind.checks = checks;
  job->bind.check_from = from;
  job->bind.n_skip = OUT_KEYS + job->n_keys;
  return skep_bind_insert(&life->binder, query, &job->bind, &job->bound, err);
}

/* ---- less of the target ---- */

/* Each t.c = s.d of ON says which values of c matter at all: stripes and partitions without them need no reading. */
static skep_status limit_by(const merge_job *job, skep_life *life, const skep_expr *on, skep_buf *out, skep_err *err) {
  for (uint32_t depth = 0; on->kind == SKEP_EXPR_BINARY && on->binary.op == SKEP_OP_AND && depth < MAX_ON_DEPTH;
       depth++) { /* a AND b AND c leans to the left */
    SKEP_TRY(limit_by(job, life, on->binary.right, out, err));
    on = on->binary.left;
  }
  if (on->kind != SKEP_EXPR_BINARY || on->binary.op != SKEP_OP_EQ) return SKEP_OK;
  const skep_expr *left = on->binary.left, *right = on->binary.right;
  if (left->kind != SKEP_EXPR_NAME || right->kind != SKEP_EXPR_NAME) return SKEP_OK;
  bool whole = false;
  int64_t t = target_column(job, &left->name, &whole), s = source_column(job, &right->name);
  if (t < 0 || s < 0) {
    t = target_column(job, &right->name, &whole);
    s = source_column(job, &left->name);
  }
  if (t < 0 || s < 0 || !whole) return SKEP_OK;
  const skep_type *row = job->target.row;
  return skep_merge_source_limit(&job->source, life, (uint32_t)s, row->names[t], row->children[t], out, err);
}

static skep_status limit_target(merge_job *job, skep_life *life, skep_err *err) {
  skep_bound_table *table = NULL;
  for (uint32_t i = 0; i < job->bound->n_tables && table == NULL; i++)
    if (job->bound->tables[i].table.handle == job->target.table && strcmp(job->bound->tables[i].alias, job->alias) == 0)
      table = &job->bound->tables[i];
  if (table == NULL) return SKEP_OK;
  skep_buf text;
  skep_buf_init(&text, life->s->ctx, 1 << 20);
  skep_status st = limit_by(job, life, job->merge->on, &text, err);
  if (st == SKEP_OK) st = skep_buf_check(&text, "a predicate", err);
  if (st == SKEP_OK && text.size != 0)
    st = skep_life_both_predicates(life, table->predicate, skep_buf_string(&text), &table->predicate, err);
  skep_buf_fini(&text);
  return st;
}

/* ---- running ---- */

typedef struct way {
  skep_life_branch *branch; /* NULL: no such clause */
  skep_rows_view view;
  skep_rows_route route;
} way;

/* Where rows go: delete events and new rows of UPDATE, delete events of DELETE, rows of INSERT. New rows go apart by
 * the side of the source's UNION ALL. */
typedef struct ways {
  way update_delete, delete_;
  way *updates, *inserts; /* new rows; none: no such clause */
  uint32_t n_updates, n_inserts;
} ways;

static skep_status open_way(merge_job *job, skep_life *life, way *w, skep_write_kind kind, char op, uint32_t first,
                            skep_err *err) {
  uint32_t n = kind == SKEP_WRITE_DELETE ? 1 + job->n_keys : job->target.row->n_children;
  uint32_t *columns = skep_arena_zero(&life->s->arena, n + 1, sizeof *columns);
  if (columns == NULL) return no_memory(err);
  for (uint32_t i = 0; i < n; i++) columns[i] = first + i;
  SKEP_TRY(skep_rows_view_init(&w->view, life, job->bound->type, columns, n, err));
  return skep_life_branch_open(life, job->target.table, kind, op, NULL, &w->branch, err);
}

/* New rows: a union takes a statement id for itself and one for each side (golden 20). */
static skep_status open_sides(merge_job *job, skep_life *life, way **out, uint32_t n, char op, uint32_t first,
                              skep_err *err) {
  *out = skep_arena_zero(&life->s->arena, n, sizeof **out);
  if (*out == NULL) return no_memory(err);
  if (n > 1) life->s->txn.next_statement++;
  for (uint32_t i = 0; i < n; i++) SKEP_TRY(open_way(job, life, &(*out)[i], SKEP_WRITE_INSERT, op, first, err));
  return SKEP_OK;
}

static skep_status open_ways(merge_job *job, skep_life *life, ways *w, skep_err *err) {
  for (uint32_t i = 0; i < job->merge->n_whens; i++) { /* delete events first, in the order of the clauses */
    const skep_merge_when *when = &job->merge->whens[i];
    if (when == job->update) SKEP_TRY(open_way(job, life, &w->update_delete, SKEP_WRITE_DELETE, 'd', OUT_ROW_ID, err));
    if (when == job->delete_) SKEP_TRY(open_way(job, life, &w->delete_, SKEP_WRITE_DELETE, 'd', OUT_ROW_ID, err));
  }
  /* Hive sorts the new rows of UPDATE by partition, and with that brings the sides together again. */
  uint32_t n_sides = job->source.n_ways, n_updates = job->n_keys != 0 ? 1 : n_sides;
  if (job->update != NULL) {
    SKEP_TRY(open_sides(job, life, &w->updates, n_updates, 'd', job->out_updated, err));
    w->n_updates = n_updates;
  }
  if (job->insert == NULL) return SKEP_OK;
  SKEP_TRY(open_sides(job, life, &w->inserts, n_sides, 'i', job->out_inserted, err));
  w->n_inserts = n_sides;
  for (uint32_t i = 0; i < n_sides; i++) w->inserts[i].branch->by_absence = true;
  return SKEP_OK;
}

static void close_ways(skep_life *life, ways *w) {
  skep_rows_route_fini(&w->update_delete.route, life);
  skep_rows_route_fini(&w->delete_.route, life);
  for (uint32_t i = 0; i < w->n_updates; i++) skep_rows_route_fini(&w->updates[i].route, life);
  for (uint32_t i = 0; i < w->n_inserts; i++) skep_rows_route_fini(&w->inserts[i].route, life);
}

/* Rows of one target row lie next to each other: more than one is a violation by ON alone. A row id is unique in its
 * partition only. */
typedef struct last_row {
  bool any;
  int64_t write_id, row_id;
  int32_t bucket;
  skep_buf keys; /* its partition's values, as text */
  skep_buf other;
} last_row;

static skep_status print_keys(const merge_job *job, const skep_batch *batch, int64_t row, skep_buf *out,
                              skep_err *err) {
  skep_text text = {.style = SKEP_TEXT_COPY};
  skep_buf_reset(out);
  for (uint32_t k = 0; k < job->n_keys; k++) {
    skep_buf_byte(out, '\t');
    SKEP_TRY(skep_text_value(&text, &batch->root.children[OUT_KEYS + k], row, out, err));
  }
  return skep_buf_check(out, "a partition", err);
}

static skep_status violation(int64_t write_id, int32_t bucket, int64_t row_id, skep_err *err) {
  return skep_fail(
      err, SKEP_ERR_RUNTIME,
      "Error evaluating cardinality_violation(_col0): Cardinality Violation in Merge statement: [%lld, %d, "
      "%lld]",
      (long long)write_id, bucket, (long long)row_id);
}

static skep_status check_cardinality(const merge_job *job, const skep_batch *batch, last_row *last, skep_err *err) {
  const skep_vec *id = &batch->root.children[OUT_ROW_ID];
  const int64_t *write_ids = id->children[0].values.data, *row_ids = id->children[2].values.data;
  const int32_t *buckets = id->children[1].values.data;
  int64_t n = batch->root.length;
  while (n > 0 && !skep_vec_is_valid(id, n - 1)) n--; /* NULLs are last */
  for (int64_t i = 0; i < n; i++) {
    bool same = last->any && last->row_id == row_ids[i] && last->bucket == buckets[i] && last->write_id == write_ids[i];
    if (same && job->n_keys != 0) {
      SKEP_TRY(print_keys(job, batch, i, &last->other, err));
      if (i != 0) SKEP_TRY(print_keys(job, batch, i - 1, &last->keys, err));
      same = last->keys.size == last->other.size && memcmp(last->keys.data, last->other.data, last->keys.size) == 0;
    }
    if (same) return violation(write_ids[i], buckets[i], row_ids[i], err);
    last->any = true;
    last->write_id = write_ids[i];
    last->row_id = row_ids[i];
    last->bucket = buckets[i];
  }
  return n == 0 || job->n_keys == 0 ? SKEP_OK : print_keys(job, batch, n - 1, &last->keys, err);
}

static skep_status choose(way *w, skep_life *life, const skep_batch *batch, skep_err *err) {
  return skep_rows_route_start(&w->route, life, batch->root.length, err);
}

static skep_status choose_all(skep_life *life, ways *w, const skep_batch *batch, skep_err *err) {
  SKEP_TRY(choose(&w->update_delete, life, batch, err));
  SKEP_TRY(choose(&w->delete_, life, batch, err));
  for (uint32_t i = 0; i < w->n_updates; i++) SKEP_TRY(choose(&w->updates[i], life, batch, err));
  for (uint32_t i = 0; i < w->n_inserts; i++) SKEP_TRY(choose(&w->inserts[i], life, batch, err));
  return SKEP_OK;
}

static skep_status route_rows(const merge_job *job, skep_life *life, ways *w, const skep_batch *batch, skep_err *err) {
  const skep_vec *action = &batch->root.children[OUT_ACTION], *flag = &batch->root.children[OUT_INSERT];
  const int32_t *actions = action->values.data, *sides = batch->root.children[OUT_WAY].values.data;
  const uint8_t *flags = flag->values.data;
  bool apart = job->source.n_ways > 1;
  SKEP_TRY(choose_all(life, w, batch, err));
  for (int64_t i = 0; i < batch->root.length; i++) {
    int32_t a = skep_vec_is_valid(action, i) ? actions[i] : 0, side = apart ? sides[i] : 0;
    if (a == ACTION_UPDATE) skep_rows_route_add(&w->update_delete.route, i);
    if (a == ACTION_UPDATE && w->n_updates > 1) skep_rows_route_add(&w->updates[side].route, i);
    if (a == ACTION_DELETE) skep_rows_route_add(&w->delete_.route, i);
    if (w->n_inserts > 0 && flags[i] != 0 && skep_vec_is_valid(flag, i))
      skep_rows_route_add(&w->inserts[side].route, i);
  }
  return SKEP_OK;
}

static skep_status write_updates(merge_job *job, skep_life *life, ways *w, const skep_batch *batch, skep_err *err) {
  const skep_batch *rows;
  if (w->update_delete.route.n_chosen == 0) return SKEP_OK;
  SKEP_TRY(skep_rows_route_take(&w->update_delete.route, life, batch, &rows, err));
  SKEP_TRY(skep_rows_enforce(&job->target, rows, job->out_updated, job->out_checks, err));
  SKEP_TRY(
      skep_table_write_deletes(w->update_delete.branch->write, skep_rows_view_of(&w->update_delete.view, rows), err));
  for (uint32_t i = 0; i < w->n_updates; i++) {
    way *to = &w->updates[i];
    if (w->n_updates > 1) { /* else they are those above */
      if (to->route.n_chosen == 0) continue;
      SKEP_TRY(skep_rows_route_take(&to->route, life, batch, &rows, err));
    }
    SKEP_TRY(skep_table_write_rows(to->branch->write, skep_rows_view_of(&to->view, rows), err));
  }
  return SKEP_OK;
}

static skep_status write_inserts(merge_job *job, skep_life *life, way *to, const skep_batch *batch, skep_err *err) {
  const skep_batch *rows;
  uint32_t checks = job->out_checks + (job->update != NULL ? job->target.bind.n_checks : 0);
  if (to->route.n_chosen == 0) return SKEP_OK;
  SKEP_TRY(skep_rows_route_take(&to->route, life, batch, &rows, err));
  SKEP_TRY(skep_rows_enforce(&job->target, rows, job->out_inserted, checks, err));
  return skep_table_write_rows(to->branch->write, skep_rows_view_of(&to->view, rows), err);
}

static skep_status write_rows(merge_job *job, skep_life *life, ways *w, const skep_batch *batch, skep_err *err) {
  const skep_batch *rows;
  SKEP_TRY(route_rows(job, life, w, batch, err));
  if (w->delete_.route.n_chosen != 0) {
    SKEP_TRY(skep_rows_route_take(&w->delete_.route, life, batch, &rows, err));
    SKEP_TRY(skep_table_write_deletes(w->delete_.branch->write, skep_rows_view_of(&w->delete_.view, rows), err));
  }
  SKEP_TRY(write_updates(job, life, w, batch, err));
  for (uint32_t i = 0; i < w->n_inserts; i++) SKEP_TRY(write_inserts(job, life, &w->inserts[i], batch, err));
  return SKEP_OK;
}

static skep_status pump_all(merge_job *job, skep_life *life, ways *w, skep_engine_result *rows, last_row *last,
                            skep_err *err) {
  for (;;) {
    const skep_batch *batch;
    SKEP_TRY(skep_session_check(life->s, err));
    skep_status st = skep_engine_next(rows, MERGE_BATCH_ROWS, &batch, err);
    if (st == SKEP_END) return SKEP_OK;
    if (st != SKEP_OK) return st;
    if (job->check_cardinality) SKEP_TRY(check_cardinality(job, batch, last, err));
    SKEP_TRY(write_rows(job, life, w, batch, err));
  }
}

static skep_status pump(merge_job *job, skep_life *life, ways *w, skep_engine_result *rows, skep_err *err) {
  last_row last = {0};
  skep_buf_init(&last.keys, life->s->ctx, 1 << 24);
  skep_buf_init(&last.other, life->s->ctx, 1 << 24);
  skep_status st = pump_all(job, life, w, rows, &last, err);
  skep_buf_fini(&last.keys);
  skep_buf_fini(&last.other);
  return st;
}

static skep_status check_aliases(const merge_job *job, skep_err *err) {
  char quoted[300];
  if (job->source.alias == NULL || strcmp(job->source.alias, job->alias) != 0) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_SEMANTIC, "SemanticException [Error 10008]: Line %u:%u Ambiguous table alias '%s'",
                   job->merge->table.pos.line, job->merge->table.pos.column,
                   skep_quote(quoted, sizeof quoted, job->alias, strlen(job->alias)));
}

static skep_status run(merge_job *job, skep_life *life, skep_err *err) {
  const skep_merge_into *m = job->merge;
  skep_life_table *table;
  const skep_query *query;
  SKEP_TRY(skep_life_find(life, &m->table, &table, err));
  SKEP_TRY(sort_clauses(job, err));
  if (job->first != NULL || table->t->kind == SKEP_TABLE_VIEW) SKEP_TRY(skep_update_check_table(table->t, err));
  SKEP_TRY(skep_target_init(&job->target, life, table, &m->table, NULL, err));
  job->alias = m->alias != NULL ? m->alias : m->table.name;
  job->check_cardinality = job->first != NULL && skep_session_bool(life->s, "hive.merge.cardinality.check", true);
  bool apart = table->t->n_buckets <= 0 && skep_table_is_transactional(table->t);
  SKEP_TRY(skep_merge_source_bind(&job->source, life, m->source, apart, err));
  SKEP_TRY(check_aliases(job, err));
  SKEP_TRY(make_query(job, life, &query, err));
  SKEP_TRY(bind_images(job, life, query, err));
  SKEP_TRY(skep_life_write(life, table, job->first != NULL ? 'd' : 'i', err));
  SKEP_TRY(skep_life_reads(life, job->source.bound, err));
  SKEP_TRY(skep_life_reads(life, job->bound, err));
  if (job->first != NULL) SKEP_TRY(skep_life_lock(life, table, SKEP_LOCK_USE_CHANGE, NULL, 0, err));
  if (job->insert != NULL) SKEP_TRY(skep_life_lock(life, table, SKEP_LOCK_USE_MERGE_INSERT, NULL, 0, err));
  SKEP_TRY(skep_life_enter(life, err));
  SKEP_TRY(skep_merge_source_fill(&job->source, life, err));
  SKEP_TRY(limit_target(job, life, err));
  SKEP_TRY(skep_life_sources(life, job->bound, &job->ids, err));
  ways w = {0};
  skep_engine_result *rows = NULL;
  skep_status st = open_ways(job, life, &w, err);
  if (st == SKEP_OK) st = skep_life_query(life, job->bound, job->ids, &skep_life_forms, &rows, err);
  if (st == SKEP_OK) st = pump(job, life, &w, rows, err);
  skep_engine_result_close(rows);
  close_ways(life, &w);
  return st;
}

skep_status skep_merge_run(skep_session *s, const skep_statement *statement, skep_result **out, skep_err *err) {
  skep_life life = {0};
  (void)out;
  skep_status st;
  do {
    merge_job job = {.statement = statement, .merge = statement->merge};
    st = skep_life_open(&life, s, err);
    if (st == SKEP_OK) st = run(&job, &life, err);
    skep_merge_source_drop(&job.source, s);
  } while (skep_life_again(&life, &st, err));
  return st == SKEP_OK ? skep_life_commit(&life, err) : skep_life_fail(&life, st);
}
