/* Statements that run out of memory at their n-th allocation, for many n: they fail with a status, the table is as
 * before, the session goes on, and nothing leaks (the address sanitizer's build watches). */
#include <inttypes.h>

#include "support/failing_alloc.h"
#include "support/warehouse.h"

typedef struct step {
  const char *sql;
  const char *rows; /* of the table afterwards */
} step;

static const char query[] = "SELECT id, v FROM t ORDER BY id";
static const char before[] = "1\ta\n2\tb\n";

static const step steps[] = {
    {"INSERT INTO t VALUES (3,'c',1),(4,'d',2)", "1\ta\n2\tb\n3\tc\n4\td\n"},
    {"INSERT INTO t SELECT id + 10, v, p FROM t", "1\ta\n2\tb\n11\ta\n12\tb\n"},
    {"UPDATE t SET v = upper(v) WHERE id = 2", "1\ta\n2\tB\n"},
    {"MERGE INTO t USING (SELECT 2 AS k UNION ALL SELECT 7) s ON t.id = s.k WHEN MATCHED THEN DELETE "
     "WHEN NOT MATCHED THEN INSERT VALUES (s.k, 'n', 5)",
     "1\ta\n7\tn\n"},
    {"SELECT count(*) FROM t JOIN t u ON t.id = u.id", before},
};

typedef struct scene {
  warehouse w;
  failing_alloc memory;
} scene;

static void prepare(scene *s) {
  warehouse_run(&s->w, "DROP TABLE IF EXISTS t");
  warehouse_run(&s->w,
                "CREATE TABLE t (id INT, v STRING) PARTITIONED BY (p INT) STORED AS ORC TBLPROPERTIES "
                "('transactional'='true')");
  warehouse_run(&s->w, "INSERT INTO t VALUES (1,'a',0),(2,'b',1)");
}

/* True: the statement needs fewer than n allocations. */
static bool strike(scene *s, const step *st, uint64_t n) {
  prepare(s);
  failing_alloc_arm(&s->memory, n);
  skep_status status = warehouse_try(&s->w, s->w.session, st->sql);
  bool fired = failing_alloc_fired(&s->memory);
  failing_alloc_arm(&s->memory, 0);
  char text[sizeof s->w.err.text];
  snprintf(text, sizeof text, "%s", status == SKEP_OK ? "" : s->w.err.text);
  if (!fired) assert_int_equal(status, SKEP_OK);
  const char *rows = warehouse_rows(&s->w, query), *want = status == SKEP_OK ? st->rows : before;
  if (strcmp(rows, want) != 0)
    fail_msg("allocation %" PRIu64 " of %s: %s (%s), the table holds\n%s", n, st->sql, skep_status_name(status), text,
             rows);
  if (status != SKEP_OK && status != SKEP_ERR_NOMEM)
    fail_msg("allocation %" PRIu64 " of %s: %s: %s", n, st->sql, skep_status_name(status), text);
  return !fired;
}

static void statements_survive_memory_running_out(void **state) {
  static scene s;
  (void)state;
  memset(&s, 0, sizeof s);
  warehouse_open(&s.w);
  skep_session_close(s.w.session);
  skep_buf_fini(&s.w.text);
  skep_fs_free(s.w.fs);
  failing_alloc_ctx(&s.memory, &s.w.ctx);
  skep_buf_init(&s.w.text, &s.w.ctx, 1 << 24);
  assert_ok(skep_fs_posix_new(&s.w.ctx, &s.w.fs, &s.w.err), s.w.err);
  s.w.opts.fs = s.w.fs;
  warehouse_session(&s.w);
  assert_string_equal(warehouse_rows(&s.w, "SELECT count(*) FROM (SELECT 1 AS a) q"), "1\n"); /* the engine is up */
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    uint64_t n = 1;
    while (!strike(&s, &steps[i], n)) n += 1 + n / 24; /* every one at first, then fewer */
    assert_true(n > 50);
  }
  warehouse_close(&s.w);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(statements_survive_memory_running_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
