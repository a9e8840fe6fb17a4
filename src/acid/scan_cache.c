/* What scans of one table share: open files with their tails, and delete sets, each loaded once.
 *
 * Invariants:
 * 1. An item is in the chains while it is loading or ready; a failed one is taken out at once, so that the next who
 * asks tries again, and lives on until the last of those who waited has read its error.
 * 2. Items with references are never evicted; idle ones go oldest first when there is too much of their kind. The
 * youngest idle delete set always stays, since a single thread closes one split before it opens the next.
 * 3. The mutex is never held while a file is touched. */
#include <pthread.h>
#include <stdio.h>

#include "acid/foreign.h"
#include "acid/scan_int.h"
#include "base/hash.h"

enum {
  N_CHAINS = 4096,
  MAX_IDLE_FILES = 16,                  /* open files without a user */
  MAX_IDLE_TAIL_BYTES = 64 << 20,       /* tails without a user */
  MAX_DELETE_SET_NAMES_BYTES = 64 << 20 /* the names that identify a delete set */
};

typedef enum item_kind { ITEM_FILE, ITEM_DELETES } item_kind;
typedef enum item_state { ITEM_LOADING, ITEM_READY, ITEM_FAILED } item_state;

struct skep_cached {
  skep_cached *chain;         /* next with the same hash */
  skep_cached *newer, *older; /* idle list */
  item_kind kind;
  item_state state;
  uint32_t references;
  uint64_t bytes; /* memory of the tail or the delete set */
  uint64_t hash;
  size_t key_size;
  skep_err err; /* ITEM_FAILED */
  skep_file *file;
  skep_orc_tail *tail;
  skep_deletes *deletes;
  uint8_t key[];
};

typedef struct idle_list {
  skep_cached *newest, *oldest;
  uint64_t bytes;
  uint32_t n_open; /* items with an open file */
} idle_list;

struct skep_scan_cache {
  const skep_ctx *ctx;
  skep_fs *fs;
  pthread_mutex_t mutex;
  pthread_cond_t loaded;
  idle_list idle[2]; /* by kind */
  skep_cached *chains[N_CHAINS];
};

skep_status skep_scan_cache_new(const skep_ctx *ctx, skep_fs *fs, skep_scan_cache **out, skep_err *err) {
  skep_scan_cache *cache = skep_alloc_zero(ctx, 1, sizeof *cache);
  *out = NULL;
  if (cache == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "scan cache");
  cache->ctx = ctx;
  cache->fs = fs;
  if (pthread_mutex_init(&cache->mutex, NULL) != 0) {
    skep_release(ctx, cache);
    return skep_fail(err, SKEP_ERR_NOMEM, "scan cache: mutex");
  }
  if (pthread_cond_init(&cache->loaded, NULL) != 0) {
    pthread_mutex_destroy(&cache->mutex);
    skep_release(ctx, cache);
    return skep_fail(err, SKEP_ERR_NOMEM, "scan cache: condition");
  }
  *out = cache;
  return SKEP_OK;
}

static void item_free(skep_scan_cache *cache, skep_cached *item) {
  (void)skep_file_close(item->file, NULL); /* it was only read from */
  skep_orc_tail_unref(item->tail);
  skep_deletes_free(item->deletes);
  skep_release(cache->ctx, item);
}

void skep_scan_cache_free(skep_scan_cache *cache) {
  if (cache == NULL) return;
  for (size_t i = 0; i < N_CHAINS; i++) {
    for (skep_cached *item = cache->chains[i], *next; item != NULL; item = next) {
      next = item->chain;
      item_free(cache, item);
    }
  }
  pthread_cond_destroy(&cache->loaded);
  pthread_mutex_destroy(&cache->mutex);
  skep_release(cache->ctx, cache);
}

const skep_ctx *skep_cache_ctx(const skep_scan_cache *cache) { return cache->ctx; }
skep_fs *skep_cache_fs(const skep_scan_cache *cache) { return cache->fs; }
skep_file *skep_cached_file(const skep_cached *item) { return item->file; }
const skep_orc_tail *skep_cached_tail(const skep_cached *item) { return item->tail; }
const skep_deletes *skep_cached_deletes(const skep_cached *item) { return item->deletes; }

/* ---- chains and the idle lists; all with the mutex held ---- */

