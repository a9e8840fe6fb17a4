/* The source of a table's rows: a plan, made when the source is; a pass, which is the plan's splits cut down to the
 * columns asked for; readers that pull splits. */
#include "acid/dir_write.h"
#include "table/scan_int.h"
#include "table/text_lines.h"
#include "table/text_scan.h"

#include <inttypes.h>

/* Small enough that a few threads share the work of one laptop's table, large enough that a split reads in one piece.
 */
enum { SPLIT_BYTES = 16 << 20, MAX_THREADS = 64, ROW_ID_COLUMNS = 3 };

static const char *const virtual_names[SKEP_TABLE_VIRTUAL_COLUMNS] = {"ROW__ID", "INPUT__FILE__NAME",
                                                                      "BLOCK__OFFSET__INSIDE__FILE"};

const char *skep_table_virtual_name(uint32_t i) { return i < SKEP_TABLE_VIRTUAL_COLUMNS ? virtual_names[i] : NULL; }

/* Forms of a source (column/source.h). */
static const skep_forms forms = {
    .boolean = SKEP_FORM_BOOL_BYTES, .string = SKEP_FORM_VIEW, .keep_dictionaries = true, .narrow_decimals = true};

/* Where a column asked for comes from. */
typedef struct origin {
  enum { FROM_SCAN, FROM_ROW_ID, FROM_FILE_NAME, FROM_NOWHERE } kind;
  uint32_t child; /* FROM_SCAN: of the scan's batch, row ids not counted */
} origin;

struct skep_source_run {
  table_source *table;
  skep_arena arena;
  bool row_ids;
  skep_split *splits; /* with the columns of this run */
  uint32_t n_splits;
  uint32_t next; /* atomic: the next split to be taken */
  uint32_t n_wanted;
  origin *origins;
  const skep_type *type; /* what batches have */
};

struct skep_source_reader {
  skep_source_run *run;
  const skep_ctx *ctx;
  const skep_split *split;
  skep_scan_keeper keeper;
  skep_scan *scan;      /* NULL, as `text`: the next split is to be taken */
  skep_text_scan *text; /* of a text table, instead of scan */
  skep_batch scanned;
  skep_batch out; /* children are the scan's, in the order asked for; what is made here is kept below */
  skep_view file_name;
  skep_buf file_text;
  skep_view *file_names; /* capacity entries, all of them file_name */
  int64_t n_file_names;  /* that are filled in */
  int64_t capacity;
  skep_vec null_row_id; /* a column of NULLs */
  skep_status end;
  skep_err end_err;
};

static skep_status no_memory(skep_err *err) { return skep_fail(err, SKEP_ERR_NOMEM, "scanning a table"); }

/* ---- making a source ---- */

static skep_status make_struct(skep_arena *arena, const skep_type *const *types, const char *const *names, uint32_t n,
                               const skep_type **out, skep_err *err) {
  static const skep_type row = {.kind = SKEP_STRUCT};
  return skep_type_make(arena, &row, types, names, n, out, err);
}

static skep_status make_type(table_source *t, const skep_type *columns, const skep_type *partitions, skep_err *err) {
  static const char row_id[] = "struct<writeid:bigint,bucketid:int,rowid:bigint>";
  uint32_t a = columns->n_children, b = partitions->n_children, n = a + b + SKEP_TABLE_VIRTUAL_COLUMNS;
  const skep_type **types = skep_arena_zero(&t->arena, n, sizeof *types);
  const char **names = skep_arena_zero(&t->arena, n, sizeof *names);
  if (types == NULL || names == NULL) return no_memory(err);
  for (uint32_t i = 0; i < a + b; i++) {
    types[i] = i < a ? columns->children[i] : partitions->children[i - a];
    names[i] = i < a ? columns->names[i] : partitions->names[i - a];
  }
  for (uint32_t i = 0; i < SKEP_TABLE_VIRTUAL_COLUMNS; i++) names[a + b + i] = virtual_names[i];
  SKEP_TRY(skep_type_parse(&t->arena, row_id, sizeof row_id - 1, &types[a + b + SKEP_TABLE_ROW_ID], err));
  SKEP_TRY(skep_type_parse(&t->arena, "string", 6, &types[a + b + SKEP_TABLE_FILE_NAME], err));
  SKEP_TRY(skep_type_parse(&t->arena, "bigint", 6, &types[a + b + SKEP_TABLE_BLOCK_OFFSET], err));
  t->n_columns = a;
  t->n_partition_columns = b;
  const skep_type *made;
  SKEP_TRY(make_struct(&t->arena, types, names, n, &made, err));
  return skep_type_copy(&t->arena, made, &t->source.type, err); /* the caller's types may go */
}

