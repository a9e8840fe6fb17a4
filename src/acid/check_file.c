/* One data file: its tail, and of event files every event: codes, write ids, bucket property, order, gaps, the key
 * index and the counts in the footer. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "acid/bucket_file.h"
#include "acid/check_int.h"
#include "acid/events.h"
#include "acid/row_key_sort.h"
#include "column/text.h"

enum { EVENTS_AT_ONCE = 4096, MAX_TOLD = 3 /* of one kind in one file */ };

typedef struct file_check {
  skep_checker *c;
  const skep_layout_dir *dir;
  const skep_layout_file *file;
  const skep_orc_tail *tail;
  bool is_delete;
  bool is_old; /* written by Hive 1 or 2: updates and deletes among the events of a delta, the newest of a row first */
  skep_row_key last;
  bool has_last;
  uint64_t n_rows, n_inserts, n_updates, n_deletes;
  uint32_t stripe;      /* whose last row comes next */
  skep_bytes key_index; /* what is left of it */
  bool has_key_index;
  uint32_t told[8];
} file_check;

enum { TOLD_OPERATION, TOLD_WRITE_ID, TOLD_BUCKET, TOLD_STATEMENT, TOLD_ORDER, TOLD_GAP, TOLD_INDEX, TOLD_ROW };

/* At most a few of each kind. */
#define TELL(f, kind, level, code, ...)                                                                       \
  do {                                                                                                        \
    if ((f)->told[kind]++ < MAX_TOLD)                                                                         \
      SKEP_TRY(skep_checker_tell((f)->c, level, code, SKEP_REPAIR_NONE, (f)->dir->name, (f)->file->path, err, \
                                 __VA_ARGS__));                                                               \
  } while (0)

/* "write id,property,row id;" of the key index. */
static bool take_number(skep_bytes *text, char end, int64_t *out) {
  const uint8_t *at = text->left == 0 ? NULL : memchr(text->at, end, text->left);
  if (at == NULL) return false;
  bool ok = skep_parse_i64(skep_bytes_of(text->at, (size_t)(at - text->at)), out);
  text->left -= (size_t)(at - text->at) + 1;
  text->at = at + 1;
  return ok;
}

static skep_status check_index(file_check *f, const skep_row_key *key, skep_err *err) {
  int64_t write_id, bucket, row_id;
  while (f->stripe < f->tail->n_stripes &&
         f->n_rows == f->tail->stripes[f->stripe].first_row + f->tail->stripes[f->stripe].n_rows) {
    uint32_t stripe = f->stripe++;
    if (!f->has_key_index) continue;
    bool ok = take_number(&f->key_index, ',', &write_id) && take_number(&f->key_index, ',', &bucket) &&
              take_number(&f->key_index, ';', &row_id);
    if (!ok) { /* streams of Hive leave it empty: readers do without */
      TELL(f, TOLD_INDEX, SKEP_CHECK_NOTE, "key-index", "the key index has no entry for stripe %" PRIu32, stripe);
    } else if (write_id != key->write_id || bucket != key->bucket || row_id != key->row_id) {
      TELL(f, TOLD_INDEX, SKEP_CHECK_ERROR, "key-index",
           "the key index says that stripe %" PRIu32 " ends with row (%" PRId64 ", %" PRId64 ", %" PRId64
           "), it is (%" PRId64 ", %" PRId32 ", %" PRId64 ")",
           stripe, write_id, bucket, row_id, key->write_id, key->bucket, key->row_id);
    }
  }
  return SKEP_OK;
}

static bool in_range(const file_check *f, int64_t write_id) {
  const skep_dir_name *d = &f->dir->parsed;
  if (d->kind == SKEP_DIR_BASE) return write_id <= d->max_write_id || write_id == 0; /* base_-2^63: originals */
  return write_id >= d->min_write_id && write_id <= d->max_write_id;
}

