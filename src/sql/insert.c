/* INSERT INTO and INSERT OVERWRITE: VALUES, SELECT, several targets over one source.
 *
 * A column list and DEFAULT are worked into the query's tree; conversions to the columns' types are the binder's. Each
 * target is a query of its own over the same snapshot. INSERT ... UNION ALL gives every side a branch, as Hive does
 * (statement ids 1, 2, .. and none 0: observed, golden 05; union_ways.h). */
#include "sql/insert.h"

#include <stdio.h>

#include "sql/rows.h"
#include "sql/union_ways.h"

enum { INSERT_BATCH_ROWS = 16384 };

/* ---- trees ---- */

static skep_status no_memory(skep_err *err) { return skep_fail(err, SKEP_ERR_NOMEM, "a statement"); }

/* "c0", "c1", ... */
static skep_status made_up_names(skep_arena *arena, uint32_t n, const char *const **out, skep_err *err) {
  const char **names = skep_arena_zero(arena, n + 1, sizeof *names);
  if (names == NULL) return no_memory(err);
  for (uint32_t i = 0; i < n; i++) {
    char text[16];
    int length = snprintf(text, sizeof text, "c%u", i);
    names[i] = skep_arena_strndup(arena, text, (size_t)length);
    if (names[i] == NULL) return no_memory(err);
  }
  *out = names;
  return SKEP_OK;
}

/* Which column of the target each column of the source goes to. NULL list: one after the other. */
static skep_status place_columns(const skep_insert_job *job, skep_life *life, const skep_name_list *columns,
                                 const uint32_t **out, skep_err *err) {
  const skep_target *target = &job->target;
  const skep_catalog_table *t = target->table->t;
  char quoted[200];
  uint32_t *places = skep_arena_zero(&life->s->arena, columns->n + 1, sizeof *places);
  bool *seen = skep_arena_zero(&life->s->arena, target->row->n_children + 1, sizeof *seen);
  if (places == NULL || seen == NULL) return no_memory(err);
  for (uint32_t i = 0; i < columns->n; i++) {
    const char *name = columns->items[i];
    int64_t at = skep_target_column(target, name);
    skep_quote(quoted, sizeof quoted, name, strlen(name));
    if (at < 0)
      return skep_fail(err, SKEP_ERR_SEMANTIC,
                       "SemanticException %u:%u '[%s]' in insert schema specification are not found among regular "
                       "columns of %s.%s nor dynamic partition columns.. Error encountered near token '%s'",
                       target->bind.line, target->bind.column, quoted, t->db, t->name, t->name);
    if (seen[at])
      return skep_fail(err, SKEP_ERR_SEMANTIC, "SemanticException [Error 10036]: Duplicate column name: %s", quoted);
    seen[at] = true;
    places[i] = (uint32_t)at;
  }
  *out = places;
  return SKEP_OK;
}

/* The cells of VALUES in the target's order, with DEFAULT and columns that are not listed filled in. */
static skep_status place_values(const skep_insert_job *job, skep_life *life, const skep_values *values,
                                const uint32_t *places, const skep_values **out, skep_err *err) {
  skep_arena *arena = &life->s->arena;
  uint32_t width = places != NULL ? job->target.row->n_children : values->n_columns;
  if (width == 0 || values->n_rows > SIZE_MAX / sizeof(void *) / width) return no_memory(err);
  const skep_expr **cells = skep_arena_zero(arena, (size_t)values->n_rows * width, sizeof *cells);
  const skep_expr **defaults = skep_arena_zero(arena, width, sizeof *defaults);
  skep_values *made = skep_arena_zero(arena, 1, sizeof *made);
  if (cells == NULL || defaults == NULL || made == NULL) return no_memory(err);
  for (uint32_t c = 0; c < width && c < job->target.row->n_children; c++)
    SKEP_TRY(skep_target_default(&job->target, life, c, &defaults[c], err));
  for (uint32_t r = 0; r < values->n_rows; r++) {
    const skep_expr **row = cells + (size_t)r * width;
    for (uint32_t c = 0; c < values->n_columns; c++)
      row[places != NULL ? places[c] : c] = values->cells[(size_t)r * values->n_columns + c];
    for (uint32_t c = 0; c < width; c++)
      if (row[c] == NULL || (row[c]->kind == SKEP_EXPR_DEFAULT && defaults[c] != NULL)) row[c] = defaults[c];
  }
  *made = (skep_values){.pos = values->pos, .n_rows = values->n_rows, .n_columns = width, .cells = cells};
  *out = made;
  return SKEP_OK;
}

