/* The calls of include/skep/table.h. */
#include "skep/table.h"

#include <string.h>

#include "api/reading.h"
#include "skep/version.h"

struct skep_table {
  skep_reading *reading;
  const char *type_text;      /* in the reading's arena */
  const char *const *notices; /* "path: text", NULL at the end */
};

const char *skep_version(void) { return SKEP_VERSION_STRING; }

static skep_status check_given(const void *pointer, const char *what, skep_err *err) {
  return pointer != NULL ? SKEP_OK : skep_fail(err, SKEP_ERR_ARGUMENT, "no %s given", what);
}

static skep_status check_out(const void *out, skep_err *err) {
  return check_given(out, "place for what is asked", err);
}

/* n texts, none of them NULL. */
static skep_status check_texts(const char *what, const char *const *texts, size_t n, skep_err *err) {
  if (n > UINT32_MAX) return skep_fail(err, SKEP_ERR_ARGUMENT, "%zu %s: too many", n, what);
  if (texts == NULL && n != 0) return skep_fail(err, SKEP_ERR_ARGUMENT, "%zu %s, but NULL for the array", n, what);
  for (size_t i = 0; i < n; i++) {
    if (texts[i] == NULL) return skep_fail(err, SKEP_ERR_ARGUMENT, "%s: number %zu is NULL", what, i);
  }
  return SKEP_OK;
}

static skep_status plan_opts(skep_reading *r, const skep_table_opts *o, skep_plan_opts *out, skep_err *err) {
  static const skep_hive_version versions[] = {SKEP_HIVE_4, SKEP_HIVE_1, SKEP_HIVE_2, SKEP_HIVE_3, SKEP_HIVE_4};
  if ((unsigned)o->hive >= sizeof versions / sizeof versions[0]) {
    return skep_fail(err, SKEP_ERR_ARGUMENT, "unknown Hive version number %d", (int)o->hive);
  }
  if ((unsigned)o->evolution > SKEP_EVOLUTION_NAME || (unsigned)o->calendar > SKEP_CALENDAR_IS_PROLEPTIC) {
    return skep_fail(err, SKEP_ERR_ARGUMENT, "unknown evolution %d or calendar %d", (int)o->evolution,
                     (int)o->calendar);
  }
  SKEP_TRY(check_texts("columns", o->columns, o->n_columns, err));
  SKEP_TRY(check_texts("partitions", o->partitions, o->n_partitions, err));
  *out = (skep_plan_opts){
      .hive = versions[o->hive],
      .schema = o->schema,
      .partition_schema = o->partition_schema,
      .n_partition_filters = (uint32_t)o->n_partitions,
      .partition_filters = o->partitions,
      .n_columns = (uint32_t)o->n_columns,
      .columns = o->columns,
      .predicate = o->predicate,
      .row_ids = (o->flags & SKEP_ROW_IDS) != 0,
      .evolution_by_name = o->evolution == SKEP_EVOLUTION_DEFAULT ? -1 : o->evolution == SKEP_EVOLUTION_NAME,
      .calendar = o->calendar == SKEP_CALENDAR_DEFAULT     ? -1
                  : o->calendar == SKEP_CALENDAR_IS_HYBRID ? SKEP_CALENDAR_HYBRID
                                                           : SKEP_CALENDAR_PROLEPTIC,
      .insert_only = (o->flags & SKEP_INSERT_ONLY) != 0,
      .split_bytes = o->split_bytes};
  return skep_snapshot_parse(&r->arena, o->snapshot, o->valid_txns, out->hive, &out->snapshot, err);
}