static skep_cached *chain_find(skep_scan_cache *cache, item_kind kind, const skep_buf *key, uint64_t hash) {
  skep_cached *item = cache->chains[hash % N_CHAINS];
  while (item != NULL && !(item->hash == hash && item->kind == kind && item->key_size == key->size &&
                           memcmp(item->key, key->data, key->size) == 0)) {
    item = item->chain;
  }
  return item;
}

static void chain_remove(skep_scan_cache *cache, skep_cached *item) {
  skep_cached **link = &cache->chains[item->hash % N_CHAINS];
  while (*link != item) link = &(*link)->chain;
  *link = item->chain;
}

/* An item has its file open while it is used, and loses it only here, the oldest first: of the idle ones those with an
 * open file are the newest. */
static void idle_add(skep_scan_cache *cache, skep_cached *item) {
  idle_list *list = &cache->idle[item->kind];
  item->newer = NULL;
  item->older = list->newest;
  if (list->newest != NULL) list->newest->newer = item;
  list->newest = item;
  if (list->oldest == NULL) list->oldest = item;
  list->bytes += item->bytes;
  if (item->file != NULL) list->n_open++;
}

static void idle_remove(skep_scan_cache *cache, skep_cached *item) {
  idle_list *list = &cache->idle[item->kind];
  *(item->newer != NULL ? &item->newer->older : &list->newest) = item->older;
  *(item->older != NULL ? &item->older->newer : &list->oldest) = item->newer;
  list->bytes -= item->bytes;
  if (item->file != NULL) list->n_open--;
}

/* Takes what is too much out of an idle list: items to free come back as a chain, a file to close in *file. */
static skep_cached *idle_evict(skep_scan_cache *cache, item_kind kind, skep_file **file) {
  idle_list *list = &cache->idle[kind];
  uint64_t max_bytes = kind == ITEM_FILE ? MAX_IDLE_TAIL_BYTES : cache->ctx->limits.max_delete_bytes / 8;
  skep_cached *gone = NULL;
  while (list->bytes > max_bytes && list->oldest != list->newest) {
    skep_cached *item = list->oldest;
    idle_remove(cache, item);
    chain_remove(cache, item);
    item->chain = gone;
    gone = item;
  }
  if (list->n_open > MAX_IDLE_FILES) { /* one comes, one goes: open ones are the newest, see idle_add */
    skep_cached *victim = list->newest;
    for (uint32_t i = 1; i < list->n_open; i++) victim = victim->older;
    *file = victim->file;
    victim->file = NULL;
    list->n_open--;
  }
  return gone;
}

/* ---- loading once ---- */

/* A ready item with a reference more, or a new one (*must_load) that the caller fills and then publishes. */
static skep_status acquire(skep_scan_cache *cache, item_kind kind, const skep_buf *key, skep_cached **out,
                           bool *must_load, skep_err *err) {
  uint64_t hash = skep_fnv_bytes(SKEP_FNV_START, key->data, key->size);
  skep_status st = SKEP_OK;
  skep_cached *spent = NULL;
  *must_load = false;
  pthread_mutex_lock(&cache->mutex);
  skep_cached *item = chain_find(cache, kind, key, hash);
  if (item == NULL) {
    item = skep_alloc_zero(cache->ctx, 1, sizeof *item + key->size);
    if (item != NULL) {
      item->kind = kind;
      item->hash = hash;
      item->key_size = key->size;
      item->references = 1;
      memcpy(item->key, key->data, key->size);
      item->chain = cache->chains[hash % N_CHAINS];
      cache->chains[hash % N_CHAINS] = item;
      *must_load = true;
    } else {
      st = skep_fail(err, SKEP_ERR_NOMEM, "scan cache: an item of %zu bytes", key->size);
    }
  } else {
    if (item->references++ == 0) idle_remove(cache, item);
    while (item->state == ITEM_LOADING) pthread_cond_wait(&cache->loaded, &cache->mutex);
    if (item->state == ITEM_FAILED) {
      st = skep_fail(err, item->err.status, "%s", item->err.text);
      if (--item->references == 0) spent = item;
    } else if (kind == ITEM_FILE && item->file == NULL) { /* the tail is here, the file was closed meanwhile */
      item->state = ITEM_LOADING;
      *must_load = true;
    }
  }
  pthread_mutex_unlock(&cache->mutex);
  if (spent != NULL) item_free(cache, spent);
  *out = st == SKEP_OK ? item : NULL;
  return st;
}

