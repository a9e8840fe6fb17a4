/* Inspecting one ORC file. */
#include <string.h>

#include "cli/inspect.h"
#include "cli/tree.h"
#include "orc/reader.h"

enum { STRIPE_ARENA_BYTES = 1 << 30 };

typedef struct file_report {
  const skep_cli_env *env;
  const skep_inspect_opts *opts;
  skep_report *r;
  skep_file *file;
  skep_orc_tail *tail;
  skep_arena arena;
  const char **names; /* by column id: "row.address.street"; "" for the root */
  bool *show_index;   /* by column id */
  skep_buf scratch;
} file_report;

/* --- names of columns --- */

static bool name_columns(file_report *f, const skep_type *type, const char *name) {
  f->names[type->id] = name;
  for (uint32_t i = 0; i < type->n_children; i++) {
    const char *own = type->kind == SKEP_LIST ? "element" : i == 0 ? "key" : "value";
    skep_buf_reset(&f->scratch);
    skep_buf_printf(&f->scratch, "%s%s", name, name[0] != '\0' ? "." : "");
    if (type->kind == SKEP_UNION) {
      skep_buf_printf(&f->scratch, "%u", i);
    } else {
      skep_buf_text(&f->scratch, type->kind == SKEP_STRUCT ? type->names[i] : own);
    }
    const char *copy = skep_buf_copy(&f->scratch, &f->arena);
    if (copy == NULL || !name_columns(f, type->children[i], copy)) return false;
  }
  return true;
}

static skep_status choose_indexes(file_report *f, skep_err *err) {
  uint32_t n = f->tail->type->max_id + 1;
  for (uint32_t id = 0; id < n; id++) f->show_index[id] = f->opts->verbose;
  for (uint32_t i = 0; i < f->opts->n_row_index; i++) {
    const char *want = f->opts->row_index[i];
    uint64_t number;
    bool found = false;
    bool is_number = skep_cli_parse_count(want, &number);
    for (uint32_t id = 0; id < n; id++) {
      if (is_number ? id != number : strcmp(want, f->names[id]) != 0) continue;
      f->show_index[id] = found = true;
    }
    if (found) continue;
    char quoted[80];
    skep_quote(quoted, sizeof quoted, want, strlen(want));
    return skep_fail(err, SKEP_ERR_NOT_FOUND, "--row-index: the file has no column \"%s\"", quoted);
  }
  return SKEP_OK;
}

/* --- statistics --- */

static void stats_value(file_report *f, const char *key, const skep_orc_stats *s, bool is_max) {
  skep_buf *b = &f->scratch;
  skep_buf_reset(b);
  switch (s->kind) {
    case SKEP_ORC_STATS_INT:
      skep_report_i64(f->r, key, is_max ? s->max.i64 : s->min.i64);
      return;
    case SKEP_ORC_STATS_DOUBLE:
      skep_text_f64(is_max ? s->max.f64 : s->min.f64, b);
      break;
    case SKEP_ORC_STATS_STRING:
      skep_report_bytes(f->r, key, is_max ? s->max.bytes : s->min.bytes);
      return;
    case SKEP_ORC_STATS_DECIMAL:
      if (is_max) {
        skep_text_decimal(s->max.decimal.unscaled, s->max.decimal.scale, false, b);
      } else {
        skep_text_decimal(s->min.decimal.unscaled, s->min.decimal.scale, false, b);
      }
      break;
    case SKEP_ORC_STATS_DATE: {
      int64_t days = is_max ? s->max.i64 : s->min.i64;
      if (f->tail->calendar != SKEP_ORC_CALENDAR_PROLEPTIC) days = skep_days_hybrid_to_proleptic(days);
      skep_text_date(days, b);
      break;
    }
    case SKEP_ORC_STATS_TS:
      skep_text_ts(is_max ? s->max.ts : s->min.ts, b);
      break;
    default:
      return;
  }
  skep_report_buf(f->r, key, b);
}

static void stats_sum(file_report *f, const skep_orc_stats *s) {
  skep_buf *b = &f->scratch;
  skep_buf_reset(b);
  switch (s->kind) {
    case SKEP_ORC_STATS_DOUBLE:
      skep_text_f64(s->sum.f64, b);
      skep_report_buf(f->r, "sum", b);
      break;
    case SKEP_ORC_STATS_DECIMAL:
      skep_report_bytes(f->r, "sum", s->sum.decimal_text);
      break;
    case SKEP_ORC_STATS_STRING:
    case SKEP_ORC_STATS_BINARY:
      skep_report_i64(f->r, "total_length", s->sum.i64);
      break;
    default:
      skep_report_i64(f->r, "sum", s->sum.i64);
      break;
  }
}