static skep_status print_struct(table_source *t, const skep_type *type, const char **out, skep_err *err) {
  skep_buf text;
  skep_buf_init(&text, t->ctx, 1 << 26);
  skep_type_print(type, &text);
  skep_status status = skep_buf_check(&text, "the columns of a table", err);
  if (status == SKEP_OK) *out = skep_buf_copy(&text, &t->arena);
  skep_buf_fini(&text);
  return status != SKEP_OK || *out != NULL ? status : no_memory(err);
}

static skep_status make_plan(table_source *t, skep_fs *fs, const skep_table_scan_opts *opts, skep_err *err) {
  skep_plan_opts how = {.hive = SKEP_HIVE_4,
                        .evolution_by_name = opts->by_name ? 1 : -1,
                        .calendar = -1,
                        .predicate = opts->predicate,
                        .row_ids = t->row_ids,
                        .insert_only = t->kind == SKEP_TABLE_SCAN_INSERT_ONLY,
                        .n_roots = opts->n_partitions,
                        .split_bytes = opts->split_bytes == 0 ? SPLIT_BYTES : opts->split_bytes};
  if (t->text != NULL) {
    how.range_bytes = SKEP_TEXT_RANGE_BYTES;
    if (t->text->header_lines == 0 && t->text->footer_lines == 0) how.may_cut = skep_lines_can_cut;
  }
  SKEP_TRY(print_struct(t, opts->columns, &how.schema, err));
  if (t->n_partition_columns != 0) SKEP_TRY(print_struct(t, opts->partition_columns, &how.partition_schema, err));
  skep_plan_root *roots = skep_arena_zero(&t->arena, (size_t)opts->n_partitions + 1, sizeof *roots);
  if (roots == NULL) return no_memory(err);
  for (uint32_t i = 0; i < opts->n_partitions; i++)
    roots[i] = (skep_plan_root){.path = opts->partitions[i].location, .values = opts->partitions[i].values};
  how.roots = roots;
  if (opts->write_ids == NULL || t->kind == SKEP_TABLE_SCAN_PLAIN) {
    how.snapshot.everything = true;
  } else {
    SKEP_TRY(skep_snapshot_parse(&t->arena, opts->write_ids, opts->valid_txns, SKEP_HIVE_4, &how.snapshot, err));
  }
  return skep_plan_make(t->ctx, fs, NULL, 0, &how, &t->plan, err);
}

/* Rows that the splits will have, about: by stripes where those were looked at, else by bytes. */
static uint64_t estimate_rows(const table_source *t) {
  uint64_t rows = 0, row_bytes = 4 + 2 * (uint64_t)t->n_columns;
  for (uint32_t i = 0; i < t->plan->n_splits; i++) {
    const skep_split *s = &t->plan->splits[i];
    rows += s->n_rows_hint != 0 ? s->n_rows_hint : s->files[0].logical_bytes / row_bytes + 1;
  }
  return rows;
}

