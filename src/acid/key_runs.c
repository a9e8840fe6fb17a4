/* Sorted runs of keys in files, and their merge: see key_runs.h. */
#include "acid/key_runs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "acid/dir_write.h"
#include "acid/row_key_sort.h"

enum {
  KEY_BYTES = 20,
  AT_ONCE = SKEP_KEY_RUNS_AT_ONCE, /* keys in one read or write of a run */
  MIN_SPILL = 1024,                /* a writer with fewer keys is not spilled: many partitions, a file each */
  MAX_RUNS = 128                   /* more are merged into one: 80 KiB each are read at a time */
};

struct skep_key_run {
  uint64_t number; /* its file; of the run in memory not used */
  uint64_t n_keys, n_read;
  skep_file *file;          /* while merging; NULL: the keys are in memory, `keys` is borrowed */
  const skep_row_key *keys; /* what was read last */
  skep_row_key *room;
  size_t at, n; /* of keys */
};

/* ---- what is held ---- */

/* Sorting takes as much again. */
static uint64_t bytes_of(size_t n_keys) { return (uint64_t)n_keys * sizeof(skep_row_key) * 2; }

static void hold(skep_key_runs *r, uint64_t bytes) {
  skep_write_budget *b = r->budget;
  if (b == NULL) return;
  bool was = r->held_bytes != 0;
  b->key_bytes = b->key_bytes - r->held_bytes + bytes;
  r->held_bytes = bytes;
  if (was == (bytes != 0)) return;
  if (bytes != 0) {
    r->next = b->first;
    r->back = NULL;
    if (r->next != NULL) r->next->back = r;
    b->first = r;
    return;
  }
  if (r->next != NULL) r->next->back = r->back;
  if (r->back != NULL) r->back->next = r->next;
  if (b->first == r) b->first = r->next;
  r->next = r->back = NULL;
}

void skep_key_runs_init(skep_key_runs *r, const skep_ctx *ctx, skep_write_budget *budget) {
  *r = (skep_key_runs){.ctx = ctx, .budget = budget};
  if (budget == NULL || budget->has_deletes) return;
  budget->has_deletes = true; /* from now on half of it is for keys */
  budget->stripes.max_bytes = budget->max_bytes / 2;
}

static void forget_keys(skep_key_runs *r) {
  skep_release(r->ctx, r->keys);
  r->keys = NULL;
  r->n_keys = r->capacity = r->at = 0;
  hold(r, 0);
}

/* ---- files ---- */

static const char *path_of(const skep_key_runs *r, uint64_t number, skep_buf *out) {
  char name[40];
  snprintf(name, sizeof name, "deletes-%" PRIu64, number);
  skep_buf_init(out, r->ctx, SIZE_MAX / 4);
  skep_dir_join(out, r->budget->spill_dir, name);
  return skep_buf_string(out);
}

static void remove_file(const skep_key_runs *r, uint64_t number) {
  skep_buf path;
  const char *text = path_of(r, number, &path);
  skep_err why = {0};
  if (path.size != 0 && skep_fs_remove_file(r->budget->fs, text, &why) != SKEP_OK)
    skep_log(r->ctx, SKEP_LOG_WARN, "what a statement spilled stays behind: %s", why.text);
  skep_buf_fini(&path);
}

/* A number is passed over when something that could not be removed has its name. */
static skep_status create_file(const skep_key_runs *r, uint64_t *number, skep_file **out, skep_err *err) {
  skep_write_budget *b = r->budget;
  if (!b->is_made) SKEP_TRY(skep_fs_mkdirs(b->fs, b->spill_dir, err));
  b->is_made = true;
  skep_status status = SKEP_ERR_EXISTS;
  for (int tries = 0; status == SKEP_ERR_EXISTS && tries < 100; tries++) {
    skep_buf path;
    *number = b->n_spilled++;
    const char *text = path_of(r, *number, &path);
    status = skep_buf_check(&path, "path", err);
    if (status == SKEP_OK) status = skep_fs_create(b->fs, text, out, err);
    skep_buf_fini(&path);
  }
  return status;
}

static skep_status append_keys(skep_file *file, const skep_row_key *keys, size_t n, uint8_t *room, skep_err *err) {
  for (size_t done = 0, part; done < n; done += part) {
    part = n - done < AT_ONCE ? n - done : AT_ONCE;
    uint8_t *out = room;
    for (size_t i = done; i < done + part; i++, out += KEY_BYTES) {
      memcpy(out, &keys[i].write_id, 8);
      memcpy(out + 8, &keys[i].row_id, 8);
      memcpy(out + 16, &keys[i].bucket, 4);
    }
    SKEP_TRY(skep_file_append(file, room, part * KEY_BYTES, err));
  }
  return SKEP_OK;
}

