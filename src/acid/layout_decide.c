/* Which directories of a partition root a snapshot uses, and why the others are not used. Pure: works on listed names.
 *
 * Source: Hive AcidUtils.getAcidState, processBaseDir, findBestWorkingDeltas, ParsedDelta.compareTo (3.1 and 4.0);
 * acid-format facts 2.2 to 2.4. Hive 4's extra rule for bases below the lowest open id changes nothing but for a base
 * above the high watermark, which it would wrongly use, and for one that is itself the lowest open id: it is left out.
 */
#include "acid/layout.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct decider {
  skep_layout *layout;
  const skep_layout_opts *opts;
  const skep_snapshot *snapshot;
  skep_layout_dir *base; /* chosen, or NULL */
  bool out_of_memory;
} decider;

const char *skep_verdict_name(skep_verdict verdict) {
  static const char *const names[] = {"used", "obsolete", "not visible", "aborted", "ignored", "unknown name"};
  return (size_t)verdict < sizeof names / sizeof *names ? names[verdict] : "?";
}

/* Sets a verdict with a formatted reason. Names are quoted where they are not known to be well-formed. */
static void judge(decider *d, skep_layout_dir *dir, skep_verdict verdict, const char *format, ...) SKEP_PRINTF(4, 5);
static void judge(decider *d, skep_layout_dir *dir, skep_verdict verdict, const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  dir->verdict = verdict;
  dir->reason = skep_arena_strndup(&d->layout->arena, text, strlen(text));
  if (dir->reason == NULL) d->out_of_memory = true;
}

static void judge_plainly(skep_layout_dir *dir, skep_verdict verdict, const char *reason) {
  dir->verdict = verdict;
  dir->reason = reason;
}

/* "write id 7" or "write ids 7 to 9". */
typedef struct ids_text {
  char text[64];
} ids_text;

static ids_text ids_of(const skep_dir_name *name) {
  ids_text out;
  if (name->min_write_id == name->max_write_id) {
    snprintf(out.text, sizeof out.text, "write id %" PRId64, name->max_write_id);
  } else {
    snprintf(out.text, sizeof out.text, "write ids %" PRId64 " to %" PRId64, name->min_write_id, name->max_write_id);
  }
  return out;
}

/* Why no id of the range is valid. */
static void judge_invisible(decider *d, skep_layout_dir *dir) {
  const skep_id_list *list = skep_snapshot_write_id_list(d->snapshot);
  int64_t hwm = list == NULL ? INT64_MAX : list->high_watermark;
  ids_text ids = ids_of(&dir->parsed);
  bool one = dir->parsed.min_write_id == dir->parsed.max_write_id;
  if (dir->parsed.min_write_id > hwm) {
    judge(d, dir, SKEP_NOT_VISIBLE, "%s %s above the snapshot's high watermark %" PRId64, ids.text, one ? "is" : "are",
          hwm);
  } else if (d->snapshot->for_compactor) {
    judge(d, dir, SKEP_NOT_VISIBLE, "%s %s beyond the compactor's high watermark %" PRId64, ids.text,
          one ? "reaches" : "reach", hwm);
  } else {
    judge(d, dir, SKEP_NOT_VISIBLE, "%s %s open in the snapshot", ids.text, one ? "is" : "are");
  }
}

/* The _v suffix: the transaction of the compaction that wrote the directory. False when the snapshot does not see it.
 */
static bool judge_visibility(decider *d, skep_layout_dir *dir) {
  int64_t txn = dir->parsed.visibility_txn;
  if (txn == 0 || skep_snapshot_txn_valid(d->snapshot, txn)) return true;
  if (skep_snapshot_txn_aborted(d->snapshot, txn)) {
    judge(d, dir, SKEP_ABORTED, "its compaction's transaction %" PRId64 " was aborted", txn);
  } else {
    judge(d, dir, SKEP_NOT_VISIBLE, "its compaction's transaction %" PRId64 " is not committed in the snapshot", txn);
  }
  return false;
}

