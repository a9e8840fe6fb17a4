/* CLUSTERED BY: the clause of CREATE TABLE, and ALTER TABLE's ways to change it.
 *
 * A change says where rows go from now on. What is there stays in its files, as in Hive: no reader relies on a row's
 * bucket, and a row id keeps the number of the file that it was written to.
 *
 * Source: Hive AlterTableClusterSortAnalyzer, AlterTableIntoBucketsAnalyzer and the operations beside them. */
#include <string.h>

#include "sql/ddl_int.h"

enum { MAX_BUCKETS = 4096 };

static skep_status set(skep_session *s, const skep_bucketing *from, skep_catalog_table *t, int code, skep_err *err) {
  uint32_t n = from->columns.n;
  uint32_t *columns = skep_arena_zero(&s->arena, n + 1, sizeof *columns);
  skep_catalog_sort *sorts = skep_arena_zero(&s->arena, from->n_sorted_by + 1, sizeof *sorts);
  if (columns == NULL || sorts == NULL) return ddl_nomem(err);
  for (uint32_t i = 0; i < n + from->n_sorted_by; i++) {
    const char *name = i < n ? from->columns.items[i] : from->sorted_by[i - n].name;
    int64_t at = skep_type_child(t->columns, name, strlen(name), true);
    if (at < 0 && code != 0) return ddl_task_fail(err, code, "Invalid column reference %s", ddl_quote(s, name));
    if (at < 0) return ddl_semantic_fail(err, 10002, "Invalid column reference  '%s'", ddl_quote(s, name));
    if (i < n)
      columns[i] = (uint32_t)at;
    else
      sorts[i - n] = (skep_catalog_sort){(uint32_t)at, !from->sorted_by[i - n].descending};
  }
  t->n_buckets = (int32_t)from->n_buckets;
  t->bucket_columns = columns;
  t->n_bucket_columns = n;
  t->sort_columns = sorts;
  t->n_sort_columns = from->n_sorted_by;
  return SKEP_OK;
}

static skep_status check_number(int64_t n, int64_t least, skep_err *err) {
  if (n >= least && n <= MAX_BUCKETS) return SKEP_OK;
  if (n <= 0) return ddl_semantic_fail(err, 10037, "Bucket number should be bigger than zero");
  return ddl_semantic_fail(err, 0, "Number of buckets %lld: must be from 1 to %d", (long long)n, MAX_BUCKETS);
}

skep_status ddl_buckets(skep_session *s, const skep_bucketing *bucketing, skep_catalog_table *t, skep_err *err) {
  t->n_buckets = -1;
  if (!bucketing->present) return SKEP_OK;
  SKEP_TRY(check_number(bucketing->n_buckets, 0, err));
  return set(s, bucketing, t, 0, err);
}

/* ---- ALTER TABLE ---- */

static skep_status clustered_by(skep_session *s, ddl_alter *a, skep_err *err) {
  SKEP_TRY(check_number(a->ast->bucketing.n_buckets, 1, err));
  SKEP_TRY(ddl_alter_write_id(s, a, err));
  SKEP_TRY(set(s, &a->ast->bucketing, a->now, 10002, err));
  if (a->now->n_sort_columns == 0 || a->now->kind != SKEP_TABLE_FULL_ACID) return SKEP_OK;
  return ddl_task_fail(err, 40013,
                       "Unable to alter table. Table %s cannot support full ACID functionality since it is sorted.",
                       ddl_name(s, a->was));
}

static skep_status into_buckets(skep_session *s, ddl_alter *a, skep_err *err) {
  if (a->was->n_bucket_columns == 0) return ddl_semantic_fail(err, 10145, "Table is not bucketized.");
  SKEP_TRY(check_number(a->ast->bucketing.n_buckets, 0, err));
  SKEP_TRY(ddl_alter_write_id(s, a, err));
  a->now->n_buckets = (int32_t)a->ast->bucketing.n_buckets;
  return SKEP_OK;
}

static skep_status not_clustered(skep_session *s, ddl_alter *a, skep_err *err) {
  SKEP_TRY(ddl_alter_write_id(s, a, err));
  a->now->n_sort_columns = 0;
  if (a->ast->kind == SKEP_ALTER_NOT_SORTED) return SKEP_OK;
  a->now->n_bucket_columns = 0;
  a->now->n_buckets = -1;
  return SKEP_OK;
}

skep_status ddl_alter_buckets(skep_session *s, ddl_alter *a, skep_err *err) {
  if (a->ast->partition.n > 0)
    return skep_fail(err, SKEP_ERR_UNSUPPORTED, "buckets of a single partition are not supported: leave PARTITION out");
  if (a->ast->kind == SKEP_ALTER_CLUSTERED_BY) SKEP_TRY(clustered_by(s, a, err));
  if (a->ast->kind == SKEP_ALTER_INTO_BUCKETS) SKEP_TRY(into_buckets(s, a, err));
  if (a->ast->kind == SKEP_ALTER_NOT_CLUSTERED || a->ast->kind == SKEP_ALTER_NOT_SORTED)
    SKEP_TRY(not_clustered(s, a, err));
  a->is_changed = true;
  return ddl_touch(s, &a->now->params, true, err);
}