static skep_status read_more(skep_key_runs *r, skep_key_run *run, skep_err *err) {
  run->at = run->n = 0;
  uint64_t left = run->n_keys - run->n_read;
  if (left == 0 || run->file == NULL) return SKEP_OK;
  size_t n = left < AT_ONCE ? (size_t)left : AT_ONCE;
  uint8_t *bytes = (uint8_t *)r->merged + (size_t)AT_ONCE * sizeof *r->merged; /* see start_merge */
  SKEP_TRY(skep_file_read_at(run->file, run->n_read * KEY_BYTES, bytes, n * KEY_BYTES, err));
  for (size_t i = 0; i < n; i++, bytes += KEY_BYTES) {
    memcpy(&run->room[i].write_id, bytes, 8);
    memcpy(&run->room[i].row_id, bytes + 8, 8);
    memcpy(&run->room[i].bucket, bytes + 16, 4);
  }
  run->keys = run->room;
  run->n = n;
  run->n_read += n;
  return SKEP_OK;
}

/* ---- merging ---- */

static const skep_row_key *head(const skep_key_runs *r, size_t heap_at) {
  const skep_key_run *run = &r->runs[r->heap[heap_at]];
  return &run->keys[run->at];
}

static void sift_down(skep_key_runs *r, size_t at) {
  for (;;) {
    size_t least = at, left = 2 * at + 1;
    if (left < r->n_heap && skep_row_key_less(head(r, left), head(r, least))) least = left;
    if (left + 1 < r->n_heap && skep_row_key_less(head(r, left + 1), head(r, least))) least = left + 1;
    if (least == at) return;
    size_t swap = r->heap[at];
    r->heap[at] = r->heap[least];
    r->heap[least] = swap;
    at = least;
  }
}

static skep_status open_run(skep_key_runs *r, skep_key_run *run, skep_err *err) {
  skep_buf path;
  run->n_read = 0;
  run->room = skep_alloc(r->ctx, AT_ONCE * sizeof *run->room);
  if (run->room == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "merging deleted rows");
  const char *text = path_of(r, run->number, &path);
  skep_status status = skep_buf_check(&path, "path", err);
  if (status == SKEP_OK) status = skep_fs_open_read(r->budget->fs, text, &run->file, err);
  skep_buf_fini(&path);
  return status == SKEP_OK ? read_more(r, run, err) : status;
}

static void close_run(skep_key_runs *r, skep_key_run *run) {
  (void)skep_file_close(run->file, NULL);
  skep_release(r->ctx, run->room);
  run->file = NULL;
  run->room = NULL;
}

/* The spilled runs, and what is in memory (sorted) as one more. */
static skep_status start_merge(skep_key_runs *r, bool with_memory, skep_err *err) {
  size_t n = r->n_runs + (with_memory && r->n_keys != 0 ? 1 : 0);
  SKEP_TRY(skep_grow(r->ctx, (void **)&r->runs, &r->runs_capacity, n, sizeof *r->runs, err));
  r->merged = skep_alloc(r->ctx, (size_t)AT_ONCE * (sizeof *r->merged + KEY_BYTES));
  r->heap = skep_alloc(r->ctx, n * sizeof *r->heap);
  if (r->merged == NULL || r->heap == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "merging deleted rows");
  for (size_t i = 0; i < r->n_runs; i++) SKEP_TRY(open_run(r, &r->runs[i], err));
  if (n > r->n_runs) r->runs[r->n_runs] = (skep_key_run){.n_keys = r->n_keys, .keys = r->keys, .n = r->n_keys};
  for (r->n_heap = 0; r->n_heap < n; r->n_heap++) r->heap[r->n_heap] = r->n_heap;
  for (size_t i = n / 2; i-- > 0;) sift_down(r, i);
  return SKEP_OK;
}

static void end_merge(skep_key_runs *r) {
  for (size_t i = 0; i < r->n_runs; i++) close_run(r, &r->runs[i]);
  skep_release(r->ctx, r->merged);
  skep_release(r->ctx, r->heap);
  r->merged = NULL;
  r->heap = NULL;
  r->n_heap = 0;
}

static skep_status merge_some(skep_key_runs *r, size_t *n, skep_err *err) {
  for (*n = 0; *n < AT_ONCE && r->n_heap != 0; ++*n) {
    skep_key_run *run = &r->runs[r->heap[0]];
    r->merged[*n] = run->keys[run->at++];
    if (run->at == run->n) SKEP_TRY(read_more(r, run, err));
    if (run->n == 0) r->heap[0] = r->heap[--r->n_heap];
    sift_down(r, 0);
  }
  return SKEP_OK;
}

static skep_status write_merged(skep_key_runs *r, skep_file *file, skep_key_run *out, skep_err *err) {
  uint8_t *room = skep_alloc(r->ctx, (size_t)AT_ONCE * KEY_BYTES);
  if (room == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "merging deleted rows");
  size_t n = 1;
  skep_status status = SKEP_OK;
  while (status == SKEP_OK && n != 0) {
    status = merge_some(r, &n, err);
    if (status == SKEP_OK) status = append_keys(file, r->merged, n, room, err);
    out->n_keys += n;
  }
  skep_release(r->ctx, room);
  return status;
}