static bool has_default(const skep_values *values) {
  size_t n = (size_t)values->n_rows * values->n_columns;
  for (size_t i = 0; i < n; i++)
    if (values->cells[i]->kind == SKEP_EXPR_DEFAULT) return true;
  return false;
}

static skep_status wrong_count(const skep_insert_job *job, uint32_t expected, uint32_t given, skep_err *err) {
  const skep_bind_target *b = &job->target.bind;
  return skep_fail(
      err, SKEP_ERR_SEMANTIC,
      "SemanticException [Error 10044]: Line %u:%u Cannot insert into target table because column "
      "number/types are different '%s': Expected %u columns for insclause-0/%s.%s; select produces %u columns",
      b->line, b->column, b->label, expected, job->target.table->t->db, job->target.table->t->name, given);
}

/* SELECT <places> FROM (query) q(c0, c1, ..); `skip` leading columns of the query are passed on first. */
static skep_status place_query(const skep_insert_job *job, skep_life *life, const skep_query *query, uint32_t skip,
                               const uint32_t *places, uint32_t n_places, const skep_query **out, skep_err *err) {
  skep_arena *arena = &life->s->arena;
  uint32_t width = job->target.row->n_children;
  const char *const *names;
  SKEP_TRY(made_up_names(arena, skip + n_places, &names, err));
  skep_select_item *items = skep_arena_zero(arena, skip + width + 1, sizeof *items);
  const skep_from *from = skep_from_query(arena, query, "q");
  if (items == NULL || from == NULL) return no_memory(err);
  skep_from *named = skep_arena_zero(arena, 1, sizeof *named);
  if (named == NULL) return no_memory(err);
  *named = *from;
  named->column_aliases = (skep_name_list){.items = names, .n = skip + n_places};
  for (uint32_t i = 0; i < skip; i++) items[i].expr = skep_expr_column(arena, "q", names[i]);
  for (uint32_t i = 0; i < n_places; i++) items[skip + places[i]].expr = skep_expr_column(arena, "q", names[skip + i]);
  for (uint32_t c = 0; c < width; c++)
    if (items[skip + c].expr == NULL) SKEP_TRY(skep_target_default(&job->target, life, c, &items[skip + c].expr, err));
  for (uint32_t c = 0; c < skip + width; c++)
    if (items[c].expr == NULL) return no_memory(err);
  const skep_select select = {.items = items, .n_items = skip + width, .from = named};
  *out = skep_query_select(arena, &select);
  return *out != NULL ? SKEP_OK : no_memory(err);
}

/* ---- UNION ALL ---- */

/* Buckets come after a shuffle, and Hive refuses to overwrite with a union: those are not split. */
static skep_status number_sides(skep_insert_job *job, skep_life *life, const skep_query *query, const skep_query **out,
                                skep_err *err) {
  const skep_catalog_table *t = job->target.table->t;
  *out = query;
  job->n_ways = 1;
  if (job->overwrite || !skep_table_is_transactional(t) || t->n_buckets > 0) return SKEP_OK;
  return skep_union_ways(&life->s->arena, query, out, &job->n_ways, err);
}

/* ---- bind ---- */

static skep_status with_values(skep_insert_job *job, skep_life *life, const skep_query *query,
                               const skep_name_list *columns, const skep_query **out, skep_err *err) {
  const skep_values *values = query->body->values;
  const uint32_t *places = NULL;
  *out = query;
  if (columns == NULL && !has_default(values)) return SKEP_OK;
  if (columns != NULL) {
    SKEP_TRY(place_columns(job, life, columns, &places, err));
    if (columns->n != values->n_columns) return wrong_count(job, columns->n, values->n_columns, err);
  }
  skep_query *made = skep_arena_zero(&life->s->arena, 1, sizeof *made);
  skep_query_body *body = skep_arena_zero(&life->s->arena, 1, sizeof *body);
  if (made == NULL || body == NULL) return no_memory(err);
  *body = *query->body;
  SKEP_TRY(place_values(job, life, values, places, &body->values, err));
  *made = *query;
  made->body = body;
  *out = made;
  return SKEP_OK;
}

