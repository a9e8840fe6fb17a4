/* The ordered parallel scan. All state is guarded by one mutex; decoding and transforming happen outside of it.
 *
 * A run is a split in work, a unit one batch on its way: FREE -> DECODING -> DECODED -> TRANSFORMING -> READY ->
 * (handed out) -> FREE. Runs stand in a ring of `window` places, units of a run in a list in row order. Worker threads
 * repeat step(); without threads skep_ordered_next calls step() itself until the first unit is ready, so there is one
 * code path. */
#include "api/ordered.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

enum { MAX_THREADS = 256, DEFAULT_BATCH_ROWS = 4096, TICK_MS = 100 };

/* Batches are cut to about this many bytes: rows may be anything from one byte to a gigabyte wide. The first batch of a
 * scan measures a few rows; a batch that came out much too large gives its memory back at once. */
enum { BATCH_BYTES = 1 << 20, FIRST_ROWS = 16, FIRST_ROWS_FILTERED = 256, LARGE_BYTES = 8 << 20 };

typedef enum unit_state { UNIT_FREE, UNIT_DECODING, UNIT_DECODED, UNIT_TRANSFORMING, UNIT_READY } unit_state;

typedef struct unit {
  unit_state state;
  skep_status
      status; /* READY: SKEP_OK with an item, SKEP_END, or a failure with err; anything but SKEP_OK ends the run */
  skep_err err;
  skep_batch batch;
  uint64_t bytes; /* of the batch, about */
  uint32_t split; /* whose type the batch has, when it is not zeroed; UINT32_MAX: none */
  void *item;
  struct unit *next; /* of the same run, in row order */
} unit;

typedef struct run {
  skep_scan *scan; /* NULL: not opened yet, or failed to */
  bool busy;       /* a thread decodes */
  bool ended;      /* no more batches will come: the last unit says why */
  uint64_t rows_read;
  unit *first, *last;
  skep_scan_keeper keeper; /* of all runs that have this place in the ring, one after the other */
} run;

struct skep_ordered {
  const skep_ctx *ctx;
  skep_scan_cache *cache;
  const skep_split *splits;
  uint32_t n_splits;
  skep_ordered_opts opts;
  pthread_mutex_t lock;
  pthread_cond_t work;  /* something to do, or to stop */
  pthread_cond_t ready; /* the head moved on */
  uint32_t n_threads;   /* threads that really run */
  pthread_t *threads;
  bool stop;
  uint32_t head, next_split; /* runs of splits [head, next_split) are in the ring */
  uint32_t window;
  run *runs;
  uint32_t n_units, units_used;
  unit *units;
  uint8_t *items;
  unit *lent;         /* handed out by the last call */
  skep_status sticky; /* SKEP_OK while there may be more */
  skep_err sticky_err;
  uint64_t rows_done; /* of finished splits */
  uint64_t row_bytes; /* bytes a row takes, about: rises at once, sinks slowly; 0: nothing measured yet */
};

static run *run_of(skep_ordered *o, uint32_t split) { return &o->runs[split % o->window]; }

/* Read-ahead may use half of the units; the first unfinished split all of them. */
static bool may_take_unit(const skep_ordered *o, uint32_t split) {
  uint32_t limit = split == o->head ? o->n_units : o->n_units / 2;
  return o->units_used < limit;
}

/* A free unit, if possible one whose buffers have the run's type already. */
static unit *unit_take(skep_ordered *o, uint32_t split, run *r) {
  unit *u = NULL;
  for (uint32_t i = 0; i < o->n_units; i++) {
    if (o->units[i].state != UNIT_FREE) continue;
    u = &o->units[i];
    if (u->split == split) break;
  }
  if (u == NULL) return NULL;
  u->state = UNIT_DECODING;
  u->next = NULL;
  if (r->last != NULL) {
    r->last->next = u;
  } else {
    r->first = u;
  }
  r->last = u;
  o->units_used++;
  return u;
}

/* Bytes that a vector's content takes, dictionaries aside: those are shared. */
static uint64_t vec_bytes(const skep_vec *v) {
  uint64_t n = v->length > 0 ? (uint64_t)v->length : 0;
  uint64_t bytes = n * skep_form_width(v->form) + v->heap_size;
  if (v->offsets.data != NULL) bytes += n * sizeof(int32_t);
  for (uint32_t i = 0; i < v->n_children; i++) bytes += vec_bytes(&v->children[i]);
  return bytes;
}