static skep_status describe(skep_table *t, skep_err *err) {
  skep_reading *r = t->reading;
  const skep_plan *plan = r->plan;
  const char **notices = skep_arena_zero(&r->arena, (size_t)plan->n_notices + 1, sizeof *notices);
  if (notices == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "no memory for notices");
  skep_buf buf;
  skep_buf_init(&buf, &r->ctx, 64u << 20);
  skep_type_print(plan->type, &buf);
  skep_status status = skep_buf_check(&buf, "type of the table", err);
  if (status == SKEP_OK) t->type_text = skep_buf_copy(&buf, &r->arena);
  for (uint32_t i = 0; i < plan->n_notices && status == SKEP_OK; i++) {
    const skep_plan_notice *n = &plan->notices[i];
    char path[400] = "";
    bool has_path = n->path != NULL && n->path[0] != '\0';
    if (has_path) skep_quote(path, sizeof path, n->path, strlen(n->path));
    skep_buf_reset(&buf);
    skep_buf_printf(&buf, "%s%s%s", path, has_path ? ": " : "", n->text);
    status = skep_buf_check(&buf, "notice", err);
    if (status == SKEP_OK) notices[i] = skep_buf_copy(&buf, &r->arena);
    if (status == SKEP_OK && notices[i] == NULL) status = skep_fail(err, SKEP_ERR_NOMEM, "no memory for notices");
  }
  skep_buf_fini(&buf);
  t->notices = notices;
  if (status == SKEP_OK && t->type_text == NULL)
    status = skep_fail(err, SKEP_ERR_NOMEM, "no memory for the table's type");
  return status;
}

static skep_status open_plan(skep_table *t, const char *const *paths, size_t n_paths, const skep_table_opts *o,
                             skep_err *err) {
  skep_reading *r = t->reading;
  skep_plan_opts opts;
  SKEP_TRY(plan_opts(r, o, &opts, err));
  SKEP_TRY(skep_plan_make(&r->ctx, r->fs, paths, (uint32_t)n_paths, &opts, &r->plan, err));
  bool transactional = r->plan->is_transactional || r->plan->is_full_acid;
  if (opts.snapshot.everything && transactional && (o->flags & SKEP_EVERYTHING_COMMITTED) == 0) {
    return skep_fail(
        err, SKEP_ERR_SNAPSHOT,
        "a transactional table needs a snapshot: set opts.snapshot, or the flag SKEP_EVERYTHING_COMMITTED");
  }
  r->splits = r->plan->splits;
  r->n_splits = r->plan->n_splits;
  r->type = r->plan->type;
  return describe(t, err);
}

skep_status skep_table_open(const char *const *paths, size_t n_paths, const skep_table_opts *opts, skep_table **out,
                            skep_err *err) {
  SKEP_TRY(check_out(out, err));
  *out = NULL;
  skep_table_opts all = SKEP_TABLE_OPTS_INIT;
  if (opts != NULL) {
    if (opts->size < sizeof opts->size || opts->size > sizeof *opts) {
      return skep_fail(err, SKEP_ERR_ARGUMENT, "table options of %zu bytes: not made with SKEP_TABLE_OPTS_INIT",
                       opts->size);
    }
    memcpy(&all, opts, opts->size);
  }
  if (n_paths == 0) return skep_fail(err, SKEP_ERR_ARGUMENT, "no path given");
  SKEP_TRY(check_texts("paths", paths, n_paths, err));
  all.read.flags |= all.flags & SKEP_KEEP_DICTIONARIES;
  skep_reading *r;
  SKEP_TRY(skep_reading_new(&all.read, &r, err));
  skep_table *t = skep_arena_zero(&r->arena, 1, sizeof *t);
  skep_status status = t == NULL ? skep_fail(err, SKEP_ERR_NOMEM, "no memory to open a table") : SKEP_OK;
  if (status == SKEP_OK) {
    t->reading = r;
    status = open_plan(t, paths, n_paths, &all, err);
  }
  if (status != SKEP_OK) {
    skep_reading_unref(r);
    return status;
  }
  *out = t;
  return SKEP_OK;
}

void skep_table_close(skep_table *table) {
  if (table != NULL) skep_reading_unref(table->reading); /* the table lives in the reading's arena */
}

