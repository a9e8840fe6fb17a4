/* What the parts of a run share. Inside compact's file work only. */
#ifndef COMPACT_INT_H
#define COMPACT_INT_H

#include <pthread.h>

#include "acid/bucket_file.h"
#include "acid/layout.h"
#include "acid/plan.h"
#include "acid/scan.h"
#include "compact/run.h"

/* ---- pace.c: progress, cancelling, the bandwidth limit; used by many threads ---- */

typedef struct skep_compact_pace {
  const skep_ctx *ctx;
  const skep_compact_job *job;
  pthread_mutex_t lock;
  skep_compact_progress so_far;
  int64_t started_ns, reported_ns;
  bool is_reporting;
} skep_compact_pace;

void skep_compact_pace_init(skep_compact_pace *pace, const skep_ctx *ctx, const skep_compact_job *job,
                            uint64_t bytes_all);
void skep_compact_pace_fini(skep_compact_pace *pace);
/* Between two pieces of work: adds what was done, tells the caller now and then, waits where a limit says so.
 * SKEP_ERR_CANCELLED; or the status of the caller's progress function. other: a second flag to look at, or NULL. */
SKEP_NODISCARD skep_status skep_compact_pace_add(skep_compact_pace *pace, uint64_t rows, uint64_t bytes_read,
                                                 uint64_t bytes_written, const skep_cancel *other, skep_err *err);

/* ---- choose.c: which directories, and what the result is called; pure ---- */

typedef struct skep_compact_choice {
  const char *reason; /* why there is nothing to do; NULL: there is */
  uint32_t n_dirs;
  const skep_layout_dir **dirs;       /* inputs, in the layout's order: base or originals first */
  int64_t min_write_id, max_write_id; /* of the result's name; a base: both its write id */
  int64_t highest;                    /* write id that is compacted */
  uint64_t bytes;                     /* of the inputs' files */
  bool has_inserts, has_deletes;      /* deltas of each kind among the inputs */
} skep_compact_choice;

/* SKEP_ERR_ARGUMENT: a range for INCREMENTAL that no result may have. */
SKEP_NODISCARD skep_status skep_compact_choose(skep_arena *arena, const skep_layout *layout,
                                               const skep_compact_job *job, int64_t high_watermark,
                                               skep_compact_choice *out, skep_err *err);

/* ---- the run as a whole ---- */

typedef struct skep_compact_run_state {
  const skep_ctx *ctx;
  const skep_compact_job *job;
  skep_arena *arena;         /* of the run: types, names, splits */
  skep_snapshot directories; /* which directories: a compactor's */
  skep_snapshot rows;        /* which rows: write id by write id */
  skep_layout *layout;
  skep_compact_choice choice;
  skep_writer_settings settings;
  skep_orc_write_memory memory;
  const skep_type *event_type;
  skep_scan_cache *cache;
  skep_plan *plan;
  skep_compact_pace pace;
  const char *insert_dir, *delete_dir;  /* whole paths; NULL: not made */
  uint32_t fan_in;                      /* files that one merge may have open at a time; 4 to 96 */
  uint32_t n_runs;                      /* atomic: runs named so far */
  skep_ctx scan_ctx;                    /* ctx with a limit for delete sets */
  struct skep_compact_deleted *deleted; /* NULL: scans have sets */
} skep_compact_run_state;

/* A task's own counts, added up at the end. */
typedef struct skep_compact_counts {
  uint64_t rows, deletes, rows_read, bytes_written, bytes_copied;
  uint32_t n_files;
  bool rows_unknown; /* some files were not looked into */
} skep_compact_counts;

/* Stripes and files below are merged rather than taken over, where the job does not say otherwise. */
enum { SKEP_COMPACT_SMALL_BYTES = 512 << 10 };
static inline uint64_t skep_compact_small_bytes(const skep_compact_job *job) {
  return job->small_stripe_bytes == 0 ? SKEP_COMPACT_SMALL_BYTES : job->small_stripe_bytes;
}

/* ---- event_output.c: one bucket file of any sorted events ---- */

/* Rows with their ids, as arrays of one length; row: a struct vector, its entries NULL in delete events. */
typedef struct skep_compact_rows {
  int64_t n;
  const int64_t *write_ids, *row_ids, *currents;
  const int32_t *buckets;
  const skep_vec *row;
} skep_compact_rows;

typedef struct skep_compact_output skep_compact_output;
enum { SKEP_COMPACT_INSERTS = 0, SKEP_COMPACT_DELETES = 2 }; /* the operation of all events of a file */

/* fs: the job's, or another for a part of a file; path: borrowed until the end, for messages. */
SKEP_NODISCARD skep_status skep_compact_output_create(skep_compact_run_state *run, skep_fs *fs, const char *path,
                                                      int operation, skep_compact_output **out, skep_err *err);
