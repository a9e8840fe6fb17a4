/* See metastore_place.h. */
#include "sql/metastore_place.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acid/dir_write.h"
#include "base/buf.h"
#include "base/config.h"

#define PLACE_DIR ".skep-metastore"
#define PLACE_FILE "where-"
enum { MAX_PLACE_FILES = 100000, MAX_PLACE_NAME = 40, MAX_PLACE_BYTES = 8192, MAX_PLACE_PATH = 1 << 16 };

/* One as a rule; writers that ended in between leave theirs, and who opens at the same time another one. */
typedef struct place_files {
  skep_arena *arena; /* of ms */
  int64_t *ms;       /* the newest first */
  size_t n, capacity;
} place_files;

static skep_status find_file(void *self, const skep_entry *entry, skep_err *err) {
  place_files *files = self;
  int64_t ms;
  if (strncmp(entry->name, PLACE_FILE, strlen(PLACE_FILE)) != 0) return SKEP_OK;
  if (!skep_parse_int(entry->name + strlen(PLACE_FILE), &ms) || ms <= 0 || ms == INT64_MAX) return SKEP_OK;
  if (files->n == MAX_PLACE_FILES)
    return skep_fail(err, SKEP_ERR_LIMIT, "more than %d files " PLACE_FILE "*", MAX_PLACE_FILES);
  void *grown = files->ms;
  SKEP_TRY(skep_arena_grow(files->arena, &grown, &files->capacity, files->n + 1, sizeof *files->ms, err));
  files->ms = grown;
  files->ms[files->n++] = ms;
  return SKEP_OK;
}

static int newest_first(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x < y) - (x > y);
}

static skep_status list_files(skep_fs *fs, skep_arena *arena, const char *dir, place_files *files, skep_err *err) {
  *files = (place_files){.arena = arena};
  skep_status st = skep_fs_list(fs, dir, false, find_file, files, err);
  if (files->n > 1) qsort(files->ms, files->n, sizeof *files->ms, newest_first);
  return st == SKEP_ERR_NOT_FOUND ? SKEP_OK : st;
}

static const char *path_of(skep_arena *arena, const char *a, const char *b) {
  return strlen(a) + strlen(b) + 2 < MAX_PLACE_PATH ? skep_arena_join(arena, a, "/", b) : NULL;
}

