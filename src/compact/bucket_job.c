/* One file of the result, made of pieces by several threads: a thread that is not at its turn gathers what it merges in
 * memory, as stripes, and puts them behind the others when it is. */
#include <string.h>
#include <time.h>

#include "compact/compact_int.h"
#include "io/memory.h"

enum { LOOK_UP_MS = 50 };

struct skep_compact_bucket_job {
  skep_compact_run_state *run;
  const char *path;
  skep_compact_output *out; /* used by whose turn it is; made at the first turn, so that few files are open */
  const skep_compact_piece *pieces;
  uint32_t n;
  pthread_mutex_t lock;
  pthread_cond_t moved;
  uint32_t turn; /* pieces that are in the file */
  bool failed;
};

skep_status skep_compact_bucket_job_new(skep_compact_run_state *run, const skep_compact_group *group, const char *path,
                                        const skep_compact_output *like, unsigned n_threads,
                                        skep_compact_bucket_job **out, skep_err *err) {
  *out = NULL;
  skep_compact_bucket_job *j = skep_alloc_zero(run->ctx, 1, sizeof *j);
  if (j == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a file's job");
  j->run = run;
  j->path = path;
  pthread_mutex_init(&j->lock, NULL);
  pthread_cond_init(&j->moved, NULL);
  skep_status status = skep_compact_cut(run, group, like, n_threads, &j->pieces, &j->n, err);
  if (status != SKEP_OK) {
    skep_compact_bucket_job_free(j);
    return status;
  }
  *out = j;
  return SKEP_OK;
}

uint32_t skep_compact_bucket_job_pieces(const skep_compact_bucket_job *j) { return j->n == 0 ? 1 : j->n; }

void skep_compact_bucket_job_free(skep_compact_bucket_job *j) {
  if (j == NULL) return;
  skep_compact_output_free(j->out);
  pthread_mutex_destroy(&j->lock);
  pthread_cond_destroy(&j->moved);
  skep_release(j->run->ctx, j);
}

/* ---- turns ---- */

static bool is_my_turn(skep_compact_bucket_job *j, uint32_t piece) {
  pthread_mutex_lock(&j->lock);
  bool is_mine = j->turn == piece;
  pthread_mutex_unlock(&j->lock);
  return is_mine;
}

static skep_status wait_for_turn(skep_compact_bucket_job *j, uint32_t piece, const skep_cancel *cancel, skep_err *err) {
  skep_status status = SKEP_OK;
  pthread_mutex_lock(&j->lock);
  while (j->turn != piece && status == SKEP_OK) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LOOK_UP_MS * 1000000L;
    if (until.tv_nsec >= 1000000000L) until.tv_sec++, until.tv_nsec -= 1000000000L;
    pthread_cond_timedwait(&j->moved, &j->lock, &until);
    if (j->failed) status = skep_fail(err, SKEP_ERR_CANCELLED, "another part of the file failed");
    if (status == SKEP_OK) status = skep_cancel_check(cancel, err);
    if (status == SKEP_OK) status = skep_cancel_check(j->run->job->cancel, err);
  }
  pthread_mutex_unlock(&j->lock);
  return status;
}

static void end_turn(skep_compact_bucket_job *j, skep_status status) {
  pthread_mutex_lock(&j->lock);
  if (status == SKEP_OK) {
    j->turn++;
  } else {
    j->failed = true;
  }
  pthread_cond_broadcast(&j->moved);
  pthread_mutex_unlock(&j->lock);
}

/* ---- merging ---- */

static skep_status add_to_file(void *self, const skep_compact_rows *rows, int64_t first, int64_t count, skep_err *err) {
  return skep_compact_output_add(self, rows, first, count, err);
}

static uint64_t new_bytes_of_file(void *self) { return skep_compact_output_new_bytes(self); }

static uint64_t no_new_bytes(void *self) {
  (void)self; /* they count when they reach the file */
  return 0;
}

static skep_status merge_into(skep_compact_bucket_job *j, const skep_compact_piece *p, skep_compact_output *out,
                              bool is_part, const skep_cancel *cancel, skep_compact_counts *counts, skep_err *err) {
  const skep_compact_sink to = {
      .add = add_to_file, .new_bytes = is_part ? no_new_bytes : new_bytes_of_file, .self = out};
  return skep_compact_merge_rows(j->run, p->parts, p->n_parts, &to, cancel, counts, err);
}