/* Rows [first, first + count), whose keys are not below those before: SKEP_ERR_CORRUPT otherwise. */
SKEP_NODISCARD skep_status skep_compact_output_add(skep_compact_output *o, const skep_compact_rows *rows, int64_t first,
                                                   int64_t count, skep_err *err);
/* The writer, to be asked which stripes it may take over (orc/stripe_copy.h). */
const skep_orc_writer *skep_compact_output_orc(const skep_compact_output *o);
/* Takes over a stripe of insert events with these first and last keys. */
SKEP_NODISCARD skep_status skep_compact_output_copy(skep_compact_output *o, skep_file *file, const skep_orc_tail *tail,
                                                    uint32_t stripe, const skep_row_key *first,
                                                    const skep_row_key *last, skep_err *err);
/* Ends `part`, a file on `fs` at its path, and takes over all of it. */
SKEP_NODISCARD skep_status skep_compact_output_join(skep_compact_output *o, skep_compact_output *part, skep_fs *fs,
                                                    skep_err *err);
/* Bytes that went to the file since the last call. */
uint64_t skep_compact_output_new_bytes(skep_compact_output *o);
/* Ends, syncs and closes; adds rows, bytes and the file to `counts`. */
SKEP_NODISCARD skep_status skep_compact_output_finish(skep_compact_output *o, skep_compact_counts *counts,
                                                      skep_err *err);
void skep_compact_output_free(skep_compact_output *o); /* accepts NULL; leaves a torso when it was not finished */

/* ---- merging sorted inputs; sort_runs.c ---- */

/* Whether input a goes before b. */
typedef bool skep_compact_before(const void *a, const void *b);

/* Entry i of a heap moves down to its place. */
static inline void skep_compact_heap_sink(void **heap, uint32_t n, uint32_t i, skep_compact_before *before) {
  for (;;) {
    uint32_t least = i;
    for (uint32_t child = 2 * i + 1; child < 2 * i + 3 && child < n; child++)
      if (before(heap[child], heap[least])) least = child;
    if (least == i) return;
    void *swap = heap[i];
    heap[i] = heap[least];
    heap[least] = swap;
    i = least;
  }
}

static inline void skep_compact_heap_make(void **heap, uint32_t n, skep_compact_before *before) {
  for (uint32_t i = n / 2; i-- > 0;) skep_compact_heap_sink(heap, n, i, before);
}

/* Runs on disk: sorted stretches of what does not fit in memory, or of files that are too many to be open at a time.
 * They are files beside the result, under names that readers pass over. A number is given out once. */
uint32_t skep_compact_run_number(skep_compact_run_state *run);
SKEP_NODISCARD skep_status skep_compact_run_path(skep_arena *arena, const char *dir, uint32_t number, const char **out,
                                                 skep_err *err);
SKEP_NODISCARD skep_status skep_compact_run_remove(skep_compact_run_state *run, const char *dir, uint32_t number,
                                                   skep_err *err);

/* The runs of one sort, in the order in which they were made. So that a merge of all has no more than `fan_in` open,
 * some are merged into one before: always the youngest, so that rows are written about log(n) times. */
enum { SKEP_COMPACT_MAX_RUNS = 640 }; /* fan_in - 1 for each level, of as many as 32-bit numbers can need */
typedef struct skep_compact_runs {
  uint32_t fan_in; /* 2 or more */
  uint32_t n;
  uint32_t numbers[SKEP_COMPACT_MAX_RUNS];
  uint8_t levels[SKEP_COMPACT_MAX_RUNS];
} skep_compact_runs;

void skep_compact_runs_add(skep_compact_runs *runs, uint32_t number);
/* How many of the youngest runs are to be merged into one now. is_last: no more are added, and all that are left then
 * can be open. 0: none. */
uint32_t skep_compact_runs_due(const skep_compact_runs *runs, bool is_last);
/* The `k` youngest have become the run `number`. Their files are the caller's to remove, before. */
void skep_compact_runs_replace(skep_compact_runs *runs, uint32_t k, uint32_t number);

/* ---- row_runs.c: runs of rows ---- */

/* Rows of `type` (three ids, columns) into a run below the insert directory. */
typedef struct skep_compact_row_writer skep_compact_row_writer;
SKEP_NODISCARD skep_status skep_compact_row_writer_open(skep_compact_run_state *run, const skep_type *type,
                                                        skep_compact_row_writer **out, skep_err *err);
SKEP_NODISCARD skep_status skep_compact_row_writer_add(skep_compact_row_writer *w, const skep_vec *rows, int64_t first,
                                                       int64_t count, skep_err *err);