/* NULL when it is not whole: its writer ended in between. */
static skep_status read_file(const skep_ctx *ctx, skep_fs *fs, skep_arena *arena, const char *dir, int64_t ms,
                             const char **out, skep_err *err) {
  char name[MAX_PLACE_NAME];
  skep_buf text;
  *out = NULL;
  snprintf(name, sizeof name, PLACE_FILE "%" PRId64, ms);
  const char *path = path_of(arena, dir, name);
  if (path == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a metastore's place");
  skep_buf_init(&text, ctx, MAX_PLACE_BYTES);
  skep_status st = skep_fs_read_whole(fs, path, &text, err);
  if (st == SKEP_OK && text.size > 1 && text.data[text.size - 1] == '\n') {
    text.size--;
    *out = skep_buf_copy(&text, arena);
    if (*out == NULL) st = skep_fail(err, SKEP_ERR_NOMEM, "a metastore's place");
  }
  skep_buf_fini(&text);
  return st == SKEP_ERR_NOT_FOUND ? SKEP_OK : st; /* another one has replaced it */
}

/* The newest whole file's text; NULL: nothing is remembered. */
static skep_status read_place(const skep_ctx *ctx, skep_fs *fs, skep_arena *arena, const char *dir, place_files *files,
                              const char **out, skep_err *err) {
  *out = NULL;
  SKEP_TRY(list_files(fs, arena, dir, files, err));
  for (size_t i = 0; i < files->n && *out == NULL; i++)
    SKEP_TRY(read_file(ctx, fs, arena, dir, files->ms[i], out, err));
  return SKEP_OK;
}

/* ---- who names none ---- */

static skep_status refuse(const char *warehouse, const char *place, const char *inside, skep_err *err) {
  char quoted[3][400];
  skep_quote(quoted[0], sizeof quoted[0], warehouse, strlen(warehouse));
  skep_quote(quoted[1], sizeof quoted[1], place, strlen(place));
  skep_quote(quoted[2], sizeof quoted[2], inside, strlen(inside));
  return skep_fail(
      err, SKEP_ERR_ARGUMENT,
      "%s: the metastore of this warehouse is elsewhere: say --metastore '%s' (or --metastore '%s' for one "
      "in the warehouse)",
      quoted[0], quoted[1], quoted[2]);
}

skep_status skep_metastore_default(const skep_ctx *ctx, skep_fs *fs, skep_arena *arena, const char *warehouse,
                                   const char **url, skep_err *err) {
  place_files files;
  const char *place;
  const char *made = skep_arena_join(arena, "sqlite:", warehouse, "/metastore.sqlite");
  const char *dir = path_of(arena, warehouse, PLACE_DIR);
  *url = NULL;
  if (made == NULL || dir == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a metastore's place");
  SKEP_TRY(read_place(ctx, fs, arena, dir, &files, &place, err));
  if (place != NULL) return refuse(warehouse, place, made, err);
  *url = made;
  return SKEP_OK;
}

/* ---- who has named one ---- */

typedef struct noting {
  const skep_ctx *ctx;
  skep_fs *fs;
  skep_arena arena;
  const char *dir;
  place_files files; /* those that are there */
} noting;

/* The new file is there before the old ones go. */
static skep_status put_file(noting *n, const char *place, skep_err *err) {
  char name[MAX_PLACE_NAME];
  const char *line = skep_arena_join(&n->arena, place, "\n", "");
  if (line == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a metastore's place");
  int64_t now = n->ctx->clock_ms(n->ctx->clock_self);
  if (n->files.n > 0 && now <= n->files.ms[0]) now = n->files.ms[0] + 1;
  snprintf(name, sizeof name, PLACE_FILE "%" PRId64, now);
  SKEP_TRY(skep_fs_mkdirs(n->fs, n->dir, err));
  return skep_dir_put_file(n->ctx, n->fs, n->dir, name, line, true, err);
}

static void remove_files(noting *n) {
  char name[MAX_PLACE_NAME];
  for (size_t i = 0; i < n->files.n; i++) {
    snprintf(name, sizeof name, PLACE_FILE "%" PRId64, n->files.ms[i]);
    const char *path = path_of(&n->arena, n->dir, name);
    if (path != NULL) (void)!skep_fs_remove_file(n->fs, path, NULL); /* another one may have been faster */
  }
}

static skep_status note(noting *n, const char *warehouse, skep_db *db, skep_err *err) {
  const char *was, *place = NULL, *inside = path_of(&n->arena, warehouse, "metastore.sqlite");
  n->dir = path_of(&n->arena, warehouse, PLACE_DIR);
  if (n->dir == NULL || inside == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a metastore's place");
  if (!skep_db_is_file(db, inside)) SKEP_TRY(skep_db_place(db, &n->arena, &place, err));
  SKEP_TRY(read_place(n->ctx, n->fs, &n->arena, n->dir, &n->files, &was, err));
  if (place != NULL && was != NULL && strcmp(was, place) == 0) return SKEP_OK;
  skep_status st = place != NULL ? put_file(n, place, err) : SKEP_OK;
  if (st == SKEP_ERR_EXISTS) return SKEP_OK; /* another session, this very moment */
  if (st == SKEP_OK) remove_files(n);
  return st;
}

void skep_metastore_remember(const skep_ctx *ctx, skep_fs *fs, const char *warehouse, skep_db *db) {
  noting n = {.ctx = ctx, .fs = fs};
  skep_err why = {0};
  skep_arena_init(&n.arena, ctx, 1 << 24);
  skep_status st = note(&n, warehouse, db, &why);
  if (st != SKEP_OK) skep_log(ctx, SKEP_LOG_WARN, "remembering where the warehouse's metastore is: %s", why.text);
  skep_arena_fini(&n.arena);
}