/* Ends the loading of an item: ready, or failed with the error. The caller keeps its reference only when it is ready.
 */
static skep_status publish(skep_scan_cache *cache, skep_cached *item, skep_status st, skep_err *err) {
  bool is_spent = false;
  pthread_mutex_lock(&cache->mutex);
  item->state = st == SKEP_OK ? ITEM_READY : ITEM_FAILED;
  if (st != SKEP_OK) {
    item->err = *err;
    item->err.status = st;
    chain_remove(cache, item);
    is_spent = --item->references == 0;
  }
  pthread_cond_broadcast(&cache->loaded);
  pthread_mutex_unlock(&cache->mutex);
  if (is_spent) item_free(cache, item);
  return st;
}

void skep_cache_release(skep_scan_cache *cache, skep_cached *item) {
  if (item == NULL) return;
  skep_file *file = NULL;
  skep_cached *gone = NULL;
  pthread_mutex_lock(&cache->mutex);
  if (--item->references == 0) {
    idle_add(cache, item);
    gone = idle_evict(cache, item->kind, &file);
  }
  pthread_mutex_unlock(&cache->mutex);
  (void)skep_file_close(file, NULL);
  for (skep_cached *next; gone != NULL; gone = next) {
    next = gone->chain;
    item_free(cache, gone);
  }
}

/* ---- files ---- */

static skep_status load_file(skep_scan_cache *cache, skep_cached *item, const char *path, uint64_t logical_bytes,
                             skep_err *err) {
  SKEP_TRY(skep_fs_open_read(cache->fs, path, &item->file, err));
  if (item->tail != NULL) return SKEP_OK;
  skep_status status = skep_orc_tail_read(cache->ctx, item->file, logical_bytes, &item->tail, err);
  if (status != SKEP_OK) return skep_foreign_explain(item->file, status, err);
  item->bytes = sizeof *item + item->key_size + sizeof *item->tail + item->tail->arena.used_bytes;
  return SKEP_OK;
}

skep_status skep_cache_open(skep_scan_cache *cache, const char *path, uint64_t logical_bytes, skep_cached **out,
                            skep_err *err) {
  skep_err local; /* waiters need the text even when this caller does not */
  if (err == NULL) err = &local;
  skep_buf key;
  skep_buf_init(&key, cache->ctx, 1 << 20);
  skep_buf_add(&key, &logical_bytes, sizeof logical_bytes);
  skep_buf_text(&key, path);
  bool must_load;
  *out = NULL;
  skep_status st = skep_buf_check(&key, "the name of a file", err);
  if (st == SKEP_OK) st = acquire(cache, ITEM_FILE, &key, out, &must_load, err);
  skep_buf_fini(&key);
  if (st != SKEP_OK || !must_load) return st;
  st = publish(cache, *out, load_file(cache, *out, path, logical_bytes, err), err);
  if (st != SKEP_OK) *out = NULL;
  return st;
}

skep_status skep_scan_cache_tail(skep_scan_cache *cache, const char *path, uint64_t logical_bytes, skep_orc_tail **out,
                                 skep_err *err) {
  skep_cached *item;
  *out = NULL;
  SKEP_TRY(skep_cache_open(cache, path, logical_bytes, &item, err));
  *out = skep_orc_tail_ref(item->tail);
  skep_cache_release(cache, item);
  return SKEP_OK;
}

char *skep_split_path(skep_arena *arena, const char *root, const char *path) {
  size_t n_root = strlen(root), n_path = strlen(path);
  bool slash = n_root != 0 && root[n_root - 1] != '/' && n_path != 0;
  char *full = skep_arena_alloc(arena, n_root + n_path + 2);
  if (full == NULL) return NULL;
  memcpy(full, root, n_root);
  if (slash) full[n_root++] = '/';
  memcpy(full + n_root, path, n_path + 1);
  return full;
}

/* ---- delete sets ---- */

/* All that decides which events are in the set. The number split->delete_set is only unique within a plan, and a cache
 * may serve several, so it is not the key. */