static bool is_usable(const decider *d, const skep_layout_dir *dir) {
  int64_t write_id = dir->parsed.max_write_id;
  const skep_id_list *list = skep_snapshot_write_id_list(d->snapshot);
  if (write_id == INT64_MIN || list == NULL) return true;
  if (dir->is_compacted) return write_id < list->min_open && write_id <= list->high_watermark;
  return skep_snapshot_write_id_valid(d->snapshot, write_id);
}

/* Higher write id first; then compacted before overwritten; then the later compaction. */
static bool is_better(const skep_layout_dir *a, const skep_layout_dir *b) {
  if (a->parsed.max_write_id != b->parsed.max_write_id) return a->parsed.max_write_id > b->parsed.max_write_id;
  if (a->is_compacted != b->is_compacted) return a->is_compacted;
  if (a->parsed.visibility_txn != b->parsed.visibility_txn) return a->parsed.visibility_txn > b->parsed.visibility_txn;
  return strcmp(a->name, b->name) < 0; /* base_5 and base_05 */
}

static void judge_unusable_base(decider *d, skep_layout_dir *dir) {
  const skep_id_list *list = skep_snapshot_write_id_list(d->snapshot);
  int64_t write_id = dir->parsed.max_write_id;
  if (dir->is_compacted && write_id <= list->high_watermark) {
    judge(d, dir, SKEP_NOT_VISIBLE,
          "compacts write ids up to %" PRId64 ", but %" PRId64 " is still open in the snapshot", write_id,
          list->min_open);
  } else {
    judge_invisible(d, dir);
  }
}

static bool is_candidate(const skep_layout_dir *dir) { return !dir->is_empty && !dir->is_malformed; }

static skep_status choose_base(decider *d, skep_err *err) {
  skep_layout *layout = d->layout;
  const skep_layout_dir *oldest = NULL;
  for (uint32_t i = 0; i < layout->n_dirs; i++) {
    skep_layout_dir *dir = &layout->dirs[i];
    if (dir->parsed.kind != SKEP_DIR_BASE || !is_candidate(dir) || !judge_visibility(d, dir)) continue;
    if (oldest == NULL || dir->parsed.max_write_id < oldest->parsed.max_write_id ||
        (dir->parsed.max_write_id == oldest->parsed.max_write_id && dir->is_compacted))
      oldest = dir;
    if (!dir->is_compacted && skep_snapshot_write_id_aborted(d->snapshot, dir->parsed.max_write_id)) {
      judge(d, dir, SKEP_ABORTED, "%s was aborted", ids_of(&dir->parsed).text);
    } else if (!is_usable(d, dir)) {
      judge_unusable_base(d, dir);
    } else {
      judge_plainly(dir, SKEP_USED, "the newest base that the snapshot sees");
      if (d->base == NULL || is_better(dir, d->base)) d->base = dir;
    }
  }
  for (uint32_t i = 0; i < layout->n_dirs && d->base != NULL; i++) {
    skep_layout_dir *dir = &layout->dirs[i];
    if (dir->parsed.kind != SKEP_DIR_BASE || dir == d->base || !is_candidate(dir) || dir->verdict != SKEP_USED)
      continue;
    judge(d, dir, SKEP_OBSOLETE, "%s replaces it", d->base->name);
  }
  if (d->base == NULL && oldest != NULL && oldest->is_compacted && !d->opts->any_history) {
    char quoted[128];
    const skep_id_list *list = skep_snapshot_write_id_list(d->snapshot);
    return skep_fail(
        err, SKEP_ERR_SNAPSHOT,
        "not enough history: the oldest base \"%s\" already compacts write ids that the snapshot does not see (high "
        "watermark %" PRId64 ", lowest open %" PRId64 ")",
        skep_quote(quoted, sizeof quoted, oldest->name, strlen(oldest->name)), list->high_watermark, list->min_open);
  }
  return SKEP_OK;
}

/* Source: ParsedDelta.compareTo. A delete delta comes before the delta of the same range, a compacted one before
 * statements. */
