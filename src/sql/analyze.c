/* ANALYZE TABLE ... COMPUTE STATISTICS [FOR COLUMNS]: rows are counted by a query, which asks about columns too, files
 * by looking at what its snapshot uses.
 *
 * The numbers are those of the snapshots they were taken under. Those of a table in which something was committed
 * between the first look and the moment they are stored lack it, and may have lost what that commit added: they are
 * stored as not accurate. Tables that are not transactional have no such moment; their numbers are as good as nobody
 * writes meanwhile. */
#include <string.h>

#include "acid/layout.h"
#include "column/text.h"
#include "compact/env.h"
#include "hiveql/parse.h"
#include "sql/analyze.h"
#include "sql/column_stats.h"
#include "sql/ddl_int.h"
#include "sql/show_int.h"

/* A table, or one of its partitions, and what was found there. */
typedef struct place {
  skep_catalog_partition *partition; /* NULL: the table itself */
  const char *location;
  skep_catalog_stats stats;
  skep_catalog_column_stats *columns; /* as many as the analysis has */
} place;

typedef struct analysis {
  const skep_analyze *ast;
  const char *only; /* the name of one partition, or NULL: those of the statement */
  bool again;       /* FOR COLUMNS: those that have statistics, whatever the statement says */
  skep_catalog_table *t;
  skep_stats_columns columns; /* FOR COLUMNS */
  place *places;
  size_t n;
  int64_t n_writes; /* committed to the table before anything was counted */
} analysis;

/* How many write ids of the table are valid now: grows with every commit, and with nothing else that matters. */
static skep_status count_writes(skep_session *s, const skep_catalog_table *t, int64_t *out, skep_err *err) {
  const skep_txn_conf conf = {.user = s->user, .host = s->host};
  skep_txn now;
  skep_txn_ids ids;
  *out = 0;
  if (!skep_table_is_transactional(t)) return SKEP_OK;
  SKEP_TRY(skep_txn_snapshot(s->db, &s->arena, &conf, 0, &now, err));
  SKEP_TRY(skep_txn_valid_write_ids(s->db, &s->arena, &now.txns, t->db, t->name, &ids, err));
  *out = ids.hwm - ids.n_open - ids.n_aborted;
  return SKEP_OK;
}

/* ---- which places ---- */

/* The columns of one place that have statistics now, by name. */
static skep_status columns_again(skep_session *s, analysis *a, skep_err *err) {
  const skep_catalog_column_stats *known;
  skep_catalog_partition *p = NULL;
  skep_name_list names = {0};
  size_t n;
  if (a->only != NULL) SKEP_TRY(skep_catalog_get_partition(s->catalog, &s->arena, a->t, a->only, &p, err));
  SKEP_TRY(skep_catalog_list_column_stats(s->catalog, &s->arena, a->t, p, NULL, &known, &n, err));
  const char **items = skep_arena_zero(&s->arena, n + 1, sizeof *items);
  if (items == NULL) return ddl_nomem(err);
  for (size_t i = 0; i < n; i++) /* of a column that is gone: nothing to say */
    if (skep_type_child(a->t->columns, known[i].column, strlen(known[i].column), true) >= 0)
      items[names.n++] = known[i].column;
  names.items = items;
  if (names.n == 0) return SKEP_OK;
  return skep_stats_choose(s, a->t, &names, &a->columns, err);
}

static skep_status find_columns(skep_session *s, analysis *a, skep_err *err) {
  if (a->again) return columns_again(s, a, err);
  return a->ast->for_columns ? skep_stats_choose(s, a->t, &a->ast->columns, &a->columns, err) : SKEP_OK;
}

/* Statistics of no rows, for places that no answer speaks of. */
static skep_status prepare_columns(skep_session *s, analysis *a, skep_err *err) {
  for (size_t i = 0; a->columns.n > 0 && i < a->n; i++) {
    place *p = &a->places[i];
    p->columns = skep_arena_zero(&s->arena, a->columns.n, sizeof *p->columns);
    if (p->columns == NULL) return ddl_nomem(err);
    SKEP_TRY(skep_stats_read(s, a->t, &a->columns, NULL, 0, 0, 0, p->columns, err));
  }
  return SKEP_OK;
}