/* Under a predicate the first batch may pass over many rows before it has one: then more are looked at in one go. */
static int64_t rows_to_ask(const skep_ordered *o, uint32_t split) {
  uint64_t rows = o->splits[split].predicate != NULL ? FIRST_ROWS_FILTERED : FIRST_ROWS;
  if (o->row_bytes != 0) rows = BATCH_BYTES / o->row_bytes;
  if (rows == 0) rows = 1;
  return rows < (uint64_t)o->opts.batch_rows ? (int64_t)rows : o->opts.batch_rows;
}

static void measure(skep_ordered *o, unit *u) {
  u->bytes = vec_bytes(&u->batch.root);
  uint64_t rows = u->batch.root.length > 0 ? (uint64_t)u->batch.root.length : 1;
  uint64_t row_bytes = u->bytes / rows + 1;
  uint64_t sunk = o->row_bytes - o->row_bytes / 4;
  o->row_bytes = row_bytes > sunk ? row_bytes : sunk;
}

/* Opens the scan when needed and fills the unit's batch. Called without the lock. */
static skep_status decode(skep_ordered *o, uint32_t split, run *r, unit *u, int64_t max_rows, skep_err *err) {
  if (r->scan == NULL)
    SKEP_TRY(skep_scan_open_kept(o->cache, &o->splits[split], &o->opts.forms, &r->keeper, &r->scan, err));
  if (u->batch.root.ctx == NULL) {
    SKEP_TRY(skep_vec_init(&u->batch.root, o->ctx, skep_scan_type(r->scan), &o->opts.forms, err));
  }
  return skep_scan_next(r->scan, max_rows, &u->batch, err);
}

static void step_decode(skep_ordered *o, uint32_t split, run *r, unit *u) {
  r->busy = true;
  if (u->split != split) skep_vec_fini(&u->batch.root); /* under the lock: finish_head looks at the same fields */
  u->split = split;
  int64_t max_rows = rows_to_ask(o, split);
  pthread_mutex_unlock(&o->lock);
  skep_status status = decode(o, split, r, u, max_rows, &u->err);
  uint64_t rows_read = r->scan != NULL ? skep_scan_rows_read(r->scan) : 0;
  pthread_mutex_lock(&o->lock);
  r->busy = false;
  r->rows_read = rows_read;
  u->status = status;
  u->state = status == SKEP_OK ? UNIT_DECODED : UNIT_READY;
  r->ended = status != SKEP_OK;
  if (status == SKEP_OK) measure(o, u);
  if (r->ended && split == o->head) pthread_cond_signal(&o->ready);
  pthread_cond_broadcast(&o->work);
}

static void step_transform(skep_ordered *o, uint32_t split, unit *u) {
  u->state = UNIT_TRANSFORMING;
  pthread_mutex_unlock(&o->lock);
  skep_status status = o->opts.transform(o->opts.self, &u->batch, u->item, &u->err);
  if (u->bytes > LARGE_BYTES) skep_vec_fini(&u->batch.root);
  pthread_mutex_lock(&o->lock);
  u->status = status;
  u->state = UNIT_READY;
  if (split == o->head) pthread_cond_signal(&o->ready);
}

/* Does one piece of work, with the lock held at entry and exit; false when there is none at the moment. Oldest first:
 * what is decoded is transformed before more is read, and a new split is begun only when the ones in work are all
 * taken. */
static bool step(skep_ordered *o) {
  for (uint32_t s = o->head; s < o->next_split; s++) {
    run *r = run_of(o, s);
    for (unit *u = r->first; u != NULL; u = u->next) {
      if (u->state != UNIT_DECODED) continue;
      step_transform(o, s, u);
      return true;
    }
  }
  for (uint32_t s = o->head;; s++) {
    if (s == o->next_split) {
      if (s == o->n_splits || s - o->head == o->window) return false;
      o->next_split++;
    }
    run *r = run_of(o, s);
    if (r->busy || r->ended || !may_take_unit(o, s)) continue;
    unit *u = unit_take(o, s, r);
    if (u == NULL) return false;
    step_decode(o, s, r, u);
    return true;
  }
}