skep_status skep_insert_bind(skep_insert_job *job, skep_life *life, const skep_query *query,
                             const skep_name_list *columns, skep_err *err) {
  job->n_ways = 1;
  if (query->body->kind == SKEP_BODY_VALUES) {
    SKEP_TRY(with_values(job, life, query, columns, &query, err));
  } else {
    const uint32_t *places = NULL;
    if (columns != NULL) {
      skep_bound_query *raw;
      SKEP_TRY(place_columns(job, life, columns, &places, err));
      SKEP_TRY(skep_bind_query(&life->binder, query, &raw, err));
      if (raw->n_outputs != columns->n) return wrong_count(job, columns->n, raw->n_outputs, err);
    }
    SKEP_TRY(number_sides(job, life, query, &query, err));
    if (columns != NULL) SKEP_TRY(place_query(job, life, query, job->n_ways > 1, places, columns->n, &query, err));
  }
  job->query = query;
  job->target.bind.n_skip = job->n_ways > 1;
  return skep_bind_insert(&life->binder, query, &job->target.bind, &job->bound, err);
}

/* ---- write ---- */

typedef struct insert_ways {
  skep_life_branch **branches;
  skep_rows_route *routes;
} insert_ways;

static skep_status open_ways(skep_insert_job *job, skep_life *life, insert_ways *ways, skep_err *err) {
  ways->branches = skep_arena_zero(&life->s->arena, job->n_ways, sizeof *ways->branches);
  ways->routes = skep_arena_zero(&life->s->arena, job->n_ways, sizeof *ways->routes);
  if (ways->branches == NULL || ways->routes == NULL) return no_memory(err);
  if (job->n_ways > 1) life->s->txn.next_statement++; /* the union itself takes one */
  for (uint32_t i = 0; i < job->n_ways; i++)
    SKEP_TRY(skep_life_branch_open(life, job->target.table, job->overwrite ? SKEP_WRITE_OVERWRITE : SKEP_WRITE_INSERT,
                                   job->overwrite ? 'u' : 'i', job->target.statics, &ways->branches[i], err));
  return SKEP_OK;
}

static skep_status write_ways(skep_insert_job *job, skep_life *life, insert_ways *ways, skep_rows_view *view,
                              const skep_batch *batch, skep_err *err) {
  if (job->with_file) return skep_tasks_write(&job->tasks, life, ways->branches[0]->write, view, batch, 0, err);
  if (job->n_ways == 1) return skep_table_write_rows(ways->branches[0]->write, skep_rows_view_of(view, batch), err);
  const int32_t *way = batch->root.children[0].values.data;
  for (uint32_t i = 0; i < job->n_ways; i++) {
    const skep_batch *rows;
    skep_rows_route *route = &ways->routes[i];
    SKEP_TRY(skep_rows_route_start(route, life, batch->root.length, err));
    for (int64_t r = 0; r < batch->root.length; r++)
      if (way[r] == (int32_t)i) skep_rows_route_add(route, r);
    if (route->n_chosen == 0) continue;
    SKEP_TRY(skep_rows_route_take(route, life, batch, &rows, err));
    SKEP_TRY(skep_table_write_rows(ways->branches[i]->write, skep_rows_view_of(view, rows), err));
  }
  return SKEP_OK;
}

/* One batch of the query's rows into its branches. */
typedef struct insert_pump {
  skep_insert_job *job;
  insert_ways *ways;
  skep_rows_view view;
  int64_t *n_nulls; /* that came, of each column of VALUES; NULL: the query is another one */
} insert_pump;

