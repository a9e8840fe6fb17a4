/* For the tests of txn: a metastore in a temporary directory with a clock that the test moves, and rows as text. */
#ifndef TXN_TXN_TESTING_H
#define TXN_TXN_TESTING_H

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "db/faults.h"
#include "db/schema.h"
#include "support/metastore.h"
#include "support/test.h"
#include "txn/txn.h"

typedef struct txn_fixture {
  skep_ctx ctx;
  int64_t now_ms;
  metastore m;
  const char *url;
  skep_db *db;
  skep_arena arena;
  skep_txn_conf conf;
} txn_fixture;

static int64_t txn_clock(void *self) { return *(int64_t *)self; }

static inline skep_db *txn_connect(txn_fixture *f, skep_db_faults *faults) {
  skep_db_opts opts = SKEP_DB_OPTS_DEFAULT;
  opts.boot_id = "boot-1";
  opts.own_clock = true;
  opts.faults = faults;
  skep_db *db = NULL;
  skep_err err = {0};
  assert_ok(skep_db_open(&f->ctx, f->url, &opts, &db, &err), err);
  return db;
}

static inline int txn_setup(void **state) {
  txn_fixture *f = calloc(1, sizeof *f);
  skep_ctx_init(&f->ctx);
  f->now_ms = 1795979454135; /* when golden 19's first transaction began */
  f->ctx.clock_ms = txn_clock;
  f->ctx.clock_self = NULL;
  /* The system's monotonic clock does not look at clock_self. */
  f->ctx.clock_self = &f->now_ms;
  /* An opening that is late is made again with the next number; the tests know their numbers. */
  f->conf = (skep_txn_conf){.user = "root", .host = "vm", .opening_ms = 3600000};
  if (metastore_is_postgres()) {
    metastore_copy(&f->m, &f->ctx);
  } else {
    metastore_new(&f->m, &f->ctx, true);
  }
  f->url = f->m.url;
  skep_arena_init(&f->arena, &f->ctx, (size_t)1 << 30);
  f->db = txn_connect(f, NULL);
  skep_err err = {0};
  if (f->m.is_postgres) {
    assert_ok(skep_db_exec(f->db,
                           "UPDATE \"METASTORE_DB_PROPERTIES\" SET \"PROPERTY_VALUE\" = 'boot-1' WHERE "
                           "\"PROPERTY_KEY\" = '" SKEP_BOOT_PROPERTY "'",
                           &err),
              err);
  } else {
    assert_ok(skep_schema_init(f->db, "file:/warehouse", &err), err);
  }
  *state = f;
  return 0;
}

static inline int txn_teardown(void **state) {
  txn_fixture *f = *state;
  skep_db_close(f->db);
  skep_arena_fini(&f->arena);
  metastore_remove(&f->m, &f->ctx);
  free(f);
  return 0;
}

/* The rows of a query, "a|b|c\n" each, NULL as \N, in the fixture's arena. */
static inline const char *txn_rows(txn_fixture *f, const char *sql) {
  skep_err err = {0};
  skep_stmt *stmt = NULL;
  skep_buf out;
  skep_buf_init(&out, &f->ctx, 1 << 20);
  assert_ok(skep_db_query(f->db, sql, SKEP_NO_PARAMS, &stmt, &err), err);
  skep_status status;
  while ((status = skep_stmt_next(stmt, &err)) == SKEP_OK) {
    for (int i = 0; i < skep_stmt_n_columns(stmt); i++) {
      const char *text = skep_stmt_text(stmt, i, NULL);
      skep_buf_printf(&out, "%s%s", i > 0 ? "|" : "", text != NULL ? text : "\\N");
    }
    skep_buf_byte(&out, '\n');
  }
  assert_int_equal(status, SKEP_END);
  skep_stmt_done(stmt);
  const char *text = skep_arena_strndup(&f->arena, skep_buf_string(&out), out.size);
  skep_buf_fini(&out);
  return text;
}

#define assert_rows(f, sql, expected) assert_string_equal(txn_rows((f), (sql)), (expected))

static inline skep_txn txn_begin(txn_fixture *f, skep_db *db, skep_txn_table *tables, uint32_t n) {
  skep_err err = {0};
  skep_txn txn;
  assert_ok(skep_txn_begin(db, &f->conf, &f->arena, SKEP_TXN_DEFAULT, tables, n, &txn, &err), err);
  return txn;
}

/* A write of one table and partition ("" of no partition: nothing written), begun and committed. */
static inline skep_status txn_write(txn_fixture *f, skep_db *db, const char *table, const char *partition, char op,
                                    skep_err *err) {
  skep_txn_table t = {.database = "d", .table = table, .write = op};
  skep_txn txn;
  SKEP_TRY(skep_txn_begin(db, &f->conf, &f->arena, SKEP_TXN_DEFAULT, &t, 1, &txn, err));
  skep_txn_component c = {.database = "d", .table = table, .partition = partition, .op = op, .write_id = t.write_id};
  return skep_txn_commit(db, txn.id, &c, 1, NULL, NULL, err);
}

#endif