static skep_status find_places(skep_session *s, analysis *a, skep_err *err) {
  const skep_catalog_partition *list;
  size_t n;
  if (a->t->kind == SKEP_TABLE_VIEW)
    return ddl_semantic_fail(err, 10091, "ANALYZE is not supported for views: %s", ddl_name(s, a->t));
  SKEP_TRY(ddl_spec_check(s, a->t, &a->ast->partition, err));
  SKEP_TRY(find_columns(s, a, err));
  SKEP_TRY(count_writes(s, a->t, &a->n_writes, err));
  if (!skep_table_is_partitioned(a->t)) {
    a->places = skep_arena_zero(&s->arena, 1, sizeof *a->places);
    if (a->places == NULL) return ddl_nomem(err);
    a->places[a->n++] = (place){.location = a->t->location};
    return SKEP_OK;
  }
  SKEP_TRY(skep_catalog_list_partitions(s->catalog, &s->arena, a->t, true, &list, &n, err));
  a->places = skep_arena_zero(&s->arena, n + 1, sizeof *a->places);
  skep_catalog_partition *copies = skep_arena_zero(&s->arena, n + 1, sizeof *copies);
  if (a->places == NULL || copies == NULL) return ddl_nomem(err);
  for (size_t i = 0; i < n; i++) {
    bool matches;
    SKEP_TRY(ddl_spec_matches(s, a->t, &a->ast->partition, &list[i], &matches, err));
    if (!matches || (a->only != NULL && strcmp(a->only, list[i].name) != 0)) continue;
    copies[a->n] = list[i];
    a->places[a->n] = (place){.partition = &copies[a->n], .location = list[i].location};
    a->n++;
  }
  return SKEP_OK;
}

/* ---- rows ---- */

static place *place_of(const analysis *a, const char *const *values) {
  for (size_t i = 0; i < a->n; i++) {
    bool same = true;
    for (uint32_t k = 0; same && k < a->t->partition_keys->n_children; k++)
      same = strcmp(a->places[i].partition->values[k], values[k]) == 0;
    if (same) return &a->places[i];
  }
  return NULL;
}

/* One row: the keys of a partition, if any, a count, and what is asked about columns. */
static skep_status take_row(skep_session *s, analysis *a, const skep_batch *batch, int64_t row, skep_err *err) {
  const skep_type *keys = a->t->partition_keys;
  const char **values = skep_arena_zero(&s->arena, keys->n_children + 1, sizeof *values);
  int64_t count = 0;
  if (values == NULL) return ddl_nomem(err);
  for (uint32_t k = 0; k <= keys->n_children; k++) {
    const char *text = skep_stats_cell(s, &batch->root.children[k], row);
    if (text == NULL) return ddl_nomem(err);
    if (k == keys->n_children) {
      if (!skep_parse_i64(skep_bytes_of(text, strlen(text)), &count))
        return skep_fail(err, SKEP_ERR_INTERNAL, "ANALYZE: '%s' rows", ddl_quote(s, text));
    } else {
      SKEP_TRY(skep_catalog_partition_value(&s->arena, keys->children[k], text, &values[k], err));
    }
  }
  place *p = keys->n_children == 0 ? &a->places[0] : place_of(a, values);
  if (p == NULL) return SKEP_OK;
  p->stats.n_rows = count;
  if (a->columns.n == 0) return SKEP_OK;
  return skep_stats_read(s, a->t, &a->columns, batch, row, keys->n_children + 1, count, p->columns, err);
}