static skep_status fill_source(table_source *t, skep_fs *fs, const skep_table_scan_opts *opts, skep_err *err) {
  SKEP_TRY(make_struct(&t->arena, NULL, NULL, 0, &t->partition_columns, err));
  if (opts->partition_columns != NULL) t->partition_columns = opts->partition_columns;
  t->name =
      skep_arena_strndup(&t->arena, opts->name == NULL ? "" : opts->name, opts->name == NULL ? 0 : strlen(opts->name));
  t->file_prefix = skep_arena_strndup(&t->arena, opts->file_prefix == NULL ? "" : opts->file_prefix,
                                      opts->file_prefix == NULL ? 0 : strlen(opts->file_prefix));
  if (t->name == NULL || t->file_prefix == NULL) return no_memory(err);
  SKEP_TRY(make_type(t, opts->columns, t->partition_columns, err));
  SKEP_TRY(skep_type_copy(&t->arena, t->partition_columns, &t->partition_columns, err));
  if (opts->cache == NULL) SKEP_TRY(skep_scan_cache_new(t->ctx, fs, &t->cache, err));
  SKEP_TRY(make_plan(t, fs, opts, err));
  if (opts->as_hive) SKEP_TRY(skep_table_sort_splits(t, err));
  t->source.estimated_rows = opts->estimated_rows != 0 ? opts->estimated_rows : estimate_rows(t);
  t->source.max_threads = t->plan->n_splits == 0            ? 1
                          : t->plan->n_splits < MAX_THREADS ? t->plan->n_splits
                                                            : MAX_THREADS;
  return SKEP_OK;
}

static void table_destroy(skep_source *source) {
  table_source *t = (table_source *)source;
  const skep_ctx *ctx = t->ctx;
  skep_plan_free(t->plan);
  if (t->owns_cache) skep_scan_cache_free(t->cache);
  skep_arena_fini(&t->arena);
  skep_release(ctx, t);
}

/* ---- a pass ---- */

static void table_run_free(skep_source_run *run) {
  if (run == NULL) return;
  const skep_ctx *ctx = run->table->ctx;
  skep_arena_fini(&run->arena);
  skep_release(ctx, run);
}

/* What of the columns asked for is read: a struct of table columns in the table's order, one of partition columns. */
typedef struct projection {
  uint32_t *column_at;    /* child of the scan's batch for each table column, UINT32_MAX: not read */
  uint32_t *partition_at; /* likewise for each partition column, counted from 0 */
  const skep_type *columns;
  uint32_t n_columns;
  uint32_t n_partitions;
} projection;

static skep_status choose(skep_source_run *run, const uint32_t *wanted, uint32_t n, projection *p, skep_err *err) {
  const table_source *t = run->table;
  const skep_type *all = t->plan->columns;
  size_t size = (size_t)t->n_columns + t->n_partition_columns + 1;
  p->column_at = skep_arena_alloc(&run->arena, size * sizeof *p->column_at);
  p->partition_at = p->column_at == NULL ? NULL : p->column_at + t->n_columns;
  const skep_type **types = skep_arena_zero(&run->arena, size, sizeof *types);
  const char **names = skep_arena_zero(&run->arena, size, sizeof *names);
  if (p->column_at == NULL || types == NULL || names == NULL) return no_memory(err);
  for (size_t i = 0; i < size; i++) p->column_at[i] = UINT32_MAX;
  for (uint32_t i = 0; i < n; i++) {
    if (wanted[i] < t->n_columns + t->n_partition_columns) p->column_at[wanted[i]] = 0;
  }
  for (uint32_t i = 0; i < t->n_columns; i++) {
    if (p->column_at[i] == UINT32_MAX) continue;
    types[p->n_columns] = all->children[i];
    names[p->n_columns] = all->names[i];
    p->column_at[i] = p->n_columns++;
  }
  for (uint32_t i = 0; i < t->n_partition_columns; i++) {
    if (p->partition_at[i] != UINT32_MAX) p->partition_at[i] = p->n_partitions++;
  }
  return make_struct(&run->arena, types, names, p->n_columns, &p->columns, err);
}

/* The partition columns of a split: those delivered, then those that the predicate may name. */
static skep_status project_partitions(skep_source_run *run, const projection *p, skep_split *split,
                                      const skep_type **shared, skep_err *err) {
  const table_source *t = run->table;
  uint32_t n = t->n_partition_columns, rest = p->n_partitions;
  split->n_partition_columns = p->n_partitions;
  if (n == 0) return SKEP_OK;
  const char **values = skep_arena_zero(&run->arena, n, sizeof *values);
  const skep_type **types = skep_arena_zero(&run->arena, n, sizeof *types);
  const char **names = skep_arena_zero(&run->arena, n, sizeof *names);
  if (values == NULL || types == NULL || names == NULL) return no_memory(err);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t at = p->partition_at[i] != UINT32_MAX ? p->partition_at[i] : rest++;
    values[at] = split->partition_values[i];
    types[at] = t->partition_columns->children[i];
    names[at] = t->partition_columns->names[i];
  }
  split->partition_values = values;
  if (*shared == NULL) SKEP_TRY(make_struct(&run->arena, types, names, n, shared, err));
  split->partition_columns = *shared;
  return SKEP_OK;
}