/* All spilled runs into one. */
static skep_status merge_runs(skep_key_runs *r, skep_err *err) {
  skep_key_run out = {0};
  skep_file *file = NULL;
  skep_status status = create_file(r, &out.number, &file, err);
  if (status != SKEP_OK) return status;
  status = start_merge(r, false, err);
  if (status == SKEP_OK) status = write_merged(r, file, &out, err);
  end_merge(r);
  skep_status closed = skep_file_close(file, status == SKEP_OK ? err : NULL);
  if (status == SKEP_OK) status = closed;
  if (status != SKEP_OK) {
    remove_file(r, out.number);
    return status;
  }
  for (size_t i = 0; i < r->n_runs; i++) remove_file(r, r->runs[i].number);
  r->runs[0] = out;
  r->n_runs = 1;
  return SKEP_OK;
}

/* ---- spilling ---- */

static skep_status write_run(skep_key_runs *r, skep_file *file, skep_err *err) {
  uint8_t *room = skep_alloc(r->ctx, (size_t)AT_ONCE * KEY_BYTES);
  if (room == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "spilling deleted rows");
  skep_status status = append_keys(file, r->keys, r->n_keys, room, err);
  skep_release(r->ctx, room);
  return status;
}

static skep_status spill(skep_key_runs *r, skep_err *err) {
  skep_file *file = NULL;
  SKEP_TRY(skep_row_keys_sort(r->ctx, r->keys, r->n_keys, err));
  if (r->n_runs >= MAX_RUNS) SKEP_TRY(merge_runs(r, err));
  SKEP_TRY(skep_grow(r->ctx, (void **)&r->runs, &r->runs_capacity, r->n_runs + 1, sizeof *r->runs, err));
  skep_key_run run = {.n_keys = r->n_keys};
  skep_status status = create_file(r, &run.number, &file, err);
  if (status != SKEP_OK) return skep_wrap(err, status, "spilling %zu deleted rows", r->n_keys);
  status = write_run(r, file, err);
  skep_status closed = skep_file_close(file, status == SKEP_OK ? err : NULL);
  if (status == SKEP_OK) status = closed;
  if (status != SKEP_OK) {
    remove_file(r, run.number);
    return skep_wrap(err, status, "spilling %zu deleted rows", r->n_keys);
  }
  r->runs[r->n_runs++] = run;
  forget_keys(r);
  return SKEP_OK;
}

/* The one with the most keys, or NULL when none is worth a file. */
static skep_key_runs *largest(const skep_write_budget *b) {
  skep_key_runs *most = NULL;
  for (skep_key_runs *r = b->first; r != NULL; r = r->next)
    if (r->n_keys >= MIN_SPILL && (most == NULL || r->n_keys > most->n_keys)) most = r;
  return most;
}

skep_status skep_key_runs_room(skep_key_runs *r, size_t n, skep_row_key **out, skep_err *err) {
  skep_write_budget *b = r->budget;
  while (n > r->capacity - r->n_keys) {
    size_t wanted = r->capacity * 2 > r->n_keys + n ? r->capacity * 2 : r->n_keys + n;
    if (b != NULL && b->spill_dir != NULL && b->key_bytes - r->held_bytes + bytes_of(wanted) > b->max_bytes / 2) {
      if (wanted != r->n_keys + n && b->key_bytes - r->held_bytes + bytes_of(r->n_keys + n) <= b->max_bytes / 2) {
        wanted = r->n_keys + n; /* less than doubled fits */
      } else {
        skep_key_runs *most = largest(b);
        if (most != NULL) {
          SKEP_TRY(spill(most, err));
          continue;
        }
      }
    }
    skep_row_key *grown = skep_resize(r->ctx, r->keys, wanted * sizeof *grown);
    if (grown == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "%zu deleted rows", wanted);
    r->keys = grown;
    r->capacity = wanted;
    hold(r, bytes_of(wanted));
  }
  *out = r->keys + r->n_keys;
  return SKEP_OK;
}

void skep_key_runs_grow(skep_key_runs *r, size_t n) { r->n_keys += n; }

/* ---- reading ---- */

skep_status skep_key_runs_start(skep_key_runs *r, skep_err *err) {
  SKEP_TRY(skep_row_keys_sort(r->ctx, r->keys, r->n_keys, err));
  return r->n_runs == 0 ? SKEP_OK : start_merge(r, true, err);
}

skep_status skep_key_runs_next(skep_key_runs *r, const skep_row_key **keys, size_t *n, skep_err *err) {
  *keys = r->merged;
  if (r->n_runs != 0) return merge_some(r, n, err);
  *n = r->n_keys - r->at < AT_ONCE ? r->n_keys - r->at : AT_ONCE;
  *keys = r->keys + r->at;
  r->at += *n;
  return SKEP_OK;
}

void skep_key_runs_fini(skep_key_runs *r) {
  if (r->ctx == NULL) return;
  end_merge(r);
  for (size_t i = 0; i < r->n_runs; i++) remove_file(r, r->runs[i].number);
  skep_release(r->ctx, r->runs);
  forget_keys(r);
  *r = (skep_key_runs){0};
}