static void stats_facts(file_report *f, const skep_orc_stats *s) {
  skep_report *r = f->r;
  if (s->has_count) skep_report_u64(r, "count", s->count);
  if (s->has_null_known) skep_report_bool(r, "has_null", s->has_null);
  if (s->has_bytes_on_disk) skep_report_u64(r, "bytes_on_disk", s->bytes_on_disk);
  if (s->has_min) stats_value(f, s->min_is_bound ? "lower_bound" : "min", s, false);
  if (s->has_max) stats_value(f, s->max_is_bound ? "upper_bound" : "max", s, true);
  if (s->has_sum) stats_sum(f, s);
  if (s->kind == SKEP_ORC_STATS_BOOLEAN) skep_report_u64(r, "true_count", s->true_count);
  if (s->kind == SKEP_ORC_STATS_COLLECTION) {
    skep_report_u64(r, "min_children", s->min_children);
    skep_report_u64(r, "max_children", s->max_children);
    skep_report_u64(r, "total_children", s->total_children);
  }
}

static void column_head(file_report *f, uint32_t id) {
  skep_report_u64(f->r, "column", id);
  if (f->names[id][0] != '\0') skep_report_text(f->r, "name", f->names[id]);
}

static void stats_list(file_report *f, const char *key, const skep_orc_stats *stats) {
  skep_report_open_list(f->r, key);
  for (uint32_t id = 0; id <= f->tail->type->max_id; id++) {
    skep_report_open_inline(f->r, NULL);
    column_head(f, id);
    stats_facts(f, &stats[id]);
    skep_report_close(f->r);
  }
  skep_report_close(f->r);
}

/* --- the file --- */

static const char *writer_name(uint32_t writer) {
  static const char *const names[] = {"ORC Java", "ORC C++", "Presto", "Scritchley Go", "Trino", "CUDF"};
  if (writer == UINT32_MAX) return "ORC Java"; /* files from before the field existed */
  return writer < sizeof names / sizeof names[0] ? names[writer] : "unknown writer";
}

static const char *calendar_name(skep_orc_file_calendar calendar) {
  return calendar == SKEP_ORC_CALENDAR_HYBRID      ? "hybrid"
         : calendar == SKEP_ORC_CALENDAR_PROLEPTIC ? "proleptic"
                                                   : "unmarked";
}

static void head(file_report *f, const char *path, uint64_t size_bytes) {
  skep_report *r = f->r;
  const skep_orc_tail *t = f->tail;
  skep_buf *b = &f->scratch;
  skep_report_text(r, "file", path);
  skep_report_u64(r, "file_bytes", size_bytes);
  if (t->file_length != size_bytes) skep_report_u64(r, "committed_bytes", t->file_length);
  skep_report_u64(r, "rows", t->n_rows);
  skep_report_u64(r, "stripe_count", t->n_stripes);
  skep_report_text(r, "compression", skep_orc_codec_name(t->codec));
  skep_report_u64(r, "compression_block_size", t->block_size);
  skep_report_u64(r, "row_index_stride", t->row_index_stride);
  skep_buf_reset(b);
  skep_buf_printf(b, "%u.%u", t->version_major, t->version_minor);
  skep_report_buf(r, "version", b);
  skep_buf_reset(b);
  skep_orc_writer_version_name(t, b);
  skep_report_buf(r, "writer_version", b);
  skep_report_text(r, "writer", writer_name(t->writer));
  if (t->software_version != NULL) skep_report_text(r, "software_version", t->software_version);
  skep_report_text(r, "calendar", calendar_name(t->calendar));
  skep_report_u64(r, "content_bytes", t->content_length);
  skep_report_u64(r, "tail_bytes", t->tail_length);
  skep_buf_reset(b);
  skep_type_print(t->type, b);
  skep_report_buf(r, "type", b);
}

