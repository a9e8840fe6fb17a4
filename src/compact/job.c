/* See job.h. */
#include "compact/job.h"

#include <stdio.h>
#include <string.h>

#include "txn/string_map.h"

enum { MAX_ORDER = 100, DEFAULT_FAN = 4, DEFAULT_RESERVE_MB = 64 };

/* ---- ORDER BY ---- */

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80) != 0;
}

static bool same_word(const char *at, size_t length, const char *word) {
  if (strlen(word) != length) return false;
  for (size_t i = 0; i < length; i++) {
    char c = at[i] >= 'A' && at[i] <= 'Z' ? (char)(at[i] + 32) : at[i];
    if (c != word[i]) return false;
  }
  return true;
}

/* The next word: a name (of backticks too), or one other character; length 0 at the end. */
static const char *next_word(const char **at, size_t *length) {
  const char *p = *at;
  while (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r') p++;
  const char *begin = p;
  if (*p == '`') {
    begin = ++p;
    while (*p != '\0' && *p != '`') p++;
    *length = (size_t)(p - begin);
    *at = *p == '`' ? p + 1 : p;
    return begin;
  }
  while (is_word(*p)) p++;
  if (p == begin && *p != '\0') p++;
  *length = (size_t)(p - begin);
  *at = p;
  return begin;
}

static bool accept(const char **at, const char *word) {
  const char *p = *at;
  size_t length;
  const char *w = next_word(&p, &length);
  if (!same_word(w, length, word)) return false;
  *at = p;
  return true;
}

static skep_status find_column(const skep_type *columns, const char *name, size_t length, uint32_t *out,
                               skep_err *err) {
  char quoted[160];
  for (uint32_t i = 0; i < columns->n_children; i++) {
    if (!same_word(name, length, columns->names[i])) continue;
    *out = i;
    return SKEP_OK;
  }
  return skep_fail(err, SKEP_ERR_ARGUMENT, "ORDER BY of a compaction: %s is no column",
                   skep_quote(quoted, sizeof quoted, name, length));
}

static skep_status parse_key(const char **at, const skep_type *columns, skep_compact_order *out, skep_err *err) {
  size_t length;
  const char *name = next_word(at, &length);
  const char *p = *at;
  if (*p == '.') { /* t.column */
    (*at)++;
    name = next_word(at, &length);
  }
  SKEP_TRY(find_column(columns, name, length, &out->column, err));
  if (accept(at, "desc")) {
    out->descending = true;
  } else {
    (void)accept(at, "asc");
  }
  out->nulls_last = out->descending;
  if (!accept(at, "nulls")) return SKEP_OK;
  if (accept(at, "last")) {
    out->nulls_last = true;
    return SKEP_OK;
  }
  out->nulls_last = false;
  return accept(at, "first") ? SKEP_OK : skep_fail(err, SKEP_ERR_ARGUMENT, "ORDER BY of a compaction: NULLS what?");
}

skep_status skep_compact_order_parse(skep_arena *arena, const char *text, const skep_type *columns,
                                     const skep_compact_order **out, uint32_t *n, skep_err *err) {
  skep_compact_order *keys = skep_arena_zero(arena, MAX_ORDER, sizeof *keys);
  if (keys == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a compaction");
  const char *at = text;
  *n = 0;
  *out = keys;
  if (accept(&at, "order") && !accept(&at, "by"))
    return skep_fail(err, SKEP_ERR_ARGUMENT, "ORDER BY of a compaction: ORDER what?");
  do {
    if (*n == MAX_ORDER)
      return skep_fail(err, SKEP_ERR_LIMIT, "ORDER BY of a compaction with more than %d columns", MAX_ORDER);
    SKEP_TRY(parse_key(&at, columns, &keys[(*n)++], err));
  } while (accept(&at, ","));
  size_t length;
  const char *rest = next_word(&at, &length);
  char quoted[80];
  if (length == 0) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_ARGUMENT, "ORDER BY of a compaction: what is %s?",
                   skep_quote(quoted, sizeof quoted, rest, length));
}

/* ---- properties ---- */

/* Those of the table, then "tblprops.<key>" of the request. */
static skep_status properties_of(skep_arena *arena, const skep_compaction *entry, const skep_catalog_table *t,
                                 skep_compact_job *out, skep_err *err) {
  static const char prefix[] = "tblprops.";
  skep_bytes key, value;
  size_t at = 0, n = t->params.n, size = entry->properties != NULL ? strlen(entry->properties) : 0;
  while (skep_string_map_next(entry->properties, size, &at, &key, &value)) n++;
  skep_property *p = skep_arena_zero(arena, n + 1, sizeof *p);
  if (p == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a compaction");
  out->properties = p;
  for (size_t i = 0; i < t->params.n; i++) {
    p[out->n_properties++] = (skep_property){.key = t->params.items[i].key, .value = t->params.items[i].value};
  }
  at = 0;
  while (skep_string_map_next(entry->properties, size, &at, &key, &value)) {
    if (key.left < sizeof prefix || memcmp(key.at, prefix, sizeof prefix - 1) != 0) continue;
    skep_property *one = &p[out->n_properties++];
    one->key = skep_arena_strndup(arena, (const char *)key.at + sizeof prefix - 1, key.left - (sizeof prefix - 1));
    one->value = skep_arena_strndup(arena, (const char *)value.at, value.left);
    if (one->key == NULL || one->value == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a compaction");
  }
  return SKEP_OK;
}

/* ---- incremental ---- */

skep_status skep_compact_job_layout(const skep_compact_env *env, skep_arena *arena, const skep_compact_job *job,
                                    skep_layout **out, skep_err *err) {
  skep_snapshot snapshot;
  *out = NULL;
  SKEP_TRY(skep_snapshot_parse(arena, job->write_ids, job->txns, SKEP_HIVE_4, &snapshot, err));
  snapshot.for_compactor = true;
  const skep_layout_opts opts = {.snapshot = &snapshot, .hive = SKEP_HIVE_4, .is_insert_only = job->insert_only};
  return skep_layout_read(env->ctx, env->fs, job->root, &opts, out, err);
}

skep_status skep_compact_find_run(const skep_compact_env *env, const skep_layout *layout, skep_arena *arena,
                                  skep_compact_range **ranges, uint32_t *n, skep_compact_run_of *run, skep_err *err) {
  int64_t fan = skep_compact_int(env, "skep.compactor.incremental.fan", DEFAULT_FAN);
  SKEP_TRY(skep_compact_ranges(layout, arena, ranges, n, err));
  *run = skep_compact_choose_run(*ranges, *n, fan >= 2 && fan <= 1000 ? (uint32_t)fan : DEFAULT_FAN);
  return SKEP_OK;
}

static skep_status choose_range(const skep_compact_env *env, skep_arena *arena, skep_compact_job *job, skep_err *err) {
  skep_layout *layout = NULL;
  skep_compact_range *ranges = NULL;
  skep_compact_run_of run;
  uint32_t n = 0;
  SKEP_TRY(skep_compact_job_layout(env, arena, job, &layout, err));
  skep_status status = skep_compact_find_run(env, layout, arena, &ranges, &n, &run, err);
  skep_layout_free(layout);
  if (status != SKEP_OK) return status;
  if (run.n == 0)
    return skep_fail(err, SKEP_END, "no run of neighbouring deltas is worth an incremental compaction (%u ranges)", n);
  job->min_write_id = ranges[run.first].min;
  job->max_write_id = ranges[run.first + run.n - 1].max;
  return SKEP_OK;
}

/* ---- the whole ---- */

static skep_compact_format format_of(const skep_catalog_table *t) {
  const char *format = t->input_format != NULL ? t->input_format : "";
  if (strstr(format, "OrcInputFormat") != NULL) return SKEP_COMPACT_ORC;
  return strstr(format, "TextInputFormat") != NULL ? SKEP_COMPACT_TEXT : SKEP_COMPACT_FILES;
}

static skep_status kind_of(const skep_compaction *entry, skep_arena *arena, skep_compact_kind *out, skep_err *err) {
  const char *incremental = NULL;
  SKEP_TRY(skep_compaction_property(entry, SKEP_COMPACTION_INCREMENTAL, arena, &incremental, err));
  *out = SKEP_COMPACT_MINOR;
  if (entry->type == SKEP_COMPACTION_MAJOR) *out = SKEP_COMPACT_MAJOR;
  if (entry->type == SKEP_COMPACTION_REBALANCE) *out = SKEP_COMPACT_REBALANCE;
  if (entry->type == SKEP_COMPACTION_MINOR && incremental != NULL) *out = SKEP_COMPACT_INCREMENTAL;
  return SKEP_OK;
}

skep_status skep_compact_job_make(const skep_compact_env *env, skep_arena *arena, const skep_compaction *entry,
                                  const skep_compact_target *target, const skep_compaction_snapshot *snapshot,
                                  skep_compact_job *out, skep_err *err) {
  const skep_catalog_table *t = target->t;
  int64_t limit_mb = skep_compact_int(env, "skep.compactor.max.mb.per.sec", 0);
  int64_t reserve_mb = skep_compact_int(env, "skep.compactor.reserve.mb", DEFAULT_RESERVE_MB);
  int64_t threads = skep_compact_int(env, "skep.compactor.threads", 0);
  *out = (skep_compact_job){.fs = env->fs,
                            .root = target->path,
                            .insert_only = t->kind == SKEP_TABLE_INSERT_ONLY,
                            .format = format_of(t),
                            .row = t->columns,
                            .write_ids = snapshot->valid_write_ids,
                            .txns = snapshot->valid_txns,
                            .visibility_txn = snapshot->txn.id,
                            .n_buckets = t->n_buckets > 0 ? (uint32_t)t->n_buckets : 0,
                            .rebalance_buckets = entry->n_buckets > 0 ? (uint32_t)entry->n_buckets : 0,
                            .query_names = skep_compact_bool(env, "hive.compactor.crud.query.based", false),
                            .evolution_by_name = !skep_compact_bool(env, "orc.force.positional.evolution", true),
                            .threads = threads > 0 && threads <= SKEP_POOL_MAX_THREADS ? (unsigned)threads : 0,
                            .max_bytes_per_second = limit_mb > 0 ? (uint64_t)limit_mb * 1000000 : 0,
                            .reserve_bytes = reserve_mb > 0 ? (uint64_t)reserve_mb << 20 : 0};
  SKEP_TRY(kind_of(entry, arena, &out->kind, err));
  SKEP_TRY(properties_of(arena, entry, t, out, err));
  if (out->kind == SKEP_COMPACT_REBALANCE && entry->order_by != NULL && entry->order_by[0] != '\0')
    SKEP_TRY(skep_compact_order_parse(arena, entry->order_by, t->columns, &out->order, &out->n_order, err));
  if (out->kind != SKEP_COMPACT_INCREMENTAL) return SKEP_OK;
  return choose_range(env, arena, out, err);
}

/* ---- when ---- */

/* "hh:mm" in minutes; -1: no such text. */
static int minutes_of(const char *text, size_t length) {
  if (length != 5 || text[2] != ':') return -1;
  for (size_t i = 0; i < 5; i++)
    if (i != 2 && (text[i] < '0' || text[i] > '9')) return -1;
  int hours = (text[0] - '0') * 10 + text[1] - '0', minutes = (text[3] - '0') * 10 + text[4] - '0';
  return hours <= 24 && minutes < 60 && hours * 60 + minutes <= 1440 ? hours * 60 + minutes : -1;
}

bool skep_compact_window_open(const char *window, int minutes) {
  const char *at = window;
  bool open = false;
  for (;;) {
    while (*at == ' ' || *at == ',') at++;
    if (*at == '\0') return open;
    size_t length = strcspn(at, ", ");
    int from = length == 11 && at[5] == '-' ? minutes_of(at, 5) : -1;
    int to = from >= 0 ? minutes_of(at + 6, 5) : -1;
    if (to < 0) return true;
    if (from <= to ? (minutes >= from && minutes < to) : (minutes >= from || minutes < to)) open = true;
    at += length;
  }
}

bool skep_compact_is_paused(const skep_catalog_table *t) {
  const char *paused = skep_catalog_param_get(&t->params, "skep.compaction.paused");
  return paused != NULL && strcmp(paused, "true") == 0;
}

static bool is_by_hand(const skep_compaction *entry) {
  const char *cut = entry->initiator_id != NULL ? strrchr(entry->initiator_id, '-') : NULL;
  return cut != NULL && strcmp(cut, "-manual") == 0;
}

skep_status skep_compact_admitted(const skep_compact_env *env, skep_arena *arena, const skep_compaction *entry,
                                  bool *out, skep_err *err) {
  skep_compact_target target;
  int64_t now;
  *out = true;
  const char *window = env->config != NULL ? skep_config_get(env->config, "skep.compactor.window") : NULL;
  int64_t offset = skep_compact_int(env, "skep.compactor.window.utc.offset.minutes", 0);
  if (window != NULL && window[0] != '\0' && !is_by_hand(entry)) {
    SKEP_TRY(skep_db_now_ms(env->db, &now, err));
    *out = skep_compact_window_open(window, (int)(((now / 60000 + offset) % 1440 + 1440) % 1440));
    if (!*out) return SKEP_OK;
  }
  skep_status status = skep_compact_find(env, arena, entry->database, entry->table, entry->partition, &target, err);
  if (status == SKEP_ERR_UNSUPPORTED) return SKEP_OK; /* the worker says what is wrong */
  if (status != SKEP_OK || target.t == NULL) return status;
  *out = !skep_compact_is_paused(target.t);
  return SKEP_OK;
}