static int compare_deltas(const void *a, const void *b) {
  const skep_layout_dir *x = *(const skep_layout_dir *const *)a, *y = *(const skep_layout_dir *const *)b;
  if (x->parsed.min_write_id != y->parsed.min_write_id) return x->parsed.min_write_id < y->parsed.min_write_id ? -1 : 1;
  if (x->parsed.max_write_id != y->parsed.max_write_id) return x->parsed.max_write_id > y->parsed.max_write_id ? -1 : 1;
  if (x->parsed.statement != y->parsed.statement) return x->parsed.statement < y->parsed.statement ? -1 : 1;
  return strcmp(x->name, y->name);
}

static bool is_delta(const skep_layout_dir *dir) {
  return dir->parsed.kind == SKEP_DIR_DELTA || dir->parsed.kind == SKEP_DIR_DELETE_DELTA;
}

/* Sets the verdicts that need no other directory; gathers the rest. */
static uint32_t gather_deltas(decider *d, skep_layout_dir **deltas) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < d->layout->n_dirs; i++) {
    skep_layout_dir *dir = &d->layout->dirs[i];
    if (!is_delta(dir) || !is_candidate(dir) || !judge_visibility(d, dir)) continue;
    int64_t min = dir->parsed.min_write_id, max = dir->parsed.max_write_id;
    if (skep_snapshot_range_aborted(d->snapshot, min, max) == SKEP_RANGE_ALL) {
      judge(d, dir, SKEP_ABORTED, "%s %s aborted", ids_of(&dir->parsed).text, min == max ? "was" : "were");
    } else if (skep_snapshot_range_valid(d->snapshot, min, max) == SKEP_RANGE_NONE) {
      judge_invisible(d, dir);
    } else {
      deltas[n++] = dir;
    }
  }
  qsort(deltas, n, sizeof *deltas, compare_deltas);
  return n;
}

static bool same_range(const skep_layout_dir *a, const skep_layout_dir *b) {
  return a->parsed.min_write_id == b->parsed.min_write_id && a->parsed.max_write_id == b->parsed.max_write_id &&
         a->parsed.statement == b->parsed.statement;
}

static void judge_covered(decider *d, skep_layout_dir *dir, const skep_layout_dir *by) {
  if (d->base != NULL && dir->parsed.max_write_id <= d->base->parsed.max_write_id) by = d->base;
  if (by->parsed.kind == SKEP_DIR_BASE) {
    judge(d, dir, SKEP_OBSOLETE, "%s covers write ids up to %" PRId64, by->name, by->parsed.max_write_id);
  } else if (same_range(dir, by)) {
    judge(d, dir, SKEP_OBSOLETE, "%s covers the same %s", by->name, ids_of(&by->parsed).text);
  } else {
    judge(d, dir, SKEP_OBSOLETE, "%s covers %s", by->name, ids_of(&by->parsed).text);
  }
}

/* Source: findBestWorkingDeltas. `covering` is the directory that reached `current`. Returns how many are kept, in
 * front. One deviation: of two visible compactions to the same range Hive keeps both, and shows their rows twice; here
 * the first. */
static uint32_t sweep(decider *d, skep_layout_dir **deltas, uint32_t n) {
  int64_t current = d->base == NULL || d->base->parsed.max_write_id < 0 ? 0 : d->base->parsed.max_write_id;
  int32_t last_statement = -1;
  const skep_layout_dir *previous = NULL, *covering = d->base;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < n; i++) {
    skep_layout_dir *dir = deltas[i];
    bool keep = false;
    if (dir->parsed.max_write_id > current) {
      if (skep_snapshot_range_valid(d->snapshot, current + 1, dir->parsed.max_write_id) == SKEP_RANGE_NONE) {
        judge(d, dir, SKEP_NOT_VISIBLE, "no write id of it above %" PRId64 " is valid in the snapshot", current);
        continue;
      }
      current = dir->parsed.max_write_id;
      last_statement = dir->parsed.statement;
      covering = dir;
      keep = true;
    } else if (dir->parsed.max_write_id == current && last_statement >= 0) {
      keep = true;
    } else {
      keep = previous != NULL && same_range(previous, dir) && previous->parsed.kind != dir->parsed.kind;
    }
    if (keep) {
      judge_plainly(
          dir, SKEP_USED,
          dir->parsed.kind == SKEP_DIR_DELTA ? "inserts that the snapshot sees" : "deletes that the snapshot sees");
      previous = dir;
      deltas[kept++] = dir;
    } else {
      /* Without a base every write id is above 0, so something was kept before; delta_0_0 is the exception. */
      if (covering == NULL) {
        judge_plainly(dir, SKEP_OBSOLETE, "write id 0 belongs to original files");
      } else {
        judge_covered(d, dir, covering);
      }
    }
  }
  return kept;
}