static skep_status project(skep_source_run *run, const projection *p, skep_err *err) {
  const skep_plan *plan = run->table->plan;
  const skep_type *shared = NULL;
  run->splits = skep_arena_zero(&run->arena, (size_t)plan->n_splits + 1, sizeof *run->splits);
  if (run->splits == NULL) return no_memory(err);
  for (uint32_t i = 0; i < plan->n_splits; i++) {
    skep_split *split = &run->splits[i];
    *split = plan->splits[i];
    split->columns = p->columns;
    split->row_ids = run->row_ids;
    if (split->kind == SKEP_SPLIT_ORIGINAL && !run->row_ids && split->n_deletes == 0) split->kind = SKEP_SPLIT_PLAIN;
    SKEP_TRY(project_partitions(run, p, split, &shared, err));
  }
  run->n_splits = plan->n_splits;
  return SKEP_OK;
}

static skep_status find_origin(skep_source_run *run, uint32_t column, origin *out, skep_err *err) {
  table_source *t = run->table;
  uint32_t named = t->n_columns + t->n_partition_columns;
  if (column < named) return SKEP_OK; /* when the projection is known */
  switch (column - named) {
    case SKEP_TABLE_ROW_ID:
      if (t->kind == SKEP_TABLE_SCAN_FULL_ACID && !t->row_ids)
        return skep_fail(err, SKEP_ERR_ARGUMENT, "%s: row ids were not asked for when the scan was planned", t->name);
      out->kind = t->kind == SKEP_TABLE_SCAN_FULL_ACID ? FROM_ROW_ID : FROM_NOWHERE;
      run->row_ids = run->row_ids || out->kind == FROM_ROW_ID;
      return SKEP_OK;
    case SKEP_TABLE_FILE_NAME:
      out->kind = FROM_FILE_NAME;
      return SKEP_OK;
    case SKEP_TABLE_BLOCK_OFFSET:
      return skep_fail(err, SKEP_ERR_UNSUPPORTED, "%s: BLOCK__OFFSET__INSIDE__FILE is not known for ORC files",
                       t->name);
    default:
      return skep_fail(err, SKEP_ERR_ARGUMENT, "%s has no column %" PRIu32, t->name, column);
  }
}

static skep_status fill_run(skep_source_run *run, const uint32_t *columns, uint32_t n, skep_err *err) {
  const table_source *t = run->table;
  projection p = {.n_columns = 0};
  run->n_wanted = n;
  run->origins = skep_arena_zero(&run->arena, (size_t)n + 1, sizeof *run->origins);
  const skep_type **types = skep_arena_zero(&run->arena, (size_t)n + 1, sizeof *types);
  const char **names = skep_arena_zero(&run->arena, (size_t)n + 1, sizeof *names);
  if (run->origins == NULL || types == NULL || names == NULL) return no_memory(err);
  for (uint32_t i = 0; i < n; i++) SKEP_TRY(find_origin(run, columns[i], &run->origins[i], err));
  SKEP_TRY(choose(run, columns, n, &p, err));
  for (uint32_t i = 0; i < n; i++) {
    if (columns[i] < t->n_columns) {
      run->origins[i].child = p.column_at[columns[i]];
    } else if (columns[i] < t->n_columns + t->n_partition_columns) {
      run->origins[i].child = p.n_columns + p.partition_at[columns[i] - t->n_columns];
    }
    types[i] = t->source.type->children[columns[i]];
    names[i] = t->source.type->names[columns[i]];
  }
  SKEP_TRY(make_struct(&run->arena, types, names, n, &run->type, err));
  return project(run, &p, err);
}