static void *worker(void *self) {
  skep_ordered *o = self;
  pthread_mutex_lock(&o->lock);
  while (!o->stop) {
    if (!step(o)) pthread_cond_wait(&o->work, &o->lock);
  }
  pthread_mutex_unlock(&o->lock);
  return NULL;
}

/* Ends the head's run: its batches lose their type with the scan, so those that lie free are emptied first. */
static void finish_head(skep_ordered *o) {
  run *r = run_of(o, o->head);
  for (uint32_t i = 0; i < o->n_units; i++) {
    unit *u = &o->units[i];
    if (u->split != o->head) continue;
    skep_vec_fini(&u->batch.root);
    u->split = UINT32_MAX;
  }
  skep_scan_close(r->scan);
  o->rows_done += r->rows_read;
  uint64_t next = (uint64_t)o->head + o->window; /* takes this place in the ring */
  if (next >= o->n_splits || o->splits[next].deletes != r->keeper.files) skep_scan_keeper_release(o->cache, &r->keeper);
  *r = (run){.keeper = r->keeper};
  o->head++;
  pthread_cond_broadcast(&o->work);
}

static void give_back(skep_ordered *o) {
  if (o->lent == NULL) return;
  o->lent->state = UNIT_FREE;
  o->lent = NULL;
  o->units_used--;
  pthread_cond_broadcast(&o->work);
}

/* Waits until `ready` is signalled or a tick has passed; false when the caller asked to stop. Does the work itself when
 * there are no threads. */
static bool wait_or_work(skep_ordered *o) {
  if (o->n_threads == 0) {
    (void)step(o); /* cannot be idle: the head has no unit, or one that waits for its next step */
  } else {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += TICK_MS * 1000000L;
    if (until.tv_nsec >= 1000000000L) {
      until.tv_nsec -= 1000000000L;
      until.tv_sec++;
    }
    if (pthread_cond_timedwait(&o->ready, &o->lock, &until) != ETIMEDOUT) return true;
  }
  if (o->opts.tick == NULL) return true;
  pthread_mutex_unlock(&o->lock);
  bool go_on = o->opts.tick(o->opts.self, o);
  pthread_mutex_lock(&o->lock);
  return go_on;
}

static skep_status next_locked(skep_ordered *o, void **item, skep_err *err) {
  give_back(o);
  while (o->head < o->n_splits) {
    run *r = run_of(o, o->head);
    unit *u = r->first;
    if (u == NULL || u->state != UNIT_READY) {
      if (!wait_or_work(o)) return skep_fail(err, SKEP_ERR_CANCELLED, "stopped");
      continue;
    }
    if (u->status != SKEP_OK && u->status != SKEP_END) return skep_fail(err, u->status, "%s", u->err.text);
    r->first = u->next;
    if (r->first == NULL) r->last = NULL;
    o->lent = u;
    if (u->status == SKEP_OK) {
      *item = u->item;
      return SKEP_OK;
    }
    give_back(o);
    finish_head(o);
  }
  return SKEP_END;
}

skep_status skep_ordered_next(skep_ordered *o, void **item, skep_err *err) {
  *item = NULL;
  if (o->sticky == SKEP_END) return SKEP_END;
  if (o->sticky != SKEP_OK) return skep_fail(err, o->sticky, "%s", o->sticky_err.text);
  pthread_mutex_lock(&o->lock);
  skep_status status = next_locked(o, item, &o->sticky_err);
  if (status != SKEP_OK) {
    o->sticky = status;
    o->stop = true; /* threads finish the step they are in, and end */
    pthread_cond_broadcast(&o->work);
  }
  pthread_mutex_unlock(&o->lock);
  return status == SKEP_OK || status == SKEP_END ? status : skep_fail(err, status, "%s", o->sticky_err.text);
}

skep_ordered_progress skep_ordered_progress_of(const skep_ordered *ordered) {
  skep_ordered *o = (skep_ordered *)(uintptr_t)ordered; /* the lock is the only thing that changes */
  pthread_mutex_lock(&o->lock);
  skep_ordered_progress p = {.splits_done = o->head, .rows_read = o->rows_done};
  for (uint32_t s = o->head; s < o->next_split; s++) p.rows_read += run_of(o, s)->rows_read;
  pthread_mutex_unlock(&o->lock);
  return p;
}