/* Behind others: into memory first. */
static skep_status merge_apart(skep_compact_bucket_job *j, uint32_t piece, const skep_cancel *cancel,
                               skep_compact_counts *counts, skep_err *err) {
  skep_fs *fs = NULL;
  skep_compact_output *part = NULL;
  SKEP_TRY(skep_fs_memory_new(j->run->ctx, &fs, err));
  skep_status status = skep_compact_output_create(j->run, fs, "part", SKEP_COMPACT_INSERTS, &part, err);
  if (status == SKEP_OK) status = merge_into(j, &j->pieces[piece], part, true, cancel, counts, err);
  if (status == SKEP_OK) status = wait_for_turn(j, piece, cancel, err);
  if (status == SKEP_OK) status = skep_compact_output_join(j->out, part, fs, err);
  if (status == SKEP_OK)
    status = skep_compact_pace_add(&j->run->pace, 0, 0, skep_compact_output_new_bytes(j->out), cancel, err);
  skep_compact_output_free(part);
  skep_fs_free(fs);
  return status;
}

/* ---- taking over ---- */

typedef struct open_file {
  const char *path;
  skep_file *file;
  skep_orc_tail *tail;
} open_file;

static void close_file(open_file *f) {
  skep_orc_tail_unref(f->tail);
  skep_file_close(f->file, NULL); /* it was only read from */
  *f = (open_file){.path = NULL};
}

static skep_status open_source(skep_compact_bucket_job *j, const skep_compact_stripe *s, open_file *f, skep_err *err) {
  if (f->path != NULL && strcmp(f->path, s->path) == 0) return SKEP_OK;
  close_file(f);
  SKEP_TRY(skep_scan_cache_tail(j->run->cache, s->path, s->logical_bytes, &f->tail, err));
  SKEP_TRY(skep_fs_open_read(j->run->job->fs, s->path, &f->file, err));
  f->path = s->path;
  return SKEP_OK;
}

static skep_status copy_stripes(skep_compact_bucket_job *j, uint32_t piece, const skep_cancel *cancel,
                                skep_compact_counts *counts, skep_err *err) {
  const skep_compact_piece *p = &j->pieces[piece];
  open_file f = {.path = NULL};
  skep_status status = wait_for_turn(j, piece, cancel, err);
  for (uint32_t i = 0; i < p->n_stripes && status == SKEP_OK; i++) {
    const skep_compact_stripe *s = &p->stripes[i];
    status = open_source(j, s, &f, err);
    if (status != SKEP_OK) break;
    uint64_t n_rows = f.tail->stripes[s->stripe].n_rows;
    status = skep_compact_output_copy(j->out, f.file, f.tail, s->stripe, &s->first, &s->last, err);
    counts->bytes_copied += s->bytes;
    counts->rows_read += n_rows;
    if (status == SKEP_OK)
      status =
          skep_compact_pace_add(&j->run->pace, n_rows, s->bytes, skep_compact_output_new_bytes(j->out), cancel, err);
  }
  close_file(&f);
  return status;
}

/* ---- one piece ---- */

static skep_status do_piece(skep_compact_bucket_job *j, uint32_t piece, const skep_cancel *cancel,
                            skep_compact_counts *counts, skep_err *err) {
  if (piece == 0)
    SKEP_TRY(skep_compact_output_create(j->run, j->run->job->fs, j->path, SKEP_COMPACT_INSERTS, &j->out, err));
  if (j->n == 0) return SKEP_OK; /* no file had anything: one without rows is made */
  if (j->pieces[piece].n_stripes != 0) return copy_stripes(j, piece, cancel, counts, err);
  if (!is_my_turn(j, piece)) return merge_apart(j, piece, cancel, counts, err);
  return merge_into(j, &j->pieces[piece], j->out, false, cancel, counts, err);
}

skep_status skep_compact_bucket_job_run(skep_compact_bucket_job *j, uint32_t piece, const skep_cancel *cancel,
                                        skep_compact_counts *counts, skep_err *err) {
  skep_status status = do_piece(j, piece, cancel, counts, err);
  if (status == SKEP_OK && piece + 1 == skep_compact_bucket_job_pieces(j)) {
    status = skep_compact_output_finish(j->out, counts, err);
    skep_compact_output_free(j->out);
    j->out = NULL;
  }
  end_turn(j, status);
  return status;
}