static skep_status start_pump(insert_pump *p, skep_life *life, skep_err *err) {
  uint32_t first = p->job->target.bind.n_skip, n = p->job->target.row->n_children;
  uint32_t *columns = skep_arena_zero(&life->s->arena, n + 1, sizeof *columns);
  if (columns == NULL) return no_memory(err);
  for (uint32_t i = 0; i < n; i++) columns[i] = first + i;
  if (p->job->bound->given != NULL) {
    p->n_nulls = skep_arena_zero(&life->s->arena, n + 1, sizeof *p->n_nulls);
    if (p->n_nulls == NULL) return no_memory(err);
  }
  return skep_rows_view_init(&p->view, life, p->job->bound->type, columns, n, err);
}

static skep_status pump_batch(insert_pump *p, skep_life *life, const skep_batch *batch, skep_err *err) {
  uint32_t first = p->job->target.bind.n_skip, n = p->job->target.row->n_children;
  SKEP_TRY(skep_rows_enforce(&p->job->target, batch, first, first + n, err));
  for (uint32_t i = 0; p->n_nulls != NULL && i < n; i++)
    if (batch->root.children[first + i].has_nulls) p->n_nulls[i] += batch->root.children[first + i].null_count;
  return write_ways(p->job, life, p->ways, &p->view, batch, err);
}

static skep_status pump_engine(insert_pump *p, skep_life *life, skep_err *err) {
  skep_engine_result *rows;
  skep_status st = skep_life_query(life, p->job->bound, p->job->ids, &skep_life_forms, &rows, err);
  while (st == SKEP_OK) {
    const skep_batch *batch;
    st = skep_session_check(life->s, err);
    if (st == SKEP_OK) st = skep_engine_next(rows, INSERT_BATCH_ROWS, &batch, err);
    if (st == SKEP_OK) st = pump_batch(p, life, batch, err);
  }
  skep_engine_result_close(rows);
  return st == SKEP_END ? SKEP_OK : st;
}

/* Constants need no engine: a small INSERT is as fast as its file. */
static skep_status pump(insert_pump *p, skep_life *life, skep_err *err) {
  skep_batch rows = {0};
  if (p->job->bound->n_tables != 0 || p->job->n_ways != 1) return pump_engine(p, life, err);
  skep_status st = skep_bound_query_rows(p->job->bound, life->s->ctx, &rows, err);
  if (st == SKEP_END) return pump_engine(p, life, err);
  if (st == SKEP_OK && rows.root.length != 0) st = pump_batch(p, life, &rows, err);
  skep_vec_fini(&rows.root);
  return st;
}

/* Hive stores something else without a word. What a query computes is not looked at: only what somebody wrote down. */
static void tell_lost(const insert_pump *p, skep_life *life) {
  const skep_insert_job *job = p->job;
  const skep_type *row = job->target.row;
  uint32_t n = row->n_children, n_keys = job->target.table->t->partition_keys->n_children;
  for (uint32_t i = 0; p->n_nulls != NULL && i < n; i++) {
    const skep_bound_given *given = &job->bound->given[i];
    const char *type = job->bound->type_names[i];
    int64_t lost = given->n_nulls >= 0 ? p->n_nulls[i] - given->n_nulls : 0;
    char name[200];
    skep_quote(name, sizeof name, row->names[i], strlen(row->names[i]));
    if (given->n_outside > 0)
      skep_session_note(life->s,
                        "column %s: %lld value%s outside of the range of %s: what is stored differs, as in Hive", name,
                        (long long)given->n_outside, given->n_outside == 1 ? " is" : "s are", type);
    if (lost > 0)
      skep_session_note(life->s, "column %s: %lld value%s no %s and became %s, as in Hive", name, (long long)lost,
                        lost == 1 ? " is" : "s are", type, i + n_keys >= n ? "the default partition's" : "NULL");
  }
}

/* Rows of one table that nothing shuffles: Hive's tasks write what they read. */
static bool copies_one_table(const skep_insert_job *job) {
  const skep_catalog_table *t = job->target.table->t;
  const skep_query_body *body = job->query->body;
  const skep_bq *q = job->bound->root;
  if (t->kind != SKEP_TABLE_FULL_ACID || skep_table_is_partitioned(t) || t->n_buckets > 0 || job->n_ways != 1)
    return false;
  if (job->bound->n_tables != 1 || body->kind != SKEP_BODY_SELECT || body->select->from == NULL) return false;
  if (body->select->from->kind != SKEP_FROM_TABLE || skep_query_has_tail(job->query) || job->target.bind.n_checks != 0)
    return false;
  if (q->kind != SKEP_BQ_SELECT || q->grouped || q->distinct || q->qualify != NULL || q->from == NULL) return false;
  for (uint32_t i = 0; i < q->n_outputs; i++)
    if (q->outputs[i]->has_window) return false;
  return q->from->kind == SKEP_BREL_TABLE;
}