SKEP_NODISCARD skep_status skep_compact_row_writer_finish(skep_compact_row_writer *w, uint32_t *number, skep_err *err);
void skep_compact_row_writer_free(skep_compact_row_writer *w); /* accepts NULL */

typedef struct skep_compact_row_reader skep_compact_row_reader;
SKEP_NODISCARD skep_status skep_compact_row_reader_open(skep_compact_run_state *run, uint32_t number,
                                                        const skep_type *type, const skep_forms *forms,
                                                        skep_compact_row_reader **out, skep_err *err);
/* batch: initialised with the type and forms. SKEP_END after the last. */
SKEP_NODISCARD skep_status skep_compact_row_reader_next(skep_compact_row_reader *r, int64_t max_rows, skep_batch *batch,
                                                        skep_err *err);
/* The file stays: skep_compact_run_remove. Accepts NULL. */
void skep_compact_row_reader_close(skep_compact_row_reader *r);

/* ---- insert_merge.c: rows in the order of their ids ---- */

/* Where rows go. `rows` is borrowed for the call. */
typedef struct skep_compact_sink {
  skep_status (*add)(void *self, const skep_compact_rows *rows, int64_t first, int64_t count, skep_err *err);
  uint64_t (*new_bytes)(void *self); /* written since the last call */
  void *self;
} skep_compact_sink;

/* The rows of a scan's batch: three ids, then the columns. *row becomes their vector and must live as long. */
skep_compact_rows skep_compact_rows_of(const skep_vec *root, const skep_type *row_type, skep_vec *row);

/* Stripes of one file, or all of them. */
typedef struct skep_compact_part {
  skep_split split;
  uint32_t number;  /* in reading order: of two equal keys the earlier part's goes first */
  uint64_t bytes;   /* of these stripes */
  skep_row_key low; /* at or below all keys of the part */
} skep_compact_part;

/* A whole split as a part, its lowest key from the name of its directory. */
skep_compact_part skep_compact_part_of(const skep_split *split, uint32_t number);

SKEP_NODISCARD skep_status skep_compact_merge_rows(skep_compact_run_state *run, const skep_compact_part *parts,
                                                   uint32_t n, const skep_compact_sink *to, const skep_cancel *cancel,
                                                   skep_compact_counts *counts, skep_err *err);

/* ---- pieces.c: what of a file's content is merged and what taken over, in the order of keys ---- */

typedef struct skep_compact_group {
  int64_t bucket;
  uint32_t n_splits;
  const skep_split **splits; /* in reading order */
} skep_compact_group;

/* One stripe that is taken over. */
typedef struct skep_compact_stripe {
  const char *path;
  uint64_t logical_bytes; /* of the file */
  uint32_t stripe;
  uint64_t bytes;
  skep_row_key first, last;
} skep_compact_stripe;

/* Parts to merge, or stripes to take over: all keys of a piece are below those of the next. */
typedef struct skep_compact_piece {
  uint32_t n_parts, n_stripes; /* one of them is 0 */
  const skep_compact_part *parts;
  const skep_compact_stripe *stripes;
} skep_compact_piece;

/* out: an output like the file they go into; with several threads there are pieces for all to merge. In the run's
 * arena.
 */
SKEP_NODISCARD skep_status skep_compact_cut(skep_compact_run_state *run, const skep_compact_group *group,
                                            const skep_compact_output *out, unsigned n_threads,
                                            const skep_compact_piece **pieces, uint32_t *n, skep_err *err);

/* ---- bucket_job.c: the pieces of one file, by one thread or several ---- */

typedef struct skep_compact_bucket_job skep_compact_bucket_job;
/* Cuts the work. like: any output of the run, to be asked which stripes may be taken over. */
SKEP_NODISCARD skep_status skep_compact_bucket_job_new(skep_compact_run_state *run, const skep_compact_group *group,
                                                       const char *path, const skep_compact_output *like,
                                                       unsigned n_threads, skep_compact_bucket_job **out,
                                                       skep_err *err);
uint32_t skep_compact_bucket_job_pieces(const skep_compact_bucket_job *job); /* at least 1 */
/* Does one piece; pieces may run side by side, but are begun in their order. The last one ends the file. */
SKEP_NODISCARD skep_status skep_compact_bucket_job_run(skep_compact_bucket_job *job, uint32_t piece,
                                                       const skep_cancel *cancel, skep_compact_counts *counts,
                                                       skep_err *err);
void skep_compact_bucket_job_free(skep_compact_bucket_job *job); /* accepts NULL */

/* ---- event_sort.c: the delete events of all inputs in order ---- */

typedef struct skep_compact_event {
  int64_t write_id, row_id, current;
  int32_t bucket, writer; /* writer: in bucket; 0 where the order is not by writer */
} skep_compact_event;

