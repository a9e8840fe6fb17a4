/* Which locks a statement takes: tables of cases. Expected locks: txn-protocol 7.7 and 7.8, the LockComponents that a
 * real Hive 4.0.1 printed (golden 23-conflicts-errors), defaults of golden 19-metastore. */
#include "sql/locks.h"

#include "support/test.h"

/* "db.table/partition:letter" of each component, sorted as merged. */
static const char *decided(const skep_locks_conf *conf, const skep_lock_entity *entities, uint32_t n, char *out,
                           size_t size) {
  skep_ctx ctx;
  skep_arena arena;
  skep_err err = {0};
  skep_lock_component *all;
  uint32_t n_all;
  size_t at = 0;
  skep_ctx_init(&ctx);
  skep_arena_init(&arena, &ctx, 1 << 20);
  assert_ok(skep_locks_decide(conf, entities, n, &arena, &all, &n_all, &err), err);
  out[0] = 0;
  for (uint32_t i = 0; i < n_all; i++) {
    const skep_lock_component *c = &all[i];
    int length =
        snprintf(out + at, size - at, "%s%s%s%s%s%s:%c", i == 0 ? "" : " ", c->database, c->table != NULL ? "." : "",
                 c->table != NULL ? c->table : "", c->partition != NULL ? "/" : "",
                 c->partition != NULL ? c->partition : "", skep_lock_letter(c->type));
    assert_true(length > 0 && (size_t)length < size - at);
    at += (size_t)length;
  }
  skep_arena_fini(&arena);
  return out;
}

/* Switches that differ from the defaults, by letter. */
static skep_locks_conf conf_of(const char *switches) {
  skep_locks_conf c = SKEP_LOCKS_CONF_DEFAULT;
  for (; *switches != 0; switches++) {
    if (*switches == 'w') c.xlock_write = false;
    if (*switches == 'o') c.xlock_iow = false;
    if (*switches == 'c') c.xlock_ctas = false;
    if (*switches == 'm') c.xlock_mergeinsert = true;
    if (*switches == 'R') c.row_conflicts = true;
    if (*switches == 's') c.strict_locking = false;
    if (*switches == 'l') c.lockless_reads = true;
    if (*switches == 'r') c.read_locks = false;
    if (*switches == 'n') c.nonacid_read_locks = false;
    if (*switches == 'e') c.ext_locking = true;
    if (*switches == 't') c.truncate_base = false;
    if (*switches == 'd') c.soft_drop = true;
    if (*switches == 'p') c.drop_partition_base = true;
    if (*switches == 'y') c.rename_partition_copy = true;
  }
  return c;
}

enum {
  A = SKEP_LOCK_OBJECT_ACID,
  P = SKEP_LOCK_OBJECT_PLAIN,
  E = SKEP_LOCK_OBJECT_EXTERNAL,
  V = SKEP_LOCK_OBJECT_VIEW
};

