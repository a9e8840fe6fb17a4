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

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "column/text.h"
#include "db/db.h"
#include "io/posix.h"
#include "sql/session.h"
#include "support/temp_dir.h"
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

/* A fresh directory, and nothing in it yet. */
static inline void warehouse_place(warehouse *w) {
  memset(w, 0, sizeof *w);
  snprintf(w->dir, sizeof w->dir, "%s/skep-test-XXXXXX", temp_dir_memory());
  assert_non_null(mkdtemp(w->dir));
}

/* All but the session, on a directory (borrowed; it may be w->dir). For children of a test, where a failed assertion
 * would go on in the parent's test runner. */
static inline skep_status warehouse_init(warehouse *w, const char *dir) {
  skep_ctx_init(&w->ctx);
  skep_buf_init(&w->text, &w->ctx, 1 << 28);
  SKEP_TRY(skep_fs_posix_new(&w->ctx, &w->fs, &w->err));
  w->opts = (skep_session_opts){.ctx = &w->ctx, .fs = w->fs, .warehouse_dir = dir, .threads = 1};
  return SKEP_OK;
}

static inline void warehouse_open(warehouse *w) {
  warehouse_place(w);
  assert_ok(warehouse_init(w, w->dir), w->err);
  w->opts.threads = 2;
  warehouse_session(w);
}

/* The metastore's URL, for a connection beside the session's. */
static inline void warehouse_url(const warehouse *w, char *url, size_t size) {
  int n = w->opts.metastore_url != NULL ? snprintf(url, size, "%s", w->opts.metastore_url)
                                        : snprintf(url, size, "sqlite:%s/metastore.sqlite", w->opts.warehouse_dir);
  assert_true(n > 0 && (size_t)n < size);
}

/* Such a connection; it waits for others for up to a minute. */
static inline skep_db *warehouse_connect(warehouse *w) {
  char url[400];
  skep_db *db;
  const skep_db_opts opts = {.busy_wait_ms = 60000};
  warehouse_url(w, url, sizeof url);
  assert_ok(skep_db_open(&w->ctx, url, &opts, &db, &w->err), w->err);
  return db;
}

/* From now on sessions take no locks: for tests of what commits check without them, statement by statement in one
 * thread, where nobody could wait. */
static inline void warehouse_without_locks(warehouse *w) {
  skep_session_close(w->session);
  w->opts.no_locks = true;
  warehouse_session(w);
}

static inline void warehouse_close(warehouse *w) {
  skep_session_close(w->session);
  skep_buf_fini(&w->text);
  skep_fs_free(w->fs);
  temp_dir_remove_tree(w->dir);
}

/* Closes and opens again, as another process would see the warehouse. */
static inline void warehouse_reopen(warehouse *w) {
  skep_session_close(w->session);
  w->session = NULL;
  warehouse_session(w);
}

/* A batch's rows: values as `copy` prints them, `between` them what is said, one line a row. */
static inline skep_status warehouse_print_batch(const skep_batch *batch, char between, skep_buf *out, skep_err *err) {
  skep_text text = {.style = SKEP_TEXT_COPY, .utf8_fail = SKEP_OK};
  for (int64_t i = 0; i < batch->root.length; i++) {
    for (uint32_t c = 0; c < batch->root.n_children; c++) {
      if (c != 0) skep_buf_byte(out, (uint8_t)between);
      SKEP_TRY(skep_text_value(&text, &batch->root.children[c], i, out, err));
    }
    skep_buf_byte(out, '\n');
  }
  return SKEP_OK;
}

/* All rows of a result, tabs between the values. */
static inline skep_status warehouse_print(skep_result *result, skep_buf *out, skep_err *err) {
  for (;;) {
    const skep_batch *batch;
    skep_status st = skep_result_next(result, &batch, err);
    if (st == SKEP_END) return SKEP_OK;
    if (st != SKEP_OK) return st;
    SKEP_TRY(warehouse_print_batch(batch, '\t', out, err));
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