static void columns(file_report *f) {
  const skep_orc_tail *t = f->tail;
  skep_report_open_list(f->r, "columns");
  for (uint32_t id = 0; id <= t->type->max_id; id++) {
    const skep_type *type = skep_type_by_id(t->type, id);
    if (type == NULL) continue;
    skep_report_open_inline(f->r, NULL);
    column_head(f, id);
    skep_buf_reset(&f->scratch);
    if (skep_kind_is_nested(type->kind)) {
      skep_buf_text(&f->scratch, skep_kind_name(type->kind));
    } else {
      skep_type_print(type, &f->scratch);
    }
    skep_report_buf(f->r, "type", &f->scratch);
    if (t->is_decimal_without_precision[id]) skep_report_bool(f->r, "decimal_without_precision", true);
    if (t->is_encrypted[id]) skep_report_bool(f->r, "encrypted", true);
    if (t->column_attributes[id] != NULL) skep_report_text(f->r, "attributes", t->column_attributes[id]);
    skep_report_close(f->r);
  }
  skep_report_close(f->r);
}

/* Text when it is all printable UTF-8, else hexadecimal. */
static bool is_text(skep_bytes v) {
  for (size_t i = 0; i < v.left; i++) {
    if (v.at[i] < 0x20 && v.at[i] != '\n' && v.at[i] != '\t') return false;
  }
  skep_err ignored;
  skep_buf none = {0};
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  skep_buf_init(&none, &ctx, 1u << 30);
  skep_text text = {.style = SKEP_TEXT_JSON, .utf8_fail = SKEP_ERR_RANGE};
  bool valid = skep_text_json_string(&text, v, &none, &ignored) == SKEP_OK;
  skep_buf_fini(&none);
  return valid;
}

static void metadata(file_report *f) {
  enum { SHOWN_BYTES = 4096 };
  const skep_orc_tail *t = f->tail;
  skep_report_open_list(f->r, "metadata");
  for (uint32_t i = 0; i < t->n_metadata; i++) {
    skep_bytes v = t->metadata[i].value;
    skep_report_open_inline(f->r, NULL);
    skep_report_text(f->r, "name", t->metadata[i].name);
    skep_report_u64(f->r, "bytes", v.left);
    bool text = is_text(v);
    if (v.left > SHOWN_BYTES && !f->opts->verbose) {
      v.left = SHOWN_BYTES;
      skep_report_bool(f->r, "cut", true);
    }
    if (text) {
      skep_report_bytes(f->r, "text", v);
    } else {
      skep_report_hex(f->r, "hex", v);
    }
    skep_report_close(f->r);
  }
  skep_report_close(f->r);
}

/* --- what ACID files say about themselves: OrcRecordUpdater of Hive, user metadata hive.acid.* --- */

/* The next number of "1,536870912,0;2,..." style lists; the separator behind it goes to *separator (0 at the end). */
static bool next_number(skep_bytes *text, int64_t *number, uint8_t *separator) {
  size_t n = 0;
  while (n < text->left && text->at[n] != ',' && text->at[n] != ';') n++;
  skep_bytes word = {text->at, n};
  if (!skep_parse_i64(word, number)) return false;
  *separator = n < text->left ? text->at[n] : 0;
  n += n < text->left;
  text->at += n;
  text->left -= n;
  return true;
}

static void acid_numbers(file_report *f, const char *key, const char *const *names, skep_bytes text) {
  int64_t numbers[3];
  uint8_t separator = ',';
  for (size_t i = 0; i < 3; i++) {
    if (separator == 0 || !next_number(&text, &numbers[i], &separator)) return; /* shown raw as metadata anyway */
  }
  skep_report_open_inline(f->r, key);
  for (size_t i = 0; i < 3; i++) skep_report_i64(f->r, names[i], numbers[i]);
  skep_report_close(f->r);
}

static void acid(file_report *f) {
  static const char *const stats_names[] = {"inserts", "updates", "deletes"};
  static const char *const key_names[] = {"write_id", "bucket", "row_id"};
  const skep_orc_metadata_item *version = skep_orc_tail_metadata(f->tail, "hive.acid.version");
  const skep_orc_metadata_item *stats = skep_orc_tail_metadata(f->tail, "hive.acid.stats");
  const skep_orc_metadata_item *index = skep_orc_tail_metadata(f->tail, "hive.acid.key.index");
  if (version == NULL && stats == NULL && index == NULL) return;
  skep_report_open(f->r, "acid");
  if (version != NULL) skep_report_bytes(f->r, "version", version->value);
  if (stats != NULL) acid_numbers(f, "events", stats_names, stats->value);
  if (index != NULL) {
    skep_report_open_list(f->r, "last_key_of_stripe");
    skep_bytes rest = index->value;
    while (rest.left > 0) {
      size_t n = 0;
      while (n < rest.left && rest.at[n] != ';') n++;
      acid_numbers(f, NULL, key_names, skep_bytes_of(rest.at, n));
      n += n < rest.left;
      rest.at += n;
      rest.left -= n;
    }
    skep_report_close(f->r);
  }
  skep_report_close(f->r);
}

