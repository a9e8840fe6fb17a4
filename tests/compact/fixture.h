/* What the tests of the queue and of the cleaner start from: a warehouse with two sessions and a compactor, on SQLite
 * or, with SKEP_TEST_POSTGRES, on PostgreSQL; and the tables that they look at. */
#ifndef COMPACT_FIXTURE_H
#define COMPACT_FIXTURE_H

#include "support/compactor.h"
#include "support/metastore.h"

typedef struct fixture {
  warehouse w;
  metastore m; /* PostgreSQL's database, if it is to be one */
  compactor c;
  skep_session *other;
} fixture;

static inline int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  warehouse_place(&f->w);
  assert_ok(warehouse_init(&f->w, f->w.dir), f->w.err);
  f->w.opts.threads = 2;
  if (metastore_is_postgres()) {
    metastore_copy(&f->m, &f->w.ctx);
    f->w.opts.metastore_url = f->m.url;
  }
  warehouse_session(&f->w);
  assert_ok(skep_session_open(&f->w.opts, &f->other, &f->w.err), f->w.err);
  compactor_open(&f->c, &f->w, NULL);
  compactor_set(&f->c, "skep.compactor.silence", "0");
  *state = f;
  return 0;
}

static inline int teardown(void **state) {
  fixture *f = *state;
  compactor_close(&f->c);
  skep_session_close(f->other);
  warehouse_close(&f->w);
  if (f->m.is_postgres) metastore_remove(&f->m, &f->w.ctx);
  free(f);
  return 0;
}

static inline const char *other_rows(fixture *f, const char *sql) {
  skep_status st = warehouse_try(&f->w, f->other, sql);
  assert_ok(st, f->w.err);
  return skep_buf_string(&f->w.text);
}

static const char rows[] = "SELECT id, s FROM t ORDER BY id";

static inline void make_table(fixture *f) {
  warehouse_run(&f->w, "SET hive.in.test=true");
  assert_string_equal(other_rows(f, "SET hive.in.test=true"), "");
  warehouse_run(&f->w, "CREATE TABLE t (id INT, s STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true')");
  warehouse_run(&f->w, "INSERT INTO t VALUES (1,'a'),(2,'b')");
  warehouse_run(&f->w, "INSERT INTO t VALUES (3,'c')");
  warehouse_run(&f->w, "DELETE FROM t WHERE id = 2");
}

static inline void make_partitioned(fixture *f) {
  warehouse_run(&f->w, "SET hive.in.test=true");
  warehouse_run(&f->w,
                "CREATE TABLE p (id INT) PARTITIONED BY (d INT) STORED AS ORC TBLPROPERTIES "
                "('transactional'='true')");
  warehouse_run(&f->w, "INSERT INTO p VALUES (1,1)");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