typedef skep_status skep_compact_event_sink(void *self, const skep_compact_event *event, skep_err *err);

/* Events whose currentTransaction is valid, by [writer id,] row id, and those of one row newest first. */
typedef struct skep_compact_event_sort {
  const char *dir; /* for runs */
  bool by_writer;
  int64_t dropped_write_id; /* events for rows of this write id are not needed; -1: none */
  const skep_cancel *cancel;
  skep_compact_counts *counts;
  skep_compact_event_sink *sink;
  void *self;
} skep_compact_event_sort;

SKEP_NODISCARD skep_status skep_compact_sort_events(skep_compact_run_state *run, const skep_compact_event_sort *how,
                                                    skep_err *err);

/* ---- deleted_rows.c: rows to leave out that are too many for a set in memory ---- */

/* The keys of all deleted rows, sorted, in a file below the insert directory; used by all threads. */
typedef struct skep_compact_deleted skep_compact_deleted;
SKEP_NODISCARD skep_status skep_compact_deleted_make(skep_compact_run_state *run, skep_compact_deleted **out,
                                                     skep_err *err);
/* Removes the file, when no cursor is used any more. Accepts NULL. */
SKEP_NODISCARD skep_status skep_compact_deleted_remove(skep_compact_deleted *deleted, skep_err *err);
void skep_compact_deleted_free(skep_compact_deleted *deleted); /* accepts NULL; leaves the file */

/* Where a scan is in it. One thread at a time. */
typedef struct skep_compact_deleted_cursor {
  skep_compact_deleted *of; /* NULL: scans know their deleted rows themselves */
  skep_row_key *keys;       /* a window: keys first .. first + n - 1 of the file */
  uint64_t first;
  size_t n, at;        /* keys[at] is the first one that is not below `sought` */
  skep_row_key sought; /* where keys is not NULL */
  int32_t *rows;
  size_t rows_capacity;
} skep_compact_deleted_cursor;

void skep_compact_deleted_cursor_init(skep_compact_deleted_cursor *c, skep_compact_run_state *run);
void skep_compact_deleted_cursor_fini(skep_compact_deleted_cursor *c); /* safe on a zeroed one and twice */
/* skep_scan_next, for a scan with row ids, without the deleted rows. */
SKEP_NODISCARD skep_status skep_compact_scan_next(skep_scan *scan, int64_t max_rows, skep_batch *batch,
                                                  skep_compact_deleted_cursor *c, skep_err *err);
/* Whether a row from `first` to `last` is deleted; c->of is not NULL. */
SKEP_NODISCARD skep_status skep_compact_deleted_touch(skep_compact_deleted_cursor *c, const skep_row_key *first,
                                                      const skep_row_key *last, bool *touched, skep_err *err);

/* ---- delete_merge.c: all delete events of the inputs into one file a writer id ---- */

SKEP_NODISCARD skep_status skep_compact_merge_deletes(skep_compact_run_state *run, const skep_cancel *cancel,
                                                      skep_compact_counts *counts, skep_err *err);

/* ---- row_sort.c: rows in the order of a rebalance's ORDER BY ---- */

SKEP_NODISCARD skep_status skep_compact_sort_rows(skep_compact_run_state *run, const skep_compact_part *parts,
                                                  uint32_t n, const skep_compact_sink *to, skep_compact_counts *counts,
                                                  skep_err *err);

/* ---- rebalance.c: all rows spread evenly over files, with new ids ---- */

SKEP_NODISCARD skep_status skep_compact_rebalance(skep_compact_run_state *run, const skep_compact_group *groups,
                                                  uint32_t n_groups, skep_compact_counts *counts, skep_err *err);

/* ---- insert_only.c: tables without row ids ---- */

/* ORC: the rows of one bucket number into one file. */
SKEP_NODISCARD skep_status skep_compact_copy_rows(skep_compact_run_state *run, const skep_compact_group *group,
                                                  const char *path, const skep_cancel *cancel,
                                                  skep_compact_counts *counts, skep_err *err);
/* Other formats: all files, their bytes as they are. */
SKEP_NODISCARD skep_status skep_compact_copy_files(skep_compact_run_state *run, const skep_compact_group *groups,
                                                   uint32_t n_groups, skep_compact_counts *counts, skep_err *err);

/* ---- run.c ---- */

/* The bucket number in a file's name; 0 when it has none. */
int64_t skep_compact_bucket_of(const char *path);
/* "dir/name" in the run's arena. */
SKEP_NODISCARD skep_status skep_compact_path(skep_arena *arena, const char *dir, const char *name, const char **out,
                                             skep_err *err);

#endif