static skep_status table_run(skep_source *source, const uint32_t *columns, uint32_t n, skep_source_run **out,
                             skep_err *err) {
  table_source *t = (table_source *)source;
  *out = NULL;
  skep_source_run *run = skep_alloc_zero(t->ctx, 1, sizeof *run);
  if (run == NULL) return no_memory(err);
  run->table = t;
  skep_arena_init(&run->arena, t->ctx, SIZE_MAX / 2);
  skep_status status = fill_run(run, columns, n, err);
  if (status != SKEP_OK) {
    table_run_free(run);
    return status;
  }
  *out = run;
  return SKEP_OK;
}

/* ---- a reader ---- */

static void table_close(skep_source_reader *r) {
  if (r == NULL) return;
  const skep_ctx *ctx = r->ctx;
  skep_scan_close(r->scan);
  skep_scan_keeper_release(r->run->table->cache, &r->keeper);
  skep_text_scan_close(r->text);
  skep_vec_fini(&r->scanned.root);
  skep_vec_fini(&r->null_row_id);
  skep_release(ctx, r->out.root.children); /* nodes of others */
  skep_release(ctx, r->file_names);
  skep_buf_fini(&r->file_text);
  skep_release(ctx, r);
}

static skep_status table_open(skep_source_run *run, skep_source_reader **out, skep_err *err) {
  const skep_ctx *ctx = run->table->ctx;
  *out = NULL;
  skep_source_reader *r = skep_alloc_zero(ctx, 1, sizeof *r);
  if (r == NULL) return no_memory(err);
  r->run = run;
  r->ctx = ctx;
  skep_buf_init(&r->file_text, ctx, 1 << 20);
  r->out.root = (skep_vec){.ctx = ctx, .type = run->type, .form = SKEP_FORM_STRUCT, .n_children = run->n_wanted};
  r->out.root.children = skep_alloc_zero(ctx, (size_t)run->n_wanted + 1, sizeof *r->out.root.children);
  if (r->out.root.children == NULL) {
    table_close(r);
    return no_memory(err);
  }
  *out = r;
  return SKEP_OK;
}

static skep_status name_file(skep_source_reader *r, skep_err *err) {
  const skep_split *s = r->split;
  skep_buf_reset(&r->file_text);
  skep_buf_text(&r->file_text, r->run->table->file_prefix);
  skep_dir_join(&r->file_text, s->root, s->files[0].path);
  SKEP_TRY(skep_buf_check(&r->file_text, "a file name", err));
  r->file_name = skep_view_of(skep_bytes_of(r->file_text.data, r->file_text.size));
  r->n_file_names = 0;
  return SKEP_OK;
}

/* Takes the next split; SKEP_END when there is none. */
static skep_status next_split(skep_source_reader *r, skep_err *err) {
  skep_source_run *run = r->run;
  uint32_t i = __atomic_fetch_add(&run->next, 1, __ATOMIC_RELAXED);
  if (i >= run->n_splits) {
    __atomic_store_n(&run->next, run->n_splits, __ATOMIC_RELAXED); /* it must not run over */
    return SKEP_END;
  }
  r->split = &run->splits[i];
  const table_source *t = run->table;
  SKEP_TRY(t->text != NULL ? skep_text_scan_open(t->ctx, t->fs, t->text, r->split, &r->text, err)
                           : skep_scan_open_kept(t->cache, r->split, &forms, &r->keeper, &r->scan, err));
  skep_vec_fini(&r->scanned.root);
  const skep_type *type = t->text != NULL ? skep_text_scan_type(r->text) : skep_scan_type(r->scan);
  SKEP_TRY(skep_vec_init(&r->scanned.root, r->ctx, type, &forms, err));
  return name_file(r, err);
}

/* ---- the columns of a batch ---- */

static skep_status fill_file_names(skep_source_reader *r, skep_vec *to, int64_t n, skep_err *err) {
  if (n > r->capacity) {
    skep_view *more = skep_resize(r->ctx, r->file_names, (size_t)n * sizeof *more);
    if (more == NULL) return no_memory(err);
    r->file_names = more;
    r->capacity = n;
  }
  for (; r->n_file_names < n; r->n_file_names++) r->file_names[r->n_file_names] = r->file_name;
  *to = (skep_vec){.ctx = r->ctx,
                   .form = SKEP_FORM_VIEW,
                   .length = n,
                   .values = {r->file_names, (size_t)n * sizeof *r->file_names, true}};
  return SKEP_OK;
}