const char *skep_table_type(const skep_table *table) { return table != NULL ? table->type_text : NULL; }

skep_status skep_table_schema(const skep_table *table, struct ArrowSchema *out, skep_err *err) {
  SKEP_TRY(check_out(out, err));
  SKEP_TRY(check_given(table, "table", err));
  const skep_reading *r = table->reading;
  return skep_arrow_export_schema(&r->ctx, r->type, &r->forms, out, err);
}

const char *skep_table_notice(const skep_table *table, size_t i) {
  return table != NULL && i < table->reading->plan->n_notices ? table->notices[i] : NULL;
}

size_t skep_table_split_count(const skep_table *table) { return table != NULL ? table->reading->n_splits : 0; }

uint64_t skep_table_split_rows(const skep_table *table, size_t split) {
  return split < skep_table_split_count(table) ? table->reading->splits[split].n_rows_hint : 0;
}

static skep_status check_split(const skep_table *table, size_t split, skep_err *err) {
  SKEP_TRY(check_given(table, "table", err));
  if (split < table->reading->n_splits) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_ARGUMENT, "split %zu of %u", split, table->reading->n_splits);
}

skep_status skep_table_split_encode(const skep_table *table, size_t split, uint8_t **bytes, size_t *n_bytes,
                                    skep_err *err) {
  SKEP_TRY(check_out(bytes, err));
  SKEP_TRY(check_out(n_bytes, err));
  *bytes = NULL;
  *n_bytes = 0;
  SKEP_TRY(check_split(table, split, err));
  skep_ctx ctx; /* its own: the bytes may outlive the table */
  skep_ctx_init(&ctx);
  skep_buf buf;
  skep_buf_init(&buf, &ctx, 1u << 30);
  skep_split_encode(&table->reading->splits[split], &buf);
  skep_status status = skep_buf_check(&buf, "split", err);
  if (status != SKEP_OK) {
    skep_buf_fini(&buf);
    return status;
  }
  *bytes = buf.data;
  *n_bytes = buf.size;
  return SKEP_OK;
}

void skep_free_bytes(uint8_t *bytes) {
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  skep_release(&ctx, bytes);
}

skep_status skep_table_stream(const skep_table *table, struct ArrowArrayStream *out, skep_err *err) {
  SKEP_TRY(check_out(out, err));
  SKEP_TRY(check_given(table, "table", err));
  skep_reading *r = table->reading;
  return skep_reading_stream(r, 0, r->n_splits, r->read.threads, out, err);
}

skep_status skep_table_split_stream(const skep_table *table, size_t split, struct ArrowArrayStream *out,
                                    skep_err *err) {
  SKEP_TRY(check_out(out, err));
  SKEP_TRY(check_split(table, split, err));
  return skep_reading_stream(table->reading, (uint32_t)split, 1, 1, out, err);
}

static skep_status decode_split(skep_reading *r, const uint8_t *bytes, size_t n_bytes, skep_err *err) {
  skep_split *split = skep_arena_zero(&r->arena, 1, sizeof *split);
  if (split == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "no memory for a split");
  SKEP_TRY(skep_split_decode(&r->arena, skep_bytes_of(bytes, n_bytes), split, err));
  r->splits = split;
  r->n_splits = 1;
  return skep_split_type(&r->arena, split, &r->type, err);
}

skep_status skep_split_stream(const uint8_t *bytes, size_t n_bytes, const skep_read_opts *opts,
                              struct ArrowArrayStream *out, skep_err *err) {
  skep_reading *r;
  SKEP_TRY(check_out(out, err));
  SKEP_TRY(check_given(bytes, "bytes of a split", err));
  SKEP_TRY(skep_reading_new(opts, &r, err));
  skep_status status = decode_split(r, bytes, n_bytes, err);
  if (status == SKEP_OK) status = skep_reading_stream(r, 0, 1, 1, out, err);
  skep_reading_unref(r);
  return status;
}
