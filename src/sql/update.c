/* UPDATE and DELETE. UPDATE t SET .. WHERE .. runs as
 *   SELECT ROW__ID, <old or new value of every column>, <partition keys> FROM t WHERE .. ORDER BY ROW__ID
 * whose rows go into two branches: the old row's delete event (statement s) and the whole new row (s + 1). The order is
 * that in which Hive numbers the new rows: of reading without partitions and buckets, else of the old row ids. A column
 * that is not assigned is a plain reference: it passes through exactly. Refusals: golden 23, hiveql.md 4.4. */
#include "sql/update.h"
#include "sql/tasks.h"

enum { UPDATE_BATCH_ROWS = 16384 };

/* ---- what may be changed ---- */

skep_status skep_update_check_table(const skep_catalog_table *t, skep_err *err) {
  switch (t->kind) {
    case SKEP_TABLE_FULL_ACID:
      return SKEP_OK;
    case SKEP_TABLE_INSERT_ONLY:
      return skep_fail(
          err, SKEP_ERR_SEMANTIC,
          "SemanticException [Error 10414]: Attempt to do update or delete on table %s that is insert-only "
          "transactional",
          t->name);
    case SKEP_TABLE_VIEW:
      return skep_fail(err, SKEP_ERR_SEMANTIC,
                       "SemanticException [Error 10402]: You cannot update or delete records in a view");
    case SKEP_TABLE_PLAIN:
    case SKEP_TABLE_EXTERNAL:
      break;
  }
  return skep_fail(
      err, SKEP_ERR_SEMANTIC,
      "SemanticException [Error 10297]: Attempt to do update or delete on table %s that is not transactional", t->name);
}

static skep_status check_column(const skep_target *target, const char *column, uint32_t *at, skep_err *err) {
  const skep_catalog_table *t = target->table->t;
  char quoted[200];
  int64_t found = skep_target_column(target, column);
  skep_quote(quoted, sizeof quoted, column, strlen(column));
  if (found < 0)
    return skep_fail(
        err, SKEP_ERR_SEMANTIC,
        "SemanticException [Error 10408]: Target column \"%s\" of set clause is not found in table \"%s.%s\".", quoted,
        t->db, t->name);
  if (found >= target->n_columns)
    return skep_fail(err, SKEP_ERR_SEMANTIC,
                     "SemanticException [Error 10292]: Updating values of partition columns is not supported");
  for (uint32_t i = 0; i < t->n_bucket_columns; i++)
    if (t->bucket_columns[i] == (uint32_t)found)
      return skep_fail(
          err, SKEP_ERR_SEMANTIC,
          "SemanticException [Error 10302]: Updating values of bucketing columns is not supported.  Column "
          "%s.",
          quoted);
  *at = (uint32_t)found;
  return SKEP_OK;
}