static void each_use_has_the_lock_that_the_switches_say(void **state) {
  static const struct {
    skep_lock_use use;
    int object;
    const char *switches;
    const char *locks;
  } cases[] = {
      {SKEP_LOCK_USE_READ, A, "", "d.t:r"},
      {SKEP_LOCK_USE_READ, A, "l", ""},
      {SKEP_LOCK_USE_READ, A, "r", ""},
      {SKEP_LOCK_USE_READ, A, "n", "d.t:r"},
      {SKEP_LOCK_USE_READ, P, "", "d.t:r"},
      {SKEP_LOCK_USE_READ, P, "l", "d.t:r"},
      {SKEP_LOCK_USE_READ, P, "n", ""},
      {SKEP_LOCK_USE_READ, E, "", ""},
      {SKEP_LOCK_USE_READ, E, "e", "d.t:r"},
      {SKEP_LOCK_USE_READ, V, "", ""},
      {SKEP_LOCK_USE_INSERT, A, "", "d.t:r"},
      {SKEP_LOCK_USE_INSERT, A, "l", "d.t:w"},
      {SKEP_LOCK_USE_INSERT, A, "w", "d.t:w"},
      {SKEP_LOCK_USE_INSERT, P, "", "d.t:e"},
      {SKEP_LOCK_USE_INSERT, P, "s", "d.t:r"},
      {SKEP_LOCK_USE_INSERT, E, "", ""},
      {SKEP_LOCK_USE_INSERT, E, "e", "d.t:e"},
      {SKEP_LOCK_USE_MERGE_INSERT, A, "", "d.t:r"},
      {SKEP_LOCK_USE_MERGE_INSERT, A, "w", "d.t:w"},
      {SKEP_LOCK_USE_MERGE_INSERT, A, "m", "d.t:x"},
      {SKEP_LOCK_USE_MERGE_INSERT, A, "mw", "d.t:w"},
      {SKEP_LOCK_USE_INSERT_OVERWRITE, A, "", "d.t:e"},
      {SKEP_LOCK_USE_INSERT_OVERWRITE, A, "o", "d.t:x"},
      {SKEP_LOCK_USE_INSERT_OVERWRITE, A, "w", "d.t:x"},
      {SKEP_LOCK_USE_INSERT_OVERWRITE, A, "l", "d.t:x"},
      {SKEP_LOCK_USE_INSERT_OVERWRITE, P, "o", "d.t:e"},
      {SKEP_LOCK_USE_CHANGE, A, "", "d.t:x"},
      {SKEP_LOCK_USE_CHANGE, A, "w", "d.t:w"},
      {SKEP_LOCK_USE_CHANGE, A, "l", "d.t:x"},
      {SKEP_LOCK_USE_CHANGE, A, "R", "d.t:w"},
      {SKEP_LOCK_USE_CTAS, A, "", "d.t:x"},
      {SKEP_LOCK_USE_CTAS, A, "c", ""},
      {SKEP_LOCK_USE_CTAS, P, "c", "d.t:e"},
      {SKEP_LOCK_USE_DDL_NONE, A, "", ""},
      {SKEP_LOCK_USE_DDL_SHARED, P, "r", "d.t:r"},
      {SKEP_LOCK_USE_DDL_EXCL_WRITE, A, "", "d.t:x"},
      {SKEP_LOCK_USE_DDL_EXCLUSIVE, A, "", "d.t:e"},
      {SKEP_LOCK_USE_DDL_EXCLUSIVE, E, "", ""},
      {SKEP_LOCK_USE_DDL_EXCLUSIVE, V, "", "d.t:e"},
  };
  char text[200];
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const skep_locks_conf conf = conf_of(cases[i].switches);
    const skep_lock_entity e = {"d", "t", (skep_lock_object)cases[i].object, cases[i].use, NULL, 0, false};
    assert_string_equal(decided(&conf, &e, 1, text, sizeof text), cases[i].locks);
  }
}

static void definitions_lock_as_hive_does(void **state) {
  static const struct {
    skep_locks_ddl ddl;
    const char *switches;
    char acid, plain; /* letter of the lock; '-': none */
  } cases[] = {
      {SKEP_LOCKS_DDL_NONE, "", '-', '-'},
      {SKEP_LOCKS_DDL_CREATE_TABLE, "", 'r', 'r'},
      {SKEP_LOCKS_DDL_DROP_DATABASE, "", 'e', 'e'},
      {SKEP_LOCKS_DDL_DROP_TABLE, "", 'e', 'e'}, /* golden 23 */
      {SKEP_LOCKS_DDL_DROP_TABLE, "d", 'x', 'e'},
      {SKEP_LOCKS_DDL_DROP_TABLE, "l", 'x', 'e'},
      {SKEP_LOCKS_DDL_TRUNCATE, "", 'x', 'e'}, /* golden 23 */
      {SKEP_LOCKS_DDL_TRUNCATE, "t", 'e', 'e'},
      {SKEP_LOCKS_DDL_TRUNCATE, "tl", 'x', 'e'},
      {SKEP_LOCKS_DDL_ADD_PARTITION, "", 'r', 'r'},
      {SKEP_LOCKS_DDL_ADD_PARTITION_IF, "", 'x', 'r'},
      {SKEP_LOCKS_DDL_DROP_PARTITION, "", 'e', 'e'},
      {SKEP_LOCKS_DDL_DROP_PARTITION, "p", 'x', 'e'},
      {SKEP_LOCKS_DDL_RENAME_PARTITION, "", 'e', 'e'},
      {SKEP_LOCKS_DDL_RENAME_PARTITION, "y", 'x', 'e'},
      {SKEP_LOCKS_DDL_RENAME_PARTITION, "l", 'x', 'e'},
      {SKEP_LOCKS_DDL_PLACE, "l", 'e', 'e'},
      {SKEP_LOCKS_DDL_DEFINITION, "", 'e', 'e'}, /* golden 23 */
      {SKEP_LOCKS_DDL_DEFINITION, "l", 'x', 'e'},
      {SKEP_LOCKS_DDL_DROP_CONSTRAINT, "", 'x', 'e'},
      {SKEP_LOCKS_DDL_PROPERTIES, "", 'r', 'r'},
      {SKEP_LOCKS_DDL_CONVERT, "", 'e', 'e'},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const skep_locks_conf conf = conf_of(cases[i].switches);
    for (int plain = 0; plain < 2; plain++) {
      char text[100], expected[2] = {plain ? cases[i].plain : cases[i].acid, 0};
      const skep_lock_entity e = {"d",
                                  "t",
                                  plain ? SKEP_LOCK_OBJECT_PLAIN : SKEP_LOCK_OBJECT_ACID,
                                  skep_locks_of_ddl(&conf, cases[i].ddl, !plain),
                                  NULL,
                                  0,
                                  false};
      decided(&conf, &e, 1, text, sizeof text);
      assert_string_equal(text[0] == 0 ? "-" : text + strlen("d.t:"), expected);
    }
  }
}