/* Only a statement's own files begin at 0 without gaps: compactions leave rows out. */
static bool is_one_statement(const file_check *f) {
  const skep_dir_name *d = &f->dir->parsed;
  return !f->is_delete && !f->is_old && d->kind == SKEP_DIR_DELTA && d->min_write_id == d->max_write_id &&
         d->visibility_txn == 0 && d->statement >= 0;
}

static skep_status check_property(file_check *f, const skep_row_key *key, uint64_t row, skep_err *err) {
  skep_bucket b;
  if (!skep_bucket_decode(key->bucket, &b)) {
    TELL(f, TOLD_BUCKET, SKEP_CHECK_ERROR, "bucket", "row %" PRIu64 ": %" PRId32 " is no bucket property", row,
         key->bucket);
    f->c->rows_readable = false;
    return SKEP_OK;
  }
  if (b.writer != f->file->name.bucket)
    TELL(f, TOLD_BUCKET, SKEP_CHECK_ERROR, "bucket",
         "row %" PRIu64 ": the bucket property %" PRId32 " says file %" PRId32 ", its name %" PRId64, row, key->bucket,
         b.writer, f->file->name.bucket);
  if (is_one_statement(f) && b.version == 1 && b.statement != f->dir->parsed.statement)
    TELL(f, TOLD_STATEMENT, SKEP_CHECK_ERROR, "statement",
         "row %" PRIu64 ": the bucket property %" PRId32 " says statement %" PRId32 ", its directory %" PRId32, row,
         key->bucket, b.statement, f->dir->parsed.statement);
  return SKEP_OK;
}

static skep_status check_order(file_check *f, const skep_row_key *key, uint64_t row, skep_err *err) {
  bool streamed = f->dir->parsed.statement < 0 && f->dir->parsed.min_write_id != f->dir->parsed.max_write_id;
  if (f->has_last && !skep_row_key_below(&f->last, key) &&
      !((f->is_delete || f->is_old) && !skep_row_key_below(key, &f->last)))
    TELL(f, TOLD_ORDER, streamed && f->is_delete ? SKEP_CHECK_NOTE : SKEP_CHECK_ERROR, "order",
         "row %" PRIu64 ": (%" PRId64 ", %" PRId32 ", %" PRId64 ") stands behind (%" PRId64 ", %" PRId32 ", %" PRId64
         ")",
         row, key->write_id, key->bucket, key->row_id, f->last.write_id, f->last.bucket, f->last.row_id);
  int64_t expected =
      f->has_last && f->last.write_id == key->write_id && f->last.bucket == key->bucket ? f->last.row_id + 1 : 0;
  if (is_one_statement(f) && key->row_id != expected)
    TELL(f, TOLD_GAP, SKEP_CHECK_WARNING, "gap", "row %" PRIu64 ": row id %" PRId64 " where %" PRId64 " is next", row,
         key->row_id, expected);
  f->last = *key;
  f->has_last = true;
  return SKEP_OK;
}

static skep_status check_event(file_check *f, int32_t operation, int64_t current, const skep_row_key *key, bool has_row,
                               skep_err *err) {
  uint64_t row = f->n_rows++;
  *(operation == 0 ? &f->n_inserts : operation == 1 ? &f->n_updates : &f->n_deletes) += 1;
  if (operation < 0 || operation > 2 || (f->is_delete && operation != 2))
    TELL(f, TOLD_OPERATION, SKEP_CHECK_ERROR, "operation", "row %" PRIu64 ": operation %" PRId32 "%s", row, operation,
         f->is_delete ? " in a delete delta" : "");
  if (has_row == (operation == 2) && !f->is_old)
    TELL(f, TOLD_ROW, SKEP_CHECK_ERROR, "row", "row %" PRIu64 ": %s", row,
         has_row ? "a delete event with a row" : "an insert event without a row");
  if (!in_range(f, current) ||
      (!f->is_delete && operation == 0 && key->write_id != current && f->dir->parsed.kind != SKEP_DIR_BASE))
    TELL(f, TOLD_WRITE_ID, SKEP_CHECK_ERROR, "write-id",
         "row %" PRIu64 ": write ids %" PRId64 " (row) and %" PRId64 " (event) are none of its directory", row,
         key->write_id, current);
  SKEP_TRY(check_property(f, key, row, err));
  SKEP_TRY(check_order(f, key, row, err));
  return check_index(f, key, err);
}

