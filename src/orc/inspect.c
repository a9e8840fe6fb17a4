/* What a file says about itself, for people: stripe footers, indexes, names of numbers. */
#include "orc/stripe.h"

static skep_status wrap(skep_status st, uint32_t stripe, skep_err *err) {
  return st == SKEP_OK ? st : skep_wrap(err, st, "stripe %u", stripe);
}

/* Runs one look-up in a stripe with access of its own. */
typedef skep_status look_up(skep_orc_access *a, skep_arena *arena, skep_orc_stripe_dir *dir, void *self, skep_err *err);

static skep_status in_stripe(skep_arena *arena, skep_file *file, const skep_orc_tail *tail, uint32_t stripe,
                             look_up *look, void *self, skep_err *err) {
  if (stripe >= tail->n_stripes) return skep_fail(err, SKEP_ERR_ARGUMENT, "stripe %u of %u", stripe, tail->n_stripes);
  skep_orc_access a = {0};
  skep_orc_stripe_dir dir;
  skep_status st = skep_orc_access_init(&a, arena->ctx, file, tail, err);
  if (st == SKEP_OK) st = skep_orc_stripe_dir_read(&a, arena, stripe, &dir, err);
  if (st == SKEP_OK) st = look(&a, arena, &dir, self, err);
  skep_orc_access_fini(&a);
  return wrap(st, stripe, err);
}

static skep_status look_info(skep_orc_access *a, skep_arena *arena, skep_orc_stripe_dir *dir, void *self,
                             skep_err *err) {
  (void)a, (void)arena, (void)err;
  *(skep_orc_stripe_info *)self = dir->info;
  return SKEP_OK;
}

skep_status skep_orc_stripe_info_read(skep_arena *arena, skep_file *file, const skep_orc_tail *tail, uint32_t stripe,
                                      skep_orc_stripe_info *out, skep_err *err) {
  memset(out, 0, sizeof *out);
  return in_stripe(arena, file, tail, stripe, look_info, out, err);
}

typedef struct column_query {
  uint32_t column;
  uint32_t *n_groups;
  const skep_orc_row_group **groups;
  const skep_orc_bloom **blooms;
} column_query;

static skep_status look_column(skep_orc_access *a, skep_arena *arena, skep_orc_stripe_dir *dir, void *self,
                               skep_err *err) {
  column_query *q = self;
  if (q->column > a->tail->type->max_id)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "column %u of %u", q->column, a->tail->type->max_id + 1);
  if (q->groups != NULL) return skep_orc_stripe_row_index(a, arena, dir, q->column, q->n_groups, q->groups, err);
  return skep_orc_stripe_blooms(a, arena, dir, q->column, q->n_groups, q->blooms, err);
}

skep_status skep_orc_row_index_read(skep_arena *arena, skep_file *file, const skep_orc_tail *tail, uint32_t stripe,
                                    uint32_t column, uint32_t *n_groups, const skep_orc_row_group **groups,
                                    skep_err *err) {
  *n_groups = 0;
  *groups = NULL;
  column_query q = {.column = column, .n_groups = n_groups, .groups = groups};
  return in_stripe(arena, file, tail, stripe, look_column, &q, err);
}

skep_status skep_orc_bloom_read(skep_arena *arena, skep_file *file, const skep_orc_tail *tail, uint32_t stripe,
                                uint32_t column, uint32_t *n_groups, const skep_orc_bloom **blooms, skep_err *err) {
  *n_groups = 0;
  *blooms = NULL;
  column_query q = {.column = column, .n_groups = n_groups, .blooms = blooms};
  return in_stripe(arena, file, tail, stripe, look_column, &q, err);
}

const char *skep_orc_stream_kind_name(uint32_t kind) {
  static const char *const NAMES[] = {
      "PRESENT",       "DATA",      "LENGTH",       "DICTIONARY_DATA",   "DICTIONARY_COUNT",
      "SECONDARY",     "ROW_INDEX", "BLOOM_FILTER", "BLOOM_FILTER_UTF8", "ENCRYPTED_INDEX",
      "ENCRYPTED_DATA"};
  if (kind < sizeof NAMES / sizeof NAMES[0]) return NAMES[kind];
  return kind == 100 ? "STRIPE_STATISTICS" : kind == 101 ? "FILE_STATISTICS" : "UNKNOWN";
}

const char *skep_orc_encoding_name(uint32_t encoding) {
  static const char *const NAMES[] = {"DIRECT", "DICTIONARY", "DIRECT_V2", "DICTIONARY_V2"};
  return encoding < sizeof NAMES / sizeof NAMES[0] ? NAMES[encoding] : "UNKNOWN";
}

void skep_orc_writer_version_name(const skep_orc_tail *tail, skep_buf *out) {
  static const char *const JAVA[] = {"ORIGINAL", "HIVE_8732", "HIVE_4243", "HIVE_12055", "HIVE_13083",
                                     "ORC_101",  "ORC_135",   "ORC_517",   "ORC_203",    "ORC_14"};
  static const char *const WRITERS[] = {"ORC Java", "ORC C++", "Presto", "Scritchley Go", "Trino", "CUDF"};
  bool java = tail->writer == 0 || tail->writer == UINT32_MAX;
  if (java && tail->writer_version < sizeof JAVA / sizeof JAVA[0]) {
    skep_buf_text(out, JAVA[tail->writer_version]);
  } else if (java) {
    skep_buf_printf(out, "FUTURE %u", tail->writer_version);
  } else if (tail->writer < sizeof WRITERS / sizeof WRITERS[0]) {
    skep_buf_printf(out, "%s %u", WRITERS[tail->writer], tail->writer_version);
  } else {
    skep_buf_printf(out, "writer %u version %u", tail->writer, tail->writer_version);
  }
}