static int compare_file_paths(const void *a, const void *b) {
  const skep_layout_file *x = a, *y = b;
  bool x_data = x->verdict == SKEP_USED, y_data = y->verdict == SKEP_USED;
  if (x_data != y_data) return x_data ? -1 : 1;
  return strcmp(x->path, y->path); /* Hive orders by the text of the path: row ids depend on it */
}

static void judge_file(skep_layout_file *file, skep_verdict verdict, const char *reason) {
  file->verdict = verdict;
  file->reason = reason;
}

/* Which files of a used directory hold rows. Lengths are looked at later (layout.c). */
static void judge_files(const decider *d, skep_layout_dir *dir) {
  bool is_root = dir->parsed.kind == SKEP_DIR_OTHER;
  bool acid = dir->content == SKEP_CONTENT_ACID && !is_root;
  bool any_name = !acid && (!is_root || !d->layout->is_transactional_layout || d->opts->is_insert_only);
  for (uint32_t i = 0; i < dir->n_files; i++) {
    skep_layout_file *file = &dir->files[i];
    if (file->is_dir) continue; /* judged when it was listed */
    switch (file->name.kind) {
      case SKEP_FILE_FLUSH_LENGTH:
        judge_file(file, SKEP_IGNORED, "side file: how much of a data file is flushed");
        break;
      case SKEP_FILE_ACID_VERSION:
        judge_file(file, SKEP_IGNORED, "side file: version of the ACID format");
        break;
      case SKEP_FILE_METADATA:
        judge_file(file, SKEP_IGNORED, "side file: what made this base");
        break;
      case SKEP_FILE_HIDDEN:
        judge_file(file, SKEP_IGNORED, "hidden name");
        break;
      case SKEP_DATA_BUCKET:
      case SKEP_DATA_ORIGINAL:
      case SKEP_FILE_UNKNOWN:
        if (any_name || file->name.kind == (acid ? SKEP_DATA_BUCKET : SKEP_DATA_ORIGINAL)) {
          judge_file(file, SKEP_USED,
                     file->is_special ? "neither a file nor a directory: cannot be read"
                     : acid           ? "rows with row ids"
                                      : "rows without row ids");
        } else {
          judge_file(file, SKEP_NAME_UNKNOWN,
                     acid ? "no bucket_N among bucket files: not read"
                          : "no original file N_A of a transactional table: not read");
        }
        break;
    }
  }
}

static void judge_root(decider *d, skep_layout_dir *dir) {
  if (d->base != NULL) {
    judge(d, dir, SKEP_OBSOLETE, "%s replaces all files outside of base and delta directories", d->base->name);
  } else if (d->opts->is_insert_only && d->layout->is_transactional_layout) {
    judge_plainly(dir, SKEP_IGNORED, "an insert-only table keeps its rows in base and delta directories");
  } else {
    judge_plainly(dir, SKEP_USED, d->layout->is_transactional_layout ? "original files" : "files of the table");
  }
}

static int compare_names(const void *a, const void *b) {
  const skep_layout_dir *x = *(const skep_layout_dir *const *)a, *y = *(const skep_layout_dir *const *)b;
  return strcmp(x->name, y->name);
}

static skep_status reorder(decider *d, skep_layout_dir **order, uint32_t n_used, skep_err *err) {
  skep_layout *layout = d->layout;
  skep_layout_dir *sorted = skep_arena_zero(&layout->arena, layout->n_dirs, sizeof *sorted);
  if (sorted == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "%" PRIu32 " directories", layout->n_dirs);
  uint32_t n = n_used;
  for (uint32_t i = 0; i < layout->n_dirs; i++) {
    if (layout->dirs[i].verdict != SKEP_USED) order[n++] = &layout->dirs[i];
  }
  qsort(order + n_used, n - n_used, sizeof *order, compare_names);
  for (uint32_t i = 0; i < n; i++) sorted[i] = *order[i];
  layout->dirs = sorted;
  layout->n_used = n_used;
  return SKEP_OK;
}