static void deletes_key(const skep_split *split, skep_buf *key, skep_buf *scratch) {
  skep_buf_add(key, split->root, strlen(split->root) + 1);
  skep_buf_byte(key, (uint8_t)(split->snapshot.everything | split->snapshot.has_write_ids << 1 |
                               split->snapshot.has_txns << 2 | split->snapshot.write_ids_are_txns << 3));
  skep_snapshot_print(&split->snapshot, key, scratch);
  skep_buf_byte(key, 0);
  skep_buf_add(key, scratch->data, scratch->size);
  skep_buf_byte(key, 0);
  for (uint32_t i = 0; i < split->n_deletes; i++) {
    const skep_split_file *f = &split->deletes[i];
    skep_buf_add(key, f->path, strlen(f->path) + 1);
    skep_buf_add(key, &f->logical_bytes, sizeof f->logical_bytes);
    skep_buf_add(key, &f->min_write_id, sizeof f->min_write_id);
    skep_buf_add(key, &f->max_write_id, sizeof f->max_write_id);
  }
}

static skep_status load_deletes(skep_scan_cache *cache, skep_cached *item, const skep_split *split, skep_err *err) {
  SKEP_TRY(skep_deletes_new(cache->ctx, &item->deletes, err));
  for (uint32_t i = 0; i < split->n_deletes; i++) {
    SKEP_TRY(skep_deletes_load(item->deletes, cache->fs, split->root, &split->deletes[i], &split->snapshot, err));
  }
  SKEP_TRY(skep_deletes_finish(item->deletes, err));
  item->bytes = sizeof *item + item->key_size + skep_deletes_memory(item->deletes);
  return SKEP_OK;
}

skep_status skep_cache_deletes(skep_scan_cache *cache, const skep_split *split, skep_cached **out, skep_err *err) {
  skep_err local;
  if (err == NULL) err = &local;
  skep_buf key, scratch;
  skep_buf_init(&key, cache->ctx, MAX_DELETE_SET_NAMES_BYTES);
  skep_buf_init(&scratch, cache->ctx, MAX_DELETE_SET_NAMES_BYTES);
  deletes_key(split, &key, &scratch);
  bool must_load;
  *out = NULL;
  skep_status st = skep_buf_check(&key, "the names of delete files", err);
  if (st == SKEP_OK) st = skep_buf_check(&scratch, "a snapshot", err);
  if (st == SKEP_OK) st = acquire(cache, ITEM_DELETES, &key, out, &must_load, err);
  skep_buf_fini(&key);
  skep_buf_fini(&scratch);
  if (st != SKEP_OK || !must_load) return st;
  st = publish(cache, *out, load_deletes(cache, *out, split, err), err);
  if (st != SKEP_OK) *out = NULL;
  return st;
}

/* ---- kept between scans ---- */

static skep_cached *retain(skep_scan_cache *cache, skep_cached *item) {
  pthread_mutex_lock(&cache->mutex);
  item->references++; /* the keeper has one already: it is not idle */
  pthread_mutex_unlock(&cache->mutex);
  return item;
}

skep_status skep_cache_deletes_kept(skep_scan_cache *cache, const skep_split *split, skep_scan_keeper *keeper,
                                    skep_cached **out, skep_err *err) {
  *out = NULL;
  if (keeper->deletes == NULL || keeper->files != split->deletes || keeper->n_files != split->n_deletes) {
    skep_scan_keeper_release(cache, keeper);
    SKEP_TRY(skep_cache_deletes(cache, split, &keeper->deletes, err));
    keeper->files = split->deletes;
    keeper->n_files = split->n_deletes;
  }
  *out = retain(cache, keeper->deletes);
  return SKEP_OK;
}

void skep_scan_keeper_release(skep_scan_cache *cache, skep_scan_keeper *keeper) {
  skep_cache_release(cache, keeper->deletes);
  *keeper = (skep_scan_keeper){.deletes = NULL};
}

skep_status skep_scan_keeper_touches(skep_scan_cache *cache, const skep_split *split, skep_scan_keeper *keeper,
                                     const skep_key_box *box, bool *touched, skep_err *err) {
  skep_cached *item;
  *touched = false;
  if (split->n_deletes == 0) return SKEP_OK;
  SKEP_TRY(skep_cache_deletes_kept(cache, split, keeper, &item, err));
  *touched = skep_deletes_touch_box(skep_cached_deletes(item), box);
  skep_cache_release(cache, item);
  return SKEP_OK;
}