static skep_status check_batch(file_check *f, const skep_vec *root, skep_err *err) {
  const skep_vec *v = root->children;
  const int32_t *operations = v[SKEP_EVENT_OPERATION].values.data, *buckets = v[SKEP_EVENT_BUCKET].values.data;
  const int64_t *write_ids = v[SKEP_EVENT_WRITE_ID].values.data, *row_ids = v[SKEP_EVENT_ROW_ID].values.data,
                *currents = v[SKEP_EVENT_CURRENT].values.data;
  for (int i = 0; i < SKEP_EVENT_ROW; i++)
    if (v[i].has_nulls) return skep_fail(err, SKEP_ERR_CORRUPT, "a NULL in an ACID column");
  for (int64_t i = 0; i < root->length; i++) {
    const skep_row_key key = {.write_id = write_ids[i], .row_id = row_ids[i], .bucket = buckets[i]};
    SKEP_TRY(check_event(f, operations[i], currents[i], &key, skep_vec_is_valid(&v[SKEP_EVENT_ROW], i), err));
  }
  return SKEP_OK;
}

static skep_status read_events(file_check *f, const char *path, skep_err *err) {
  static const skep_forms forms = {.boolean = 0};
  skep_events *events;
  skep_batch batch = {0};
  SKEP_TRY(skep_events_open(f->c->ctx, f->c->fs, path, f->file->logical_bytes, &events, err));
  skep_status st = skep_vec_init(&batch.root, f->c->ctx, skep_events_type(events), &forms, err);
  while (st == SKEP_OK) {
    st = skep_checker_go_on(f->c, err);
    if (st == SKEP_OK) st = skep_events_next(events, EVENTS_AT_ONCE, &batch, err);
    if (st == SKEP_OK) st = check_batch(f, &batch.root, err);
  }
  skep_vec_fini(&batch.root);
  skep_events_close(events);
  return st == SKEP_END ? SKEP_OK : st;
}

/* hive.acid.stats: "inserts,updates,deletes". */
static skep_status check_stats(file_check *f, skep_err *err) {
  const skep_orc_metadata_item *stats = skep_orc_tail_metadata(f->tail, "hive.acid.stats");
  char want[80];
  snprintf(want, sizeof want, "%" PRIu64 ",%" PRIu64 ",%" PRIu64, f->n_inserts, f->n_updates, f->n_deletes);
  if (stats == NULL) return SKEP_OK; /* query-based compactions leave none */
  if (stats->value.left == strlen(want) && memcmp(stats->value.at, want, stats->value.left) == 0) return SKEP_OK;
  char quoted[80];
  return skep_checker_tell(f->c, f->is_old ? SKEP_CHECK_NOTE : SKEP_CHECK_ERROR, "stats", SKEP_REPAIR_NONE,
                           f->dir->name, f->file->path, err,
                           "its footer counts %s events (inserts, updates, deletes), there are %s",
                           skep_quote(quoted, sizeof quoted, stats->value.at, stats->value.left), want);
}

static skep_status check_events(file_check *f, const char *path, skep_err *err) {
  const skep_orc_metadata_item *index = skep_orc_tail_metadata(f->tail, "hive.acid.key.index");
  f->has_key_index = index != NULL;
  if (index != NULL) f->key_index = index->value;
  SKEP_TRY(read_events(f, path, err));
  if (f->key_index.left != 0)
    TELL(f, TOLD_INDEX, SKEP_CHECK_WARNING, "key-index", "the key index has more entries than there are stripes");
  SKEP_TRY(check_stats(f, err));
  *(f->is_delete ? &f->c->totals->n_deletes : &f->c->totals->n_rows) += f->n_rows;
  return SKEP_OK;
}

