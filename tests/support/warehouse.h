/* A warehouse in a fresh directory and a session on it, for tests of statements.
 *
 *   warehouse w;
 *   warehouse_open(&w);
 *   warehouse_run(&w, "INSERT INTO t VALUES (1,'a')");
 *   assert_string_equal(warehouse_rows(&w, "SELECT * FROM t"), "1\ta\n");
 *   warehouse_fails(&w, "SELECT x FROM t", "Error 10004");
 *   warehouse_close(&w);                                  // and removes the directory
 */
#ifndef SUPPORT_WAREHOUSE_H
#define SUPPORT_WAREHOUSE_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "column/text.h"
#include "io/posix.h"
#include "sql/session.h"
#include "support/test.h"

typedef struct warehouse {
  skep_ctx ctx;
  skep_fs *fs;
  char dir[64];
  skep_session_opts opts;
  skep_session *session;
  skep_buf text; /* the last answer */
  skep_err err;
} warehouse;

/* Opens a session (again). */
static inline void warehouse_session(warehouse *w) {
  assert_ok(skep_session_open(&w->opts, &w->session, &w->err), w->err);
}

static inline void warehouse_open(warehouse *w) {
  memset(w, 0, sizeof *w);
  skep_ctx_init(&w->ctx);
  /* in memory where there is such a place: syncing is not what these tests are about */
  snprintf(w->dir, sizeof w->dir, "%s/skep-test-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  assert_non_null(mkdtemp(w->dir));
  assert_ok(skep_fs_posix_new(&w->ctx, &w->fs, &w->err), w->err);
  skep_buf_init(&w->text, &w->ctx, 1 << 28);
  w->opts = (skep_session_opts){.ctx = &w->ctx, .fs = w->fs, .warehouse_dir = w->dir, .threads = 2};
  warehouse_session(w);
}

/* From now on sessions take no locks: for tests of what commits check without them, statement by statement in one
 * thread, where nobody could wait. */
static inline void warehouse_without_locks(warehouse *w) {
  skep_session_close(w->session);
  w->opts.no_locks = true;
  warehouse_session(w);
}

static inline int warehouse_unlink(const char *path, const struct stat *st, int kind, struct FTW *at) {
  (void)st;
  (void)kind;
  (void)at;
  return remove(path);
}

static inline void warehouse_close(warehouse *w) {
  skep_session_close(w->session);
  skep_buf_fini(&w->text);
  skep_fs_free(w->fs);
  nftw(w->dir, warehouse_unlink, 16, FTW_DEPTH | FTW_PHYS);
}

/* Closes and opens again, as another process would see the warehouse. */
static inline void warehouse_reopen(warehouse *w) {
  skep_session_close(w->session);
  w->session = NULL;
  warehouse_session(w);
}

/* Rows of a result: values as `copy` prints them, tabs between, one line a row. */
static inline skep_status warehouse_print(skep_result *result, skep_buf *out, skep_err *err) {
  skep_text text = {.style = SKEP_TEXT_COPY, .utf8_fail = SKEP_OK};
  for (;;) {
    const skep_batch *batch;
    skep_status st = skep_result_next(result, &batch, err);
    if (st == SKEP_END) return SKEP_OK;
    if (st != SKEP_OK) return st;
    for (int64_t i = 0; i < batch->root.length; i++) {
      for (uint32_t c = 0; c < batch->root.n_children; c++) {
        if (c != 0) skep_buf_byte(out, '\t');
        st = skep_text_value(&text, &batch->root.children[c], i, out, err);
        if (st != SKEP_OK) return st;
      }
      skep_buf_byte(out, '\n');
    }
  }
}

/* Runs a statement; its rows are in w->text. */
static inline skep_status warehouse_try(warehouse *w, skep_session *session, const char *sql) {
  skep_result *result;
  skep_buf_reset(&w->text);
  skep_status st = skep_session_run(session, sql, strlen(sql), &result, &w->err);
  if (st == SKEP_OK && result != NULL) st = warehouse_print(result, &w->text, &w->err);
  skep_result_free(result);
  return st;
}

static inline const char *warehouse_rows(warehouse *w, const char *sql) {
  skep_status st = warehouse_try(w, w->session, sql);
  if (st != SKEP_OK) fprintf(stderr, "%s\n  %s\n", sql, w->err.text);
  assert_int_equal(st, SKEP_OK);
  return skep_buf_string(&w->text);
}

static inline void warehouse_run(warehouse *w, const char *sql) { assert_string_equal(warehouse_rows(w, sql), ""); }

static inline void warehouse_fails(warehouse *w, const char *sql, const char *part) {
  skep_status st = warehouse_try(w, w->session, sql);
  if (st == SKEP_OK || strstr(w->err.text, part) == NULL)
    fprintf(stderr, "%s\n  should fail with %s, is %d: %s\n", sql, part, (int)st, st == SKEP_OK ? "" : w->err.text);
  assert_int_not_equal(st, SKEP_OK);
  assert_non_null(strstr(w->err.text, part));
}

#endif