/* SELECT `k`, count(*), ... FROM `db`.`t` GROUP BY `k`, as a tree. */
static skep_status parse_count(skep_session *s, const analysis *a, const skep_statement **out, skep_err *err) {
  const skep_type *keys = a->t->partition_keys;
  skep_buf sql;
  skep_buf_init(&sql, s->ctx, 1 << 24);
  skep_buf_text(&sql, "SELECT ");
  for (uint32_t k = 0; k < keys->n_children; k++) {
    skep_buf_quoted(&sql, '`', keys->names[k]);
    skep_buf_text(&sql, ", ");
  }
  skep_buf_text(&sql, "count(*)");
  skep_stats_select(a->t, &a->columns, &sql);
  skep_buf_text(&sql, " FROM ");
  skep_buf_quoted(&sql, '`', a->t->db);
  skep_buf_byte(&sql, '.');
  skep_buf_quoted(&sql, '`', a->t->name);
  for (uint32_t k = 0; k < keys->n_children; k++) {
    skep_buf_text(&sql, k == 0 ? " GROUP BY " : ", ");
    skep_buf_quoted(&sql, '`', keys->names[k]);
  }
  skep_status st = skep_buf_check(&sql, "a query", err);
  if (st == SKEP_OK) st = skep_parse_statement(&s->arena, skep_buf_string(&sql), sql.size, NULL, out, err);
  skep_buf_fini(&sql);
  return st;
}

static skep_status count_rows(skep_session *s, analysis *a, skep_err *err) {
  const skep_statement *query;
  skep_result *result = NULL;
  const skep_batch *batch;
  SKEP_TRY(parse_count(s, a, &query, err));
  SKEP_TRY(skep_query_run(s, query, &result, err));
  skep_status st;
  while ((st = skep_result_next(result, &batch, err)) == SKEP_OK)
    for (int64_t row = 0; st == SKEP_OK && row < batch->root.length; row++) st = take_row(s, a, batch, row, err);
  skep_result_free(result);
  return st == SKEP_END ? SKEP_OK : st;
}

/* ---- files ---- */

static skep_status take_snapshot(skep_session *s, const skep_catalog_table *t, skep_snapshot *out, skep_err *err) {
  const skep_txn_conf conf = {.user = s->user, .host = s->host};
  if (!skep_table_is_transactional(t)) {
    *out = (skep_snapshot){.everything = true};
    return SKEP_OK;
  }
  return skep_compact_snapshot_now(s->db, &conf, &s->arena, t->db, t->name, false, out, err);
}

static skep_status count_files(skep_session *s, const skep_catalog_table *t, const skep_snapshot *snapshot, place *p,
                               skep_err *err) {
  const char *path;
  skep_layout *layout = NULL;
  const skep_layout_opts opts = {
      .snapshot = snapshot, .hive = SKEP_HIVE_4, .is_insert_only = t->kind == SKEP_TABLE_INSERT_ONLY};
  p->stats.set_rows = true;
  SKEP_TRY(skep_catalog_path(p->location, &path, err));
  skep_status st = skep_layout_read(s->ctx, s->fs, path, &opts, &layout, err);
  if (st == SKEP_ERR_NOT_FOUND) return SKEP_OK;
  if (st != SKEP_OK) return st;
  for (uint32_t i = 0; i < layout->n_used; i++)
    for (uint32_t k = 0; k < layout->dirs[i].n_files; k++) {
      if (layout->dirs[i].files[k].verdict != SKEP_USED) continue;
      p->stats.n_files++;
      p->stats.size_bytes += (int64_t)layout->dirs[i].files[k].size_bytes;
    }
  skep_layout_free(layout);
  return SKEP_OK;
}

/* ---- the statement ---- */

/* NOSCAN leaves the number of rows as it is. */
static skep_status store_place(skep_session *s, const analysis *a, const place *p, int64_t write_id, skep_err *err) {
  SKEP_TRY(skep_catalog_put_column_stats(s->catalog, a->t, p->partition, p->columns, a->columns.n, err));
  if (!a->ast->noscan) return skep_catalog_update_stats(s->catalog, a->t, p->partition, &p->stats, write_id, err);
  const skep_catalog_param params[] = {{"numFiles", ddl_number(s, p->stats.n_files)},
                                       {"numFilesErasureCoded", "0"},
                                       {"totalSize", ddl_number(s, p->stats.size_bytes)},
                                       {"COLUMN_STATS_ACCURATE", NULL}};
  size_t n = p->stats.is_stale ? 4 : 3;
  if (params[0].value == NULL || params[2].value == NULL) return ddl_nomem(err);
  if (p->partition != NULL)
    return skep_catalog_update_partition_params(s->catalog, a->t, p->partition, params, n, write_id, err);
  return skep_catalog_update_table_params(s->catalog, a->t, params, n, write_id, err);
}