static void an_object_has_one_lock_the_strongest(void **state) {
  static const char *const p[] = {"k=2", "k=1"};
  const skep_locks_conf conf = SKEP_LOCKS_CONF_DEFAULT;
  /* MERGE into a partitioned table from two others, one of them twice */
  const skep_lock_entity merge[] = {
      {"d", "t", SKEP_LOCK_OBJECT_ACID, SKEP_LOCK_USE_CHANGE, p, 2, false},
      {"d", "t", SKEP_LOCK_OBJECT_ACID, SKEP_LOCK_USE_MERGE_INSERT, NULL, 0, false},
      {"d", "s", SKEP_LOCK_OBJECT_ACID, SKEP_LOCK_USE_READ, NULL, 0, false},
      {"d", "s", SKEP_LOCK_OBJECT_ACID, SKEP_LOCK_USE_READ, NULL, 0, false},
      {"c", "u", SKEP_LOCK_OBJECT_PLAIN, SKEP_LOCK_USE_READ, NULL, 0, false},
  };
  /* INSERT OVERWRITE of a partition from itself */
  const skep_lock_entity overwrite[] = {
      {"d", "t", SKEP_LOCK_OBJECT_ACID, SKEP_LOCK_USE_READ, p, 1, false},
      {"d", "t", SKEP_LOCK_OBJECT_ACID, SKEP_LOCK_USE_INSERT_OVERWRITE, p, 1, false},
  };
  /* golden 23: DROP TABLE s23.t */
  const skep_lock_entity drop[] = {
      {"s23", "t", SKEP_LOCK_OBJECT_ACID, SKEP_LOCK_USE_DDL_EXCLUSIVE, NULL, 0, false},
      {"s23", NULL, SKEP_LOCK_OBJECT_DATABASE, SKEP_LOCK_USE_DDL_SHARED, NULL, 0, false},
  };
  char text[200];
  (void)state;
  assert_string_equal(decided(&conf, merge, 5, text, sizeof text), "c.u:r d.s:r d.t:r d.t/k=1:x d.t/k=2:x");
  assert_string_equal(decided(&conf, overwrite, 2, text, sizeof text), "d.t/k=2:e");
  assert_string_equal(decided(&conf, drop, 2, text, sizeof text), "s23:r s23.t:e");
}

static void many_partitions_become_one_lock_of_the_table(void **state) {
  static const char *const p[] = {"k=1", "k=2", "k=3"};
  skep_locks_conf conf = SKEP_LOCKS_CONF_DEFAULT;
  skep_lock_entity e = {"d", "t", SKEP_LOCK_OBJECT_ACID, SKEP_LOCK_USE_READ, p, 3, false};
  char text[200];
  (void)state;
  conf.max_partitions = 4;
  assert_string_equal(decided(&conf, &e, 1, text, sizeof text), "d.t/k=1:r d.t/k=2:r d.t/k=3:r");
  conf.max_partitions = 3;
  assert_string_equal(decided(&conf, &e, 1, text, sizeof text), "d.t:r");
  conf.max_partitions = -1; /* Hive's default: no limit */
  assert_string_equal(decided(&conf, &e, 1, text, sizeof text), "d.t/k=1:r d.t/k=2:r d.t/k=3:r");
  conf.max_partitions = 1;
  e.n_partitions = 1;
  assert_string_equal(decided(&conf, &e, 1, text, sizeof text), "d.t:r");
}

static void a_name_of_the_session_excludes_others_of_that_name(void **state) {
  skep_locks_conf conf = SKEP_LOCKS_CONF_DEFAULT;
  const skep_lock_entity e = {"d", "t", SKEP_LOCK_OBJECT_ACID, SKEP_LOCK_USE_READ, NULL, 0, false};
  char text[200];
  (void)state;
  conf.exclusive = "nightly";
  assert_string_equal(decided(&conf, &e, 1, text, sizeof text), "GLOBAL_LOCKS.nightly:e d.t:r");
  assert_string_equal(decided(&conf, NULL, 0, text, sizeof text), "GLOBAL_LOCKS.nightly:e");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_use_has_the_lock_that_the_switches_say),
      cmocka_unit_test(definitions_lock_as_hive_does),
      cmocka_unit_test(an_object_has_one_lock_the_strongest),
      cmocka_unit_test(many_partitions_become_one_lock_of_the_table),
      cmocka_unit_test(a_name_of_the_session_excludes_others_of_that_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