/* --- stripes --- */

static void streams(file_report *f, const skep_orc_stripe_info *info) {
  skep_report_open_list(f->r, "streams");
  for (uint32_t i = 0; i < info->n_streams; i++) {
    const skep_orc_stream_info *s = &info->streams[i];
    skep_report_open_inline(f->r, NULL);
    skep_report_u64(f->r, "column", s->column);
    skep_report_text(f->r, "kind", skep_orc_stream_kind_name(s->kind));
    skep_report_u64(f->r, "offset", s->offset);
    skep_report_u64(f->r, "bytes", s->length);
    skep_report_close(f->r);
  }
  skep_report_close(f->r);
}

static void encodings(file_report *f, const skep_orc_stripe_info *info) {
  skep_report_open_list(f->r, "encodings");
  for (uint32_t id = 0; id <= f->tail->type->max_id; id++) {
    skep_report_open_inline(f->r, NULL);
    column_head(f, id);
    skep_report_text(f->r, "encoding", skep_orc_encoding_name(info->encodings[id]));
    if (info->dictionary_sizes[id] != 0) skep_report_u64(f->r, "dictionary_size", info->dictionary_sizes[id]);
    skep_report_close(f->r);
  }
  skep_report_close(f->r);
}

static void positions(file_report *f, const skep_orc_row_group *g) {
  skep_buf_reset(&f->scratch);
  for (uint32_t i = 0; i < g->n_positions; i++) {
    skep_buf_printf(&f->scratch, "%s%llu", i > 0 ? " " : "", (unsigned long long)g->positions[i]);
  }
  skep_report_buf(f->r, "positions", &f->scratch);
}

static void blooms(file_report *f, uint32_t n, const skep_orc_bloom *filters) {
  if (n == 0) return;
  skep_report_open_list(f->r, "bloom_filters");
  for (uint32_t i = 0; i < n; i++) {
    uint64_t set = 0;
    for (uint32_t k = 0; k < filters[i].n_words; k++) set += (uint64_t)__builtin_popcountll(filters[i].words[k]);
    skep_report_open_inline(f->r, NULL);
    skep_report_u64(f->r, "group", i);
    skep_report_u64(f->r, "hashes", filters[i].n_hashes);
    skep_report_u64(f->r, "bits", (uint64_t)filters[i].n_words * 64);
    skep_report_u64(f->r, "bits_set", set);
    skep_report_bool(f->r, "utf8", filters[i].utf8);
    skep_report_close(f->r);
  }
  skep_report_close(f->r);
}

static skep_status column_index(file_report *f, skep_arena *arena, uint32_t stripe, uint32_t id, skep_err *err) {
  uint32_t n_groups = 0, n_blooms = 0;
  const skep_orc_row_group *groups = NULL;
  const skep_orc_bloom *filters = NULL;
  SKEP_TRY(skep_orc_row_index_read(arena, f->file, f->tail, stripe, id, &n_groups, &groups, err));
  SKEP_TRY(skep_orc_bloom_read(arena, f->file, f->tail, stripe, id, &n_blooms, &filters, err));
  skep_report_open(f->r, NULL);
  column_head(f, id);
  skep_report_open_list(f->r, "row_groups");
  for (uint32_t i = 0; i < n_groups; i++) {
    skep_report_open_inline(f->r, NULL);
    skep_report_u64(f->r, "group", i);
    stats_facts(f, &groups[i].stats);
    positions(f, &groups[i]);
    skep_report_close(f->r);
  }
  skep_report_close(f->r);
  blooms(f, n_blooms, filters);
  skep_report_close(f->r);
  return SKEP_OK;
}

static skep_status indexes(file_report *f, skep_arena *arena, uint32_t stripe, skep_err *err) {
  bool any = false;
  skep_status status = SKEP_OK;
  for (uint32_t id = 0; id <= f->tail->type->max_id && status == SKEP_OK; id++) {
    if (!f->show_index[id]) continue;
    if (!any) skep_report_open_list(f->r, "row_index");
    any = true;
    status = column_index(f, arena, stripe, id, err);
  }
  if (any) skep_report_close(f->r);
  return status;
}