/* What was accurate of other columns stays so, unless somebody wrote since. */
static skep_status say_accurate(skep_session *s, const analysis *a, place *p, const skep_catalog_params *now,
                                skep_err *err) {
  if (p->stats.is_stale) return SKEP_OK;
  p->stats.accurate =
      skep_stats_accurate(s, a->t->columns, &a->columns, skep_catalog_param_get(now, "COLUMN_STATS_ACCURATE"));
  return p->stats.accurate != NULL ? SKEP_OK : ddl_nomem(err);
}

static skep_status store(skep_session *s, void *self, skep_err *err) {
  analysis *a = self;
  skep_catalog_table *now;
  int64_t write_id = 0, n_writes;
  SKEP_TRY(ddl_find_table(s, &a->ast->table, true, &now, err));
  if (now->id != a->t->id)
    return skep_fail(err, SKEP_ERR_CONFLICT, "table %s was replaced meanwhile", ddl_name(s, a->t));
  SKEP_TRY(count_writes(s, a->t, &n_writes, err)); /* the own write id comes after it */
  if (skep_table_is_transactional(a->t)) SKEP_TRY(ddl_take_write_id(s, a->t->db, a->t->name, &write_id, err));
  for (size_t i = 0; i < a->n; i++) {
    skep_catalog_partition *p = a->places[i].partition, *there = NULL;
    if (p != NULL) { /* dropped meanwhile: nothing to say */
      skep_status st = skep_catalog_get_partition(s->catalog, &s->arena, a->t, p->name, &there, err);
      if (st == SKEP_ERR_NOT_FOUND) continue;
      if (st != SKEP_OK) return st;
    }
    a->places[i].stats.is_stale = n_writes != a->n_writes;
    SKEP_TRY(say_accurate(s, a, &a->places[i], there != NULL ? &there->params : &now->params, err));
    SKEP_TRY(store_place(s, a, &a->places[i], write_id, err));
  }
  return SKEP_OK;
}

static skep_status find(skep_session *s, void *self, skep_err *err) {
  analysis *a = self;
  SKEP_TRY(ddl_find_table(s, &a->ast->table, true, &a->t, err));
  SKEP_TRY(find_places(s, a, err));
  return prepare_columns(s, a, err);
}

static skep_status analyze(skep_session *s, analysis *a, const skep_statement *statement, skep_err *err) {
  skep_snapshot snapshot;
  SKEP_TRY(ddl_in_transaction(s, SKEP_DB_READ, find, a, err));
  if (a->again && (a->columns.n == 0 || a->n == 0)) return SKEP_OK;
  if (!a->ast->noscan) SKEP_TRY(count_rows(s, a, err));
  SKEP_TRY(take_snapshot(s, a->t, &snapshot, err));
  for (size_t i = 0; i < a->n; i++) {
    SKEP_TRY(skep_session_check(s, err));
    SKEP_TRY(count_files(s, a->t, &snapshot, &a->places[i], err));
  }
  return ddl_in_locks(s, statement, NULL, store, a, err);
}

skep_status skep_analyze_run(skep_session *s, const skep_statement *statement, skep_result **out, skep_err *err) {
  *out = NULL;
  analysis a = {.ast = statement->analyze};
  if (a.ast->cache_metadata)
    return skep_fail(err, SKEP_ERR_UNSUPPORTED, "ANALYZE TABLE CACHE METADATA is not supported yet");
  return analyze(s, &a, statement, err);
}

skep_status skep_analyze_again(skep_session *s, const char *db, const char *table, const char *partition,
                               skep_err *err) {
  const skep_analyze ast = {.table = {.db = db, .name = table}, .for_columns = true};
  const skep_statement statement = {.kind = SKEP_STMT_ANALYZE, .analyze = &ast};
  analysis a = {.ast = &ast, .only = partition, .again = true};
  return analyze(s, &a, &statement, err);
}