/* SELECT t.INPUT__FILE__NAME, <the same> FROM t */
static skep_status name_files(skep_insert_job *job, skep_life *life, skep_err *err) {
  skep_arena *arena = &life->s->arena;
  const skep_select *old = job->query->body->select;
  const char *alias = old->from->alias != NULL ? old->from->alias : old->from->table.name.name;
  skep_select_item *items = skep_arena_zero(arena, old->n_items + 1, sizeof *items);
  if (items == NULL) return no_memory(err);
  items[0].expr = skep_expr_column(arena, alias, "input__file__name");
  memcpy(items + 1, old->items, old->n_items * sizeof *items);
  skep_select select = *old;
  select.items = items;
  select.n_items = old->n_items + 1;
  const skep_query *made = items[0].expr == NULL ? NULL : skep_query_select(arena, &select);
  if (made == NULL) return no_memory(err);
  skep_query *query = skep_arena_zero(arena, 1, sizeof *query);
  if (query == NULL) return no_memory(err);
  *query = *made;
  query->ctes = job->query->ctes;
  query->n_ctes = job->query->n_ctes;
  job->target.bind.n_skip = 1;
  return skep_bind_insert(&life->binder, query, &job->target.bind, &job->bound, err);
}

/* Known only when the files are; the query is bound again then, over the same source. */
static skep_status follow_tasks(skep_insert_job *job, skep_life *life, skep_err *err) {
  if (!copies_one_table(job)) return SKEP_OK;
  SKEP_TRY(skep_tasks_find(&job->tasks, life, job->ids[0], err));
  if (job->tasks.n_tasks <= 1) return SKEP_OK;
  job->with_file = true;
  return name_files(job, life, err);
}

/* IF NOT EXISTS: the partition is there, so nothing is to do. */
static bool is_there(const skep_insert_job *job) {
  const skep_life_table *t = job->target.table;
  if (!job->if_not_exists || job->target.partition == NULL) return false;
  for (size_t i = 0; i < t->n_partitions; i++)
    if (strcmp(t->partitions[i].name, job->target.partition) == 0) return true;
  return false;
}

skep_status skep_insert_write(skep_insert_job *job, skep_life *life, skep_err *err) {
  insert_ways ways;
  insert_pump p = {.job = job, .ways = &ways};
  if (is_there(job)) return SKEP_OK;
  SKEP_TRY(follow_tasks(job, life, err));
  SKEP_TRY(open_ways(job, life, &ways, err));
  skep_status st = start_pump(&p, life, err);
  if (st == SKEP_OK) st = pump(&p, life, err);
  if (st == SKEP_OK) tell_lost(&p, life);
  for (uint32_t i = 0; i < job->n_ways; i++) skep_rows_route_fini(&ways.routes[i], life);
  skep_tasks_fini(&job->tasks, life);
  return st;
}

/* ---- the statement ---- */

/* The table that one target names, and what may not be. */
static skep_status take_target(skep_life *life, const skep_insert_target *from, skep_insert_job *job, skep_err *err) {
  skep_life_table *table;
  if (from->is_directory)
    return skep_fail(err, SKEP_ERR_UNSUPPORTED, "INSERT OVERWRITE DIRECTORY is not supported yet");
  SKEP_TRY(skep_life_find(life, &from->table, &table, err));
  if (table->t->kind == SKEP_TABLE_VIEW)
    return skep_fail(err, SKEP_ERR_SEMANTIC,
                     "SemanticException [Error 10090]: A view cannot be used as target table for LOAD or INSERT");
  SKEP_TRY(skep_target_init(&job->target, life, table, &from->table, &from->partition, err));
  job->overwrite = from->overwrite;
  job->if_not_exists = from->if_not_exists;
  if (from->if_not_exists && !job->target.all_static)
    return skep_fail(err, SKEP_ERR_SEMANTIC,
                     "SemanticException [Error 10127]: Dynamic partitions do not support IF NOT EXISTS. Specified "
                     "partitions with value : %s",
                     table->t->name);
  SKEP_TRY(skep_life_write(life, table, from->overwrite ? 'u' : 'i', err));
  bool one = job->target.partition != NULL;
  return skep_life_lock(life, table, from->overwrite ? SKEP_LOCK_USE_INSERT_OVERWRITE : SKEP_LOCK_USE_INSERT,
                        one ? &job->target.partition : NULL, one, err);
}

