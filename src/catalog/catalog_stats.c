/* Basic statistics as properties, the way Hive leaves them after a write.
 *
 * Source: Hive 4.0 StatsSetupConst and BasicStatsTask; observed in golden 19-metastore: TABLE_PARAMS, PARTITION_PARAMS.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/config.h"
#include "catalog/catalog_int.h"

#define STATS_ACCURATE "{\"BASIC_STATS\":\"true\"}"

/* A number now: one that is there and cannot be read stays unknown, unless the new one is given. */
static bool new_number(const skep_catalog_params *params, const char *key, int64_t change, bool set, int64_t *out) {
  const char *text = skep_catalog_param_get(params, key);
  int64_t old = 0;
  *out = change;
  if (set) return true;
  if (text != NULL && (!skep_parse_int(text, &old) || old < 0)) return false;
  if (__builtin_add_overflow(old, change, out)) return false;
  if (*out < 0) *out = 0;
  return true;
}

const char *skep_catalog_stats_accurate(const skep_catalog_params *params) {
  const char *text = skep_catalog_param_get(params, "COLUMN_STATS_ACCURATE");
  return text != NULL && strstr(text, "\"BASIC_STATS\":\"true\"") != NULL ? text : NULL;
}

/* Sums stay as accurate as they were: what was not (converted, loaded, altered by hand) is so only after a count. What
 * has no number of rows at all is new. */
static bool is_accurate(const skep_catalog_params *params, bool set) {
  return set || skep_catalog_param_get(params, "numRows") == NULL || skep_catalog_stats_accurate(params) != NULL;
}

/* Leaves out what says already what it is to say; returns how many are left. */
static size_t drop_equal(const skep_catalog_params *old, skep_catalog_param *params, size_t n) {
  size_t kept = 0;
  for (size_t i = 0; i < n; i++)
    if (!skep_same_text(skep_catalog_param_get(old, params[i].key), params[i].value)) params[kept++] = params[i];
  return kept;
}

skep_status skep_catalog_update_stats(skep_catalog *catalog, const skep_catalog_table *table,
                                      const skep_catalog_partition *partition, const skep_catalog_stats *stats,
                                      int64_t write_id, skep_err *err) {
  skep_arena arena;
  skep_arena_init(&arena, catalog->ctx, 1 << 16);
  const skep_catalog_params *old = partition == NULL ? &table->params : &partition->params;
  int64_t rows, files, bytes, now_s = 0;
  bool known = new_number(old, "numRows", stats->n_rows, stats->set_rows, &rows);
  bool sized = new_number(old, "numFiles", stats->n_files, stats->set_rows, &files) &&
               new_number(old, "totalSize", stats->size_bytes, stats->set_rows, &bytes);
  skep_status st = catalog_now_s(catalog, &now_s, err);
  const char *raw = skep_catalog_param_get(old, "rawDataSize");
  const char *accurate = stats->accurate != NULL ? stats->accurate : STATS_ACCURATE;
  skep_catalog_param params[] = {
      {"COLUMN_STATS_ACCURATE", known && !stats->is_stale && is_accurate(old, stats->set_rows) ? accurate : NULL},
      {"numFiles", sized ? catalog_number(&arena, files) : NULL},
      {"numFilesErasureCoded", "0"},
      {"numRows", known ? catalog_number(&arena, rows) : NULL},
      {"rawDataSize", raw == NULL || stats->set_rows ? "0" : raw},
      {"totalSize", sized ? catalog_number(&arena, bytes) : NULL},
      {"transient_lastDdlTime", catalog_number(&arena, now_s)}};
  if (st == SKEP_OK && ((sized && (params[1].value == NULL || params[5].value == NULL)) || params[6].value == NULL ||
                        (known && params[3].value == NULL)))
    st = catalog_nomem(err);
  size_t n = sizeof params / sizeof params[0];
  if (!stats->set_rows) n = drop_equal(old, params, n); /* a sum is made of what is stored now; else it may be older */
  if (st == SKEP_OK)
    st = partition == NULL ? skep_catalog_update_table_params(catalog, table, params, n, write_id, err)
                           : skep_catalog_update_partition_params(catalog, table, partition, params, n, write_id, err);
  skep_arena_fini(&arena);
  return st;
}