static skep_status stripe_body(file_report *f, skep_arena *arena, uint32_t i, skep_err *err) {
  skep_orc_stripe_info info;
  SKEP_TRY(skep_orc_stripe_info_read(arena, f->file, f->tail, i, &info, err));
  if (info.writer_timezone != NULL) skep_report_text(f->r, "writer_timezone", info.writer_timezone);
  streams(f, &info);
  encodings(f, &info);
  bool has_stats = f->tail->stripe_stats != NULL && f->tail->stripe_stats[i] != NULL;
  if (f->opts->verbose && has_stats) stats_list(f, "statistics", f->tail->stripe_stats[i]);
  return indexes(f, arena, i, err);
}

static skep_status stripes(file_report *f, skep_err *err) {
  skep_status status = SKEP_OK;
  skep_report_open_list(f->r, "stripes");
  for (uint32_t i = 0; i < f->tail->n_stripes && status == SKEP_OK; i++) {
    const skep_orc_stripe *s = &f->tail->stripes[i];
    if (skep_cli_interrupted()) {
      status = skep_fail(err, SKEP_ERR_CANCELLED, "interrupted");
      break;
    }
    skep_arena arena;
    skep_arena_init(&arena, f->env->ctx, STRIPE_ARENA_BYTES);
    skep_report_open(f->r, NULL);
    skep_report_u64(f->r, "stripe", i);
    skep_report_u64(f->r, "first_row", s->first_row);
    skep_report_u64(f->r, "rows", s->n_rows);
    skep_report_u64(f->r, "offset", s->offset);
    skep_report_u64(f->r, "index_bytes", s->index_length);
    skep_report_u64(f->r, "data_bytes", s->data_length);
    skep_report_u64(f->r, "footer_bytes", s->footer_length);
    status = stripe_body(f, &arena, i, err);
    skep_report_close(f->r);
    skep_arena_fini(&arena);
  }
  skep_report_close(f->r);
  return status;
}

static skep_status report_all(file_report *f, const char *path, uint64_t size_bytes, skep_err *err) {
  size_t n = (size_t)f->tail->type->max_id + 1;
  f->names = skep_arena_zero(&f->arena, n, sizeof *f->names);
  f->show_index = skep_arena_zero(&f->arena, n, sizeof *f->show_index);
  if (f->names == NULL || f->show_index == NULL || !name_columns(f, f->tail->type, "")) {
    return skep_fail(err, SKEP_ERR_NOMEM, "no memory for %zu column names", n);
  }
  SKEP_TRY(choose_indexes(f, err));
  head(f, path, size_bytes);
  acid(f);
  metadata(f);
  columns(f);
  if (f->tail->file_stats != NULL) stats_list(f, "statistics", f->tail->file_stats);
  return stripes(f, err);
}

skep_status skep_inspect_file(const skep_cli_env *env, const char *path, uint64_t size_bytes,
                              const skep_inspect_opts *opts, skep_report *report, skep_err *err) {
  file_report f = {.env = env, .opts = opts, .r = report};
  skep_arena_init(&f.arena, env->ctx, STRIPE_ARENA_BYTES);
  skep_buf_init(&f.scratch, env->ctx, 1u << 30);
  uint64_t length = size_bytes;
  skep_status status = skep_cli_logical_length(&f.arena, env->fs, path, size_bytes, &length, err);
  if (status == SKEP_OK) status = skep_fs_open_read(env->fs, path, &f.file, err);
  if (status == SKEP_OK) {
    status = skep_orc_tail_read(env->ctx, f.file, length, &f.tail, err);
    status = skep_cli_explain(env->fs, path, status, err);
  }
  if (status == SKEP_OK) status = report_all(&f, path, size_bytes, err);
  skep_orc_tail_unref(f.tail);
  skep_file_close(f.file, NULL);
  skep_buf_fini(&f.scratch);
  skep_arena_fini(&f.arena);
  if (status == SKEP_OK || status == SKEP_ERR_CANCELLED) return status;
  char quoted[300];
  skep_quote(quoted, sizeof quoted, path, strlen(path));
  return strstr(err->text, quoted) == err->text ? status : skep_wrap(err, status, "%s", quoted);
}