static void free_all(skep_ordered *o) {
  const skep_ctx *ctx = o->ctx;
  for (uint32_t i = 0; o->units != NULL && i < o->n_units; i++) {
    skep_vec_fini(&o->units[i].batch.root);
    if (o->units[i].item != NULL && o->opts.item_fini != NULL) o->opts.item_fini(o->opts.self, o->units[i].item);
  }
  for (uint32_t i = 0; o->runs != NULL && i < o->window; i++) {
    skep_scan_close(o->runs[i].scan);
    skep_scan_keeper_release(o->cache, &o->runs[i].keeper);
  }
  skep_release(ctx, o->items);
  skep_release(ctx, o->units);
  skep_release(ctx, o->runs);
  skep_release(ctx, o->threads);
  pthread_cond_destroy(&o->work);
  pthread_cond_destroy(&o->ready);
  pthread_mutex_destroy(&o->lock);
  skep_release(ctx, o);
}

void skep_ordered_close(skep_ordered *o) {
  if (o == NULL) return;
  pthread_mutex_lock(&o->lock);
  o->stop = true;
  pthread_cond_broadcast(&o->work);
  pthread_mutex_unlock(&o->lock);
  for (uint32_t i = 0; i < o->n_threads; i++) pthread_join(o->threads[i], NULL);
  free_all(o);
}

static bool locks_init(skep_ordered *o) {
  pthread_condattr_t attr;
  if (pthread_condattr_init(&attr) != 0) return false;
  pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
  bool ok = pthread_mutex_init(&o->lock, NULL) == 0 && pthread_cond_init(&o->work, NULL) == 0 &&
            pthread_cond_init(&o->ready, &attr) == 0;
  pthread_condattr_destroy(&attr);
  return ok;
}

static bool tables_init(skep_ordered *o, uint32_t n_threads) {
  size_t item_size = (o->opts.item_size + 15) / 16 * 16;
  o->n_units = n_threads == 0 ? 2 : 4 * n_threads + 4; /* 2: half of it is for the head, too */
  o->window = n_threads == 0 ? 1 : 2 * n_threads + 2;
  o->units = skep_alloc_zero(o->ctx, o->n_units, sizeof *o->units);
  o->runs = skep_alloc_zero(o->ctx, o->window, sizeof *o->runs);
  o->items = skep_alloc_zero(o->ctx, o->n_units, item_size);
  o->threads = skep_alloc_zero(o->ctx, n_threads + 1, sizeof *o->threads);
  if (o->units == NULL || o->runs == NULL || o->items == NULL || o->threads == NULL) return false;
  for (uint32_t i = 0; i < o->n_units; i++) {
    o->units[i].split = UINT32_MAX;
    o->units[i].item = o->items + i * item_size;
  }
  return true;
}

/* Signals are the caller's business: the threads block them all, so that they reach the threads that expect them. Fewer
 * threads than asked for is no failure: whatever could be started does the work, the caller's one if none. */
static void start_threads(skep_ordered *o, uint32_t n_threads) {
  sigset_t all, before;
  sigfillset(&all);
  if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return;
  while (o->n_threads < n_threads && pthread_create(&o->threads[o->n_threads], NULL, worker, o) == 0) o->n_threads++;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

skep_status skep_ordered_open(const skep_ctx *ctx, skep_scan_cache *cache, const skep_split *splits, uint32_t n_splits,
                              const skep_ordered_opts *opts, skep_ordered **out, skep_err *err) {
  *out = NULL;
  uint32_t n_threads = opts->n_threads <= 1 ? 0 : opts->n_threads < MAX_THREADS ? opts->n_threads : MAX_THREADS;
  skep_ordered *o = skep_alloc_zero(ctx, 1, sizeof *o);
  if (o == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "out of memory starting a scan");
  o->ctx = ctx;
  o->cache = cache;
  o->splits = splits;
  o->n_splits = n_splits;
  o->opts = *opts;
  if (o->opts.batch_rows <= 0) o->opts.batch_rows = DEFAULT_BATCH_ROWS;
  if (!locks_init(o)) {
    skep_release(ctx, o);
    return skep_fail(err, SKEP_ERR_NOMEM, "no locks for a scan");
  }
  if (!tables_init(o, n_threads)) {
    free_all(o);
    return skep_fail(err, SKEP_ERR_NOMEM, "out of memory starting a scan with %u threads", n_threads);
  }
  start_threads(o, n_splits > 0 ? n_threads : 0);
  *out = o;
  return SKEP_OK;
}