/* Marks what needs no snapshot, and everything else as not judged yet (not visible, so that nothing is used by
 * accident). */
static void prepare(decider *d) {
  skep_layout *layout = d->layout;
  layout->is_transactional_layout = false;
  for (uint32_t i = 0; i < layout->n_dirs; i++) {
    skep_layout_dir *dir = &layout->dirs[i];
    if (dir->is_malformed) {
      judge_plainly(dir, SKEP_NAME_UNKNOWN, "starts like a directory of an ACID table, but has no such name");
      continue;
    }
    if (dir->parsed.kind == SKEP_DIR_OTHER) {
      if (dir->name[0] != '\0' && dir->verdict == SKEP_USED)
        judge_plainly(dir, SKEP_NAME_UNKNOWN, "no directory of a transactional table");
      continue;
    }
    layout->is_transactional_layout = true;
    judge_plainly(dir, SKEP_IGNORED, "holds no file");
    bool v1 = d->snapshot->write_ids_are_txns || d->opts->hive == SKEP_HIVE_1 || d->opts->hive == SKEP_HIVE_2;
    dir->is_compacted = dir->parsed.kind == SKEP_DIR_BASE &&
                        (v1 || dir->parsed.visibility_txn > 0 || dir->parsed.max_write_id == INT64_MIN ||
                         (dir->data_format != NULL && strcmp(dir->data_format, "compacted") == 0));
  }
}

skep_status skep_layout_decide(skep_layout *layout, const skep_layout_opts *opts, skep_err *err) {
  decider d = {.layout = layout, .opts = opts, .snapshot = opts->snapshot};
  skep_layout_dir **order = skep_arena_zero(&layout->arena, (size_t)layout->n_dirs + 1, sizeof *order);
  if (order == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "%" PRIu32 " directories", layout->n_dirs);
  prepare(&d);
  SKEP_TRY(choose_base(&d, err));
  uint32_t n_deltas = gather_deltas(&d, order);
  n_deltas = sweep(&d, order, n_deltas);
  skep_layout_dir *first = d.base;
  for (uint32_t i = 0; i < layout->n_dirs; i++) {
    skep_layout_dir *dir = &layout->dirs[i];
    if (dir->name[0] != '\0') continue;
    judge_root(&d, dir);
    if (dir->verdict == SKEP_USED) first = dir;
  }
  if (first != NULL) {
    memmove(order + 1, order, n_deltas * sizeof *order);
    order[0] = first;
  }
  SKEP_TRY(reorder(&d, order, n_deltas + (first != NULL), err));
  for (uint32_t i = 0; i < layout->n_dirs; i++) {
    skep_layout_dir *dir = &layout->dirs[i];
    for (uint32_t f = 0; f < dir->n_files; f++) {
      if (!dir->files[f].is_dir) judge_file(&dir->files[f], dir->verdict, dir->reason);
    }
    if (dir->verdict == SKEP_USED) judge_files(&d, dir);
    if (dir->n_files > 1) qsort(dir->files, dir->n_files, sizeof *dir->files, compare_file_paths);
  }
  if (d.out_of_memory) return skep_fail(err, SKEP_ERR_NOMEM, "reasons of %" PRIu32 " directories", layout->n_dirs);
  return SKEP_OK;
}

skep_layout_rows skep_layout_rows_of(const skep_layout *layout) {
  skep_layout_rows rows = {false, false};
  for (uint32_t d = 0; d < layout->n_used; d++) {
    const skep_layout_dir *dir = &layout->dirs[d];
    bool with_ids = dir->parsed.kind != SKEP_DIR_OTHER && dir->content == SKEP_CONTENT_ACID;
    for (uint32_t f = 0; f < dir->n_files; f++) {
      if (dir->files[f].verdict != SKEP_USED) continue;
      rows.with_ids = rows.with_ids || with_ids;
      rows.without_ids = rows.without_ids || !with_ids;
    }
  }
  return rows;
}