static skep_status fill_null_row_ids(skep_source_reader *r, const skep_type *type, skep_vec *to, int64_t n,
                                     skep_err *err) {
  if (r->null_row_id.ctx == NULL) SKEP_TRY(skep_vec_init(&r->null_row_id, r->ctx, type, &forms, err));
  skep_vec_reset(&r->null_row_id);
  SKEP_TRY(skep_vec_set_null(&r->null_row_id, n, err));
  *to = r->null_row_id;
  return SKEP_OK;
}

/* The batch that is handed out has the scan's own vectors as its columns, in the order asked for. */
static skep_status arrange(skep_source_reader *r, skep_err *err) {
  const skep_source_run *run = r->run;
  int64_t n = r->scanned.root.length;
  uint32_t n_ids = run->row_ids ? ROW_ID_COLUMNS : 0;
  for (uint32_t i = 0; i < run->n_wanted; i++) {
    skep_vec *to = &r->out.root.children[i];
    const skep_type *type = run->type->children[i];
    switch (run->origins[i].kind) {
      case FROM_SCAN:
        *to = r->scanned.root.children[n_ids + run->origins[i].child];
        break;
      case FROM_ROW_ID:
        *to = (skep_vec){.ctx = r->ctx,
                         .form = SKEP_FORM_STRUCT,
                         .length = n,
                         .n_children = ROW_ID_COLUMNS,
                         .children = r->scanned.root.children};
        break;
      case FROM_FILE_NAME:
        SKEP_TRY(fill_file_names(r, to, n, err));
        break;
      case FROM_NOWHERE:
        SKEP_TRY(fill_null_row_ids(r, type, to, n, err));
        break;
    }
    to->type = type;
  }
  r->out.root.length = n;
  return SKEP_OK;
}

static skep_status next_batch(skep_source_reader *r, int64_t max_rows, skep_err *err) {
  for (;;) {
    if (r->scan == NULL && r->text == NULL) SKEP_TRY(next_split(r, err));
    skep_status status = r->text != NULL ? skep_text_scan_next(r->text, max_rows, &r->scanned, err)
                                         : skep_scan_next(r->scan, max_rows, &r->scanned, err);
    if (status == SKEP_OK) return arrange(r, err);
    if (status != SKEP_END) return status;
    skep_scan_close(r->scan);
    skep_text_scan_close(r->text);
    r->scan = NULL;
    r->text = NULL;
  }
}

static skep_status table_next(skep_source_reader *r, int64_t max_rows, const skep_batch **out, skep_err *err) {
  *out = NULL;
  if (r->end == SKEP_OK) {
    r->end = next_batch(r, max_rows, &r->end_err);
    if (r->end == SKEP_OK) *out = &r->out;
  }
  if (r->end == SKEP_OK || r->end == SKEP_END) return r->end;
  return skep_fail(err, r->end, "%s", r->end_err.text);
}

static const skep_source_vtab vtab = {.name = "table",
                                      .run = table_run,
                                      .run_free = table_run_free,
                                      .open = table_open,
                                      .next = table_next,
                                      .close = table_close,
                                      .destroy = table_destroy};

skep_status skep_table_source_new(const skep_ctx *ctx, skep_fs *fs, const skep_table_scan_opts *opts, skep_source **out,
                                  skep_err *err) {
  *out = NULL;
  table_source *t = skep_alloc_zero(ctx, 1, sizeof *t);
  if (t == NULL) return no_memory(err);
  t->source.vt = &vtab;
  t->ctx = ctx;
  t->fs = fs;
  t->kind = opts->kind;
  t->text = opts->text;
  t->row_ids = opts->row_ids && opts->kind == SKEP_TABLE_SCAN_FULL_ACID;
  t->cache = opts->cache;
  t->owns_cache = opts->cache == NULL;
  skep_arena_init(&t->arena, ctx, SIZE_MAX / 2);
  skep_status status = fill_source(t, fs, opts, err);
  if (status != SKEP_OK) {
    if (opts->name != NULL) status = skep_wrap(err, status, "%s", opts->name);
    table_destroy(&t->source);
    return status;
  }
  *out = &t->source;
  return SKEP_OK;
}