/* The same unpartitioned table, or the same static partition, twice. */
static bool same_output(const skep_insert_job *a, const skep_insert_job *b) {
  if (a->target.table != b->target.table || !a->target.all_static || !b->target.all_static) return false;
  if (a->target.partition == NULL) return true;
  return strcmp(a->target.partition, b->target.partition) == 0;
}

/* One write id has one base_N for each directory: whoever opens it second would clear it, and it hides the deltas of
 * the same write id. Plain tables: the second would put the first one's files aside. */
static bool overwrites_own_rows(const skep_insert_job *a, const skep_insert_job *b) {
  if (a->target.table != b->target.table || (!a->overwrite && !b->overwrite)) return false;
  return !a->target.all_static || !b->target.all_static;
}

static skep_status refuse_same_output(skep_life *life, const skep_insert_job *jobs, uint32_t n, skep_err *err) {
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t k = 0; k < i; k++) {
      if (overwrites_own_rows(&jobs[i], &jobs[k]))
        return skep_fail(
            err, SKEP_ERR_SEMANTIC,
            "SemanticException %s.%s is written more than once in one statement, with OVERWRITE: that needs "
            "all partition keys of each INSERT to be static, and different partitions",
            jobs[i].target.table->t->db, jobs[i].target.table->t->name);
      if (!same_output(&jobs[i], &jobs[k])) continue;
      /* Hive has its write ids by then: they are used up */
      SKEP_TRY(skep_life_enter(life, err));
      return skep_fail(err, SKEP_ERR_SEMANTIC,
                       "SemanticException [Error 10087]: The same output cannot be present multiple times:  %s",
                       jobs[i].target.table->t->name);
    }
  }
  return SKEP_OK;
}

skep_status skep_insert_into(skep_life *life, const skep_insert *insert, skep_err *err) {
  skep_insert_job *jobs = skep_arena_zero(&life->s->arena, insert->n_targets + 1, sizeof *jobs);
  if (jobs == NULL) return no_memory(err);
  if (insert->n_targets > SKEP_LIFE_MAX_BRANCHES)
    return skep_fail(err, SKEP_ERR_LIMIT, "more than %d targets", SKEP_LIFE_MAX_BRANCHES);
  for (uint32_t i = 0; i < insert->n_targets; i++) {
    const skep_insert_target *t = &insert->targets[i];
    SKEP_TRY(take_target(life, t, &jobs[i], err));
    SKEP_TRY(skep_insert_bind(&jobs[i], life, t->query, t->has_columns ? &t->columns : NULL, err));
    SKEP_TRY(skep_life_reads(life, jobs[i].bound, err));
  }
  SKEP_TRY(refuse_same_output(life, jobs, insert->n_targets, err));
  SKEP_TRY(skep_life_enter(life, err));
  for (uint32_t i = 0; i < insert->n_targets; i++) SKEP_TRY(skep_life_sources(life, jobs[i].bound, &jobs[i].ids, err));
  for (uint32_t i = 0; i < insert->n_targets; i++) SKEP_TRY(skep_insert_write(&jobs[i], life, err));
  return SKEP_OK;
}

skep_status skep_insert_run(skep_session *s, const skep_statement *statement, skep_result **out, skep_err *err) {
  skep_life life = {0};
  (void)out;
  skep_status st;
  do {
    st = skep_life_open(&life, s, err);
    if (st == SKEP_OK) st = skep_insert_into(&life, statement->insert, err);
  } while (skep_life_again(&life, &st, err));
  return st == SKEP_OK ? skep_life_commit(&life, err) : skep_life_fail(&life, st);
}