static skep_status check_content(file_check *f, const char *path, skep_err *err) {
  bool acid = f->dir->content == SKEP_CONTENT_ACID && f->dir->parsed.kind != SKEP_DIR_OTHER;
  bool wants_events = acid && f->c->opts->table == SKEP_CHECK_FULL_ACID;
  f->is_old = skep_orc_tail_metadata(f->tail, "hive.acid.version") == NULL;
  if (wants_events && !f->is_old && f->tail->n_rows != 0) f->c->dir_is_new = true;
  skep_event_file kind = skep_event_file_kind(f->tail, NULL);
  if (wants_events && kind == SKEP_EVENT_FILE_NO) {
    f->c->rows_readable = false;
    return skep_checker_tell(f->c, SKEP_CHECK_ERROR, "no-events", SKEP_REPAIR_NONE, f->dir->name, f->file->path, err,
                             "no ACID columns in a bucket file");
  }
  if (!wants_events && kind == SKEP_EVENT_FILE_YES) {
    if (f->c->opts->table == SKEP_CHECK_FULL_ACID) f->c->rows_readable = false;
    return skep_checker_tell(f->c, SKEP_CHECK_ERROR, "events", SKEP_REPAIR_NONE, f->dir->name, f->file->path, err,
                             "a file with ACID columns where rows without ids are expected");
  }
  if (wants_events && !f->c->opts->quick) return check_events(f, path, err);
  if (!wants_events) f->c->totals->n_rows += f->tail->n_rows;
  return SKEP_OK;
}

static skep_status open_tail(skep_checker *c, const char *path, uint64_t length, skep_orc_tail **out, skep_err *err) {
  skep_file *file;
  *out = NULL;
  SKEP_TRY(skep_fs_open_read(c->fs, path, &file, err));
  skep_status st = skep_orc_tail_read(c->ctx, file, length, out, err);
  skep_file_close(file, NULL);
  return st;
}

static bool begins_as_orc(const skep_checker *c, const char *path) {
  uint8_t magic[3];
  skep_file *file;
  if (skep_fs_open_read(c->fs, path, &file, NULL) != SKEP_OK) return true;
  bool orc =
      file->size_bytes >= 3 && skep_file_read_at(file, 0, magic, 3, NULL) == SKEP_OK && memcmp(magic, "ORC", 3) == 0;
  skep_file_close(file, NULL);
  return orc;
}

skep_status skep_check_file(skep_checker *c, const skep_layout_dir *dir, const skep_layout_file *file, skep_err *err) {
  file_check f = {.c = c, .dir = dir, .file = file, .is_delete = dir->parsed.kind == SKEP_DIR_DELETE_DELTA};
  skep_orc_tail *tail = NULL;
  skep_err why = {0};
  const char *joined = skep_checker_path(c, dir->name, file->path);
  SKEP_TRY(skep_buf_check(&c->path, "a path", err));
  char *path = skep_strndup(c->ctx, joined, c->path.size);
  if (path == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a path");
  skep_status st = open_tail(c, path, file->logical_bytes, &tail, &why);
  f.tail = tail;
  if (st == SKEP_OK) st = check_content(&f, path, &why);
  skep_orc_tail_unref(tail);
  skep_release(c->ctx, path);
  if (st == SKEP_OK) return SKEP_OK;
  if (!skep_check_is_damage(st)) return skep_fail(err, st, "%s", why.text);
  bool raw = dir->content != SKEP_CONTENT_ACID || dir->parsed.kind == SKEP_DIR_OTHER;
  if (c->opts->maybe_other && raw && tail == NULL && !begins_as_orc(c, skep_checker_path(c, dir->name, file->path))) {
    c->totals->n_other++;
    return SKEP_OK;
  }
  c->rows_readable = false;
  return skep_checker_tell(c, SKEP_CHECK_ERROR, "damaged", SKEP_REPAIR_NONE, dir->name, file->path, err, "%s",
                           why.text);
}