skep_status skep_update_image(const skep_target *target, skep_life *life, const char *alias,
                              const skep_assignment_list *set, skep_select_item *items, skep_err *err) {
  const skep_type *row = target->row;
  for (uint32_t i = 0; i < row->n_children; i++)
    items[i].expr = skep_expr_column(&life->s->arena, alias, row->names[i]);
  for (uint32_t i = 0; i < set->n; i++) { /* of two values for one column Hive takes the last */
    uint32_t at = 0;
    const skep_expr *value = set->items[i].value;
    SKEP_TRY(check_column(target, set->items[i].column, &at, err));
    if (value->kind == SKEP_EXPR_DEFAULT) SKEP_TRY(skep_target_default(target, life, at, &value, err));
    items[at].expr = value;
  }
  for (uint32_t i = 0; i < row->n_children; i++)
    if (items[i].expr == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a statement");
  return SKEP_OK;
}

skep_status skep_update_row_order(skep_life *life, const char *alias, skep_order_item *order, skep_err *err) {
  static const char *const parts[] = {"writeid", "bucketid", "rowid"};
  for (uint32_t i = 0; i < 3; i++) {
    order[i].expr = skep_expr_path(&life->s->arena, (const char *const[]){alias, "row__id", parts[i]}, 3);
    if (order[i].expr == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a statement");
    order[i].nulls = SKEP_NULLS_LAST;
  }
  return SKEP_OK;
}

/* ---- running ---- */

/* One statement over one table: ROW__ID, perhaps the file, then the row image (UPDATE) or the partition keys (DELETE).
 */
typedef struct change_job {
  skep_target target;
  bool is_update;
  bool as_read;   /* new rows in the order of reading, which is Hive's; else in that of the old row ids */
  bool with_file; /* output 1 is INPUT__FILE__NAME */
  skep_tasks tasks;
  const skep_query *query;
  skep_bound_query *bound;
  const uint64_t *ids;
  skep_rows_view old_rows, new_rows;
} change_job;

static skep_status make_query(change_job *job, skep_life *life, const skep_table_name *name,
                              const skep_assignment_list *set, const skep_expr *where, skep_err *err) {
  skep_arena *arena = &life->s->arena;
  const skep_type *row = job->target.row, *keys = job->target.table->t->partition_keys;
  uint32_t first = job->with_file ? 2 : 1, n = first + (job->is_update ? row->n_children : keys->n_children);
  skep_select_item *items = skep_arena_zero(arena, n, sizeof *items);
  skep_order_item *order = skep_arena_zero(arena, 3, sizeof *order);
  const char *alias = name->name;
  /* with its database: rows that were given under the same name (given.h) are no target */
  const skep_from *from = skep_from_table(arena, job->target.table->t->db, name->name, NULL);
  if (items == NULL || order == NULL || from == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a statement");
  items[0].expr = skep_expr_column(arena, alias, "row__id");
  if (job->with_file) items[1].expr = skep_expr_column(arena, alias, "input__file__name");
  if (job->is_update) {
    SKEP_TRY(skep_update_image(&job->target, life, alias, set, items + first, err));
    SKEP_TRY(skep_update_row_order(life, alias, order, err));
  } else {
    for (uint32_t k = 0; k < keys->n_children; k++) items[1 + k].expr = skep_expr_column(arena, alias, keys->names[k]);
  }
  for (uint32_t i = 0; i < n; i++)
    if (items[i].expr == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a statement");
  const skep_select select = {.items = items, .n_items = n, .from = from, .where = where};
  const skep_query *query = skep_query_select(arena, &select);
  skep_query *ordered = skep_arena_zero(arena, 1, sizeof *ordered);
  if (query == NULL || ordered == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a statement");
  *ordered = *query;
  if (job->is_update && !job->as_read) ordered->order_by = (skep_order_list){.items = order, .n = 3};
  job->query = ordered;
  return SKEP_OK;
}

/* Which of the query's outputs the two branches take. */
static skep_status make_views(change_job *job, skep_life *life, skep_err *err) {
  const skep_type *row = job->target.row;
  uint32_t n_keys = job->target.table->t->partition_keys->n_children;
  uint32_t *columns = skep_arena_zero(&life->s->arena, row->n_children + 2, sizeof *columns);
  if (columns == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a statement");
  uint32_t first = job->with_file ? 2 : 1, first_key = job->is_update ? first + job->target.n_columns : first;
  for (uint32_t k = 0; k < n_keys; k++) columns[1 + k] = first_key + k;
  SKEP_TRY(skep_rows_view_init(&job->old_rows, life, job->bound->type, columns, 1 + n_keys, err));
  if (!job->is_update) return SKEP_OK;
  for (uint32_t i = 0; i < row->n_children; i++) columns[i] = first + i;
  return skep_rows_view_init(&job->new_rows, life, job->bound->type, columns, row->n_children, err);
}

static skep_status pump(change_job *job, skep_life *life, skep_engine_result *rows, skep_life_branch *deletes,
                        skep_life_branch *inserts, skep_err *err) {
  for (;;) {
    const skep_batch *batch;
    SKEP_TRY(skep_session_check(life->s, err));
    skep_status st = skep_engine_next(rows, UPDATE_BATCH_ROWS, &batch, err);
    if (st == SKEP_END) return SKEP_OK;
    if (st != SKEP_OK) return st;
    SKEP_TRY(skep_table_write_deletes(deletes->write, skep_rows_view_of(&job->old_rows, batch), err));
    if (!job->is_update) continue;
    uint32_t first = job->with_file ? 2 : 1;
    SKEP_TRY(skep_rows_enforce(&job->target, batch, first, first + job->target.row->n_children, err));
    if (job->with_file) {
      SKEP_TRY(skep_tasks_write(&job->tasks, life, inserts->write, &job->new_rows, batch, 1, err));
    } else {
      SKEP_TRY(skep_table_write_rows(inserts->write, skep_rows_view_of(&job->new_rows, batch), err));
    }
  }
}

static skep_status write_change(change_job *job, skep_life *life, skep_err *err) {
  skep_life_branch *deletes, *inserts = NULL;
  skep_engine_result *rows;
  SKEP_TRY(make_views(job, life, err));
  SKEP_TRY(skep_life_branch_open(life, job->target.table, SKEP_WRITE_DELETE, 'd', NULL, &deletes, err));
  if (job->is_update)
    SKEP_TRY(skep_life_branch_open(life, job->target.table, SKEP_WRITE_INSERT, 'd', NULL, &inserts, err));
  skep_status st = skep_life_query(life, job->bound, job->ids, &skep_life_forms, &rows, err);
  if (st == SKEP_OK) st = pump(job, life, rows, deletes, inserts, err);
  skep_engine_result_close(rows);
  return st;
}

static skep_status bind_update(change_job *job, skep_life *life, skep_err *err) {
  job->target.bind.n_skip = job->with_file ? 2 : 1;
  return skep_bind_insert(&life->binder, job->query, &job->target.bind, &job->bound, err);
}

/* Hive does not shuffle the new rows of a table without partitions and buckets: they are numbered as they are read, in
 * as many files as tasks read. Known only when the files are; the query is bound again then, over the same sources. */
static skep_status follow_tasks(change_job *job, skep_life *life, const skep_table_name *name,
                                const skep_assignment_list *set, const skep_expr *where, skep_err *err) {
  const skep_catalog_table *t = job->target.table->t;
  const skep_bound_query *bound = job->bound;
  if (skep_table_is_partitioned(t) || t->n_buckets > 0 || bound->n_tables == 0) return SKEP_OK;
  if (bound->tables[0].table.handle != job->target.table) return SKEP_OK;
  const skep_source *source = skep_life_source(life, job->ids[0]);
  SKEP_TRY(skep_tasks_find(&job->tasks, life, job->ids[0], err));
  job->with_file = job->tasks.n_tasks > 1;
  job->as_read = source != NULL && source->estimated_rows <= SKEP_ENGINE_ORDERED_ROWS && bound->n_tables == 1;
  if (!job->with_file && !job->as_read) return SKEP_OK;
  SKEP_TRY(make_query(job, life, name, set, where, err));
  return bind_update(job, life, err);
}

static skep_status run_change(change_job *job, skep_life *life, const skep_table_name *name,
                              const skep_assignment_list *set, const skep_expr *where, skep_err *err) {
  skep_life_table *table;
  SKEP_TRY(skep_life_find(life, name, &table, err));
  SKEP_TRY(skep_update_check_table(table->t, err));
  SKEP_TRY(skep_target_init(&job->target, life, table, name, NULL, err));
  SKEP_TRY(make_query(job, life, name, set, where, err));
  life->as_hive = job->is_update;
  if (job->is_update) {
    SKEP_TRY(bind_update(job, life, err));
  } else {
    SKEP_TRY(skep_bind_query(&life->binder, job->query, &job->bound, err));
  }
  SKEP_TRY(skep_life_write(life, table, 'd', err));
  SKEP_TRY(skep_life_reads(life, job->bound, err));
  SKEP_TRY(skep_life_lock(life, table, SKEP_LOCK_USE_CHANGE, NULL, 0, err));
  SKEP_TRY(skep_life_enter(life, err));
  SKEP_TRY(skep_life_sources(life, job->bound, &job->ids, err));
  if (job->is_update) SKEP_TRY(follow_tasks(job, life, name, set, where, err));
  skep_status st = write_change(job, life, err);
  skep_tasks_fini(&job->tasks, life);
  return st;
}

skep_status skep_update_run(skep_session *s, const skep_statement *statement, skep_result **out, skep_err *err) {
  const skep_update *update = statement->update;
  skep_life life = {0};
  (void)out;
  skep_status st;
  do {
    change_job job = {.is_update = true};
    st = skep_life_open(&life, s, err);
    if (st == SKEP_OK) st = run_change(&job, &life, &update->table, &update->set, update->where, err);
  } while (skep_life_again(&life, &st, err));
  return st == SKEP_OK ? skep_life_commit(&life, err) : skep_life_fail(&life, st);
}

skep_status skep_delete_run(skep_session *s, const skep_statement *statement, skep_result **out, skep_err *err) {
  const skep_delete *del = statement->delete_;
  skep_life life = {0};
  (void)out;
  /* all rows: Hive truncates (hive.optimize.delete.all); inside a transaction it cannot be, later statements may add
   * rows under the same write id */
  if (del->where == NULL && !s->txn.is_explicit && skep_session_bool(s, "hive.optimize.delete.all", true)) {
    const skep_truncate truncate = {.table = del->table};
    return skep_truncate_table(s, &truncate, true, err);
  }
  skep_status st;
  do {
    change_job job = {0};
    st = skep_life_open(&life, s, err);
    if (st == SKEP_OK) st = run_change(&job, &life, &del->table, NULL, del->where, err);
  } while (skep_life_again(&life, &st, err));
  return st == SKEP_OK ? skep_life_commit(&life, err) : skep_life_fail(&life, st);
}
