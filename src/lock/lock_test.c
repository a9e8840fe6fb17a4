/* Locks: Hive's matrix, the queue, overlapping objects, cycles of waiters. */
#include "lock/lock.h"

#include "db/schema.h"
#include "support/metastore.h"
#include "support/test.h"

typedef struct fixture {
  skep_ctx ctx;
  metastore m;
  skep_db *db;
  skep_arena arena;
  skep_err err;
} fixture;

static int set_up(void **state) {
  static fixture f;
  memset(&f, 0, sizeof f);
  skep_ctx_init(&f.ctx);
  skep_arena_init(&f.arena, &f.ctx, 16 << 20);
  if (metastore_is_postgres()) {
    metastore_copy(&f.m, &f.ctx);
  } else {
    metastore_new(&f.m, &f.ctx, true);
  }
  assert_ok(skep_db_open(&f.ctx, f.m.url, NULL, &f.db, &f.err), f.err);
  assert_ok(skep_schema_ensure(f.db, "file:/w", NULL, NULL, &f.err), f.err);
  for (int64_t txn = 1; txn <= 9; txn++)
    assert_ok(skep_db_run(f.db,
                          "INSERT INTO \"TXNS\" (\"TXN_ID\", \"TXN_STATE\", \"TXN_STARTED\", \"TXN_LAST_HEARTBEAT\", "
                          "\"TXN_USER\", \"TXN_HOST\", \"TXN_TYPE\") VALUES (?, 'o', 1, 1, 'u', 'h', 0)",
                          SKEP_PARAMS(skep_p_i64(txn)), NULL, &f.err),
              f.err);
  *state = &f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  skep_db_close(f->db);
  metastore_remove(&f->m, &f->ctx);
  skep_arena_fini(&f->arena);
  return 0;
}

/* Queues one component for a transaction (0: none) and says whether it waits; the id goes to *ext_id. */
static bool waits(fixture *f, int64_t txn, const char *table, const char *partition, skep_lock_type type,
                  int64_t *ext_id, skep_lock_blocker *blocker) {
  skep_lock_component component = {"d", table, partition, type};
  skep_lock_owner owner = {.txn = txn, .user = "ann", .host = "box", .agent = "query 7"};
  skep_lock_state state;
  assert_ok(skep_lock_request(f->db, &owner, &component, 1, &f->arena, ext_id, &state, blocker, &f->err), f->err);
  return state == SKEP_LOCK_WAITING;
}

static bool still_waits(fixture *f, int64_t ext_id) {
  skep_lock_state state;
  assert_ok(skep_lock_check(f->db, ext_id, &f->arena, &state, NULL, &f->err), f->err);
  return state == SKEP_LOCK_WAITING;
}

/* What commit and abort do to locks. */
static void end_transaction(fixture *f, int64_t txn) {
  assert_ok(skep_db_run(f->db, "DELETE FROM \"HIVE_LOCKS\" WHERE \"HL_TXNID\" = ?", SKEP_PARAMS(skep_p_i64(txn)), NULL,
                        &f->err),
            f->err);
}

/* Rows wanted, columns existing, in the order r w x e: 'g' grant, 'w' wait. Source: Hive CheckLockFunction. */
static void the_matrix_is_hives(void **state) {
  (void)state;
  static const char *const matrix[] = {"gggw", "ggww", "gwww", "wwww"};
  for (int wanted = 0; wanted < 4; wanted++)
    for (int existing = 0; existing < 4; existing++)
      assert_int_equal(skep_lock_conflicts((skep_lock_type)wanted, false, (skep_lock_type)existing, false),
                       matrix[wanted][existing] == 'w');
  assert_false(skep_lock_conflicts(SKEP_LOCK_SHARED_READ, true, SKEP_LOCK_EXCLUSIVE, false));
  assert_true(skep_lock_conflicts(SKEP_LOCK_SHARED_READ, true, SKEP_LOCK_EXCLUSIVE, true));
  assert_true(skep_lock_conflicts(SKEP_LOCK_SHARED_READ, false, SKEP_LOCK_EXCLUSIVE, true));
  assert_false(skep_lock_conflicts(SKEP_LOCK_EXCLUSIVE, false, SKEP_LOCK_SHARED_READ, true));
  assert_true(skep_lock_conflicts(SKEP_LOCK_EXCLUSIVE, true, SKEP_LOCK_SHARED_READ, false));
}

static void letters_are_hives(void **state) {
  (void)state;
  const char letters[] = "rwxe";
  for (int i = 0; i < 4; i++) {
    skep_lock_type type;
    assert_int_equal(skep_lock_letter((skep_lock_type)i), letters[i]);
    assert_true(skep_lock_of_letter(letters[i], &type));
    assert_int_equal(type, i);
  }
  skep_lock_type untouched = SKEP_LOCK_EXCL_WRITE;
  assert_false(skep_lock_of_letter('z', &untouched));
  assert_int_equal(untouched, SKEP_LOCK_EXCL_WRITE);
}

static void merging_keeps_the_strongest_of_an_object(void **state) {
  (void)state;
  skep_lock_component c[] = {{"d", "t", NULL, SKEP_LOCK_SHARED_READ},
                             {"d", "t", "p=1", SKEP_LOCK_EXCL_WRITE},
                             {"d", "t", NULL, SKEP_LOCK_EXCLUSIVE},
                             {"d", NULL, NULL, SKEP_LOCK_SHARED_READ},
                             {"d", "t", "p=1", SKEP_LOCK_SHARED_READ}};
  assert_int_equal(skep_lock_merge(c, 5), 3);
  assert_null(c[0].table);
  assert_true(c[1].partition == NULL && c[1].type == SKEP_LOCK_EXCLUSIVE);
  assert_true(strcmp(c[2].partition, "p=1") == 0 && c[2].type == SKEP_LOCK_EXCL_WRITE);
  assert_int_equal(skep_lock_merge(c, 0), 0);
}

static void a_writer_waits_for_the_writer_before_it(void **state) {
  fixture *f = *state;
  int64_t first, second, reader;
  skep_lock_blocker blocker;
  assert_false(waits(f, 1, "t", NULL, SKEP_LOCK_EXCL_WRITE, &first, NULL));
  assert_true(waits(f, 2, "t", NULL, SKEP_LOCK_EXCL_WRITE, &second, &blocker));
  assert_int_equal(blocker.ext_id, first);
  assert_int_equal(blocker.txn, 1);
  assert_true(blocker.acquired && blocker.type == SKEP_LOCK_EXCL_WRITE);
  assert_string_equal(blocker.table, "t");
  assert_string_equal(blocker.agent, "query 7");
  assert_false(waits(f, 3, "t", NULL, SKEP_LOCK_SHARED_READ, &reader, NULL));
  assert_true(still_waits(f, second));
  end_transaction(f, 1);
  assert_false(still_waits(f, second));
  assert_false(still_waits(f, second)); /* asking again changes nothing */
}

static void a_waiting_exclusive_lock_holds_later_readers_back(void **state) {
  fixture *f = *state;
  int64_t reader, drop, late;
  assert_false(waits(f, 1, "t", NULL, SKEP_LOCK_SHARED_READ, &reader, NULL));
  assert_true(waits(f, 2, "t", NULL, SKEP_LOCK_EXCLUSIVE, &drop, NULL));
  assert_true(waits(f, 3, "t", NULL, SKEP_LOCK_SHARED_READ, &late, NULL));
  assert_ok(skep_lock_release(f->db, drop, &f->err), f->err);
  assert_false(still_waits(f, late));
}

static void locks_meet_where_one_object_holds_the_other(void **state) {
  static const struct {
    const char *table, *partition, *other_table, *other_partition;
    bool meet;
  } cases[] = {
      {"t", "p=1", "t", "p=2", false}, {"t", "p=1", "t", "p=1", true}, {"t", NULL, "t", "p=1", true},
      {"t", "p=1", "t", NULL, true},   {"t", NULL, "u", NULL, false},  {NULL, NULL, "t", "p=1", true},
      {"t", "p=1", NULL, NULL, true},  {NULL, NULL, NULL, NULL, true},
  };
  fixture *f = *state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int64_t one, two;
    assert_false(waits(f, 1, cases[i].table, cases[i].partition, SKEP_LOCK_EXCLUSIVE, &one, NULL));
    assert_int_equal(waits(f, 2, cases[i].other_table, cases[i].other_partition, SKEP_LOCK_EXCLUSIVE, &two, NULL),
                     cases[i].meet);
    end_transaction(f, 1);
    end_transaction(f, 2);
  }
}

static void a_transaction_never_waits_for_itself_but_a_lock_without_one_does(void **state) {
  fixture *f = *state;
  int64_t id;
  assert_false(waits(f, 1, "t", NULL, SKEP_LOCK_SHARED_READ, &id, NULL));
  assert_false(waits(f, 1, "t", NULL, SKEP_LOCK_EXCLUSIVE, &id, NULL));
  assert_false(waits(f, 0, "u", NULL, SKEP_LOCK_EXCL_WRITE, &id, NULL));
  assert_true(waits(f, 0, "u", NULL, SKEP_LOCK_EXCL_WRITE, &id, NULL));
}

static void a_request_is_granted_whole_or_not_at_all(void **state) {
  fixture *f = *state;
  int64_t first, both, other;
  assert_false(waits(f, 1, "t", NULL, SKEP_LOCK_EXCL_WRITE, &first, NULL));
  skep_lock_component components[] = {{"d", "free", NULL, SKEP_LOCK_EXCL_WRITE},
                                      {"d", "t", NULL, SKEP_LOCK_EXCL_WRITE}};
  skep_lock_owner owner = {.txn = 2};
  skep_lock_state st;
  assert_ok(skep_lock_request(f->db, &owner, components, 2, &f->arena, &both, &st, NULL, &f->err), f->err);
  assert_int_equal(st, SKEP_LOCK_WAITING);
  assert_true(waits(f, 3, "free", NULL, SKEP_LOCK_EXCL_WRITE, &other, NULL));
  skep_lock_row *rows;
  uint32_t n;
  assert_ok(skep_lock_list(f->db, "d", "t", NULL, &f->arena, &rows, &n, &f->err), f->err);
  assert_int_equal(n, 2);
  assert_true(rows[0].acquired && rows[0].acquired_ms > 0 && rows[0].blocked_by_ext_id == 0);
  assert_true(!rows[1].acquired && rows[1].blocked_by_ext_id == first && rows[1].blocked_by_int_id == 1);
  assert_string_equal(rows[1].user, "unknown");
  end_transaction(f, 1);
  assert_false(still_waits(f, both));
  assert_true(still_waits(f, other));
}

static void a_transaction_that_is_over_gets_no_lock(void **state) {
  fixture *f = *state;
  assert_ok(skep_db_exec(f->db,
                         "UPDATE \"TXNS\" SET \"TXN_STATE\" = 'a', \"TXN_META_INFO\" = 'heartbeat time-out' "
                         "WHERE \"TXN_ID\" = 4",
                         &f->err),
            f->err);
  assert_ok(skep_db_exec(f->db, "UPDATE \"TXNS\" SET \"TXN_STATE\" = 'c' WHERE \"TXN_ID\" = 5", &f->err), f->err);
  skep_lock_component component = {"d", "t", NULL, SKEP_LOCK_SHARED_READ};
  skep_lock_state st;
  int64_t id;
  static const struct {
    int64_t txn;
    skep_status status;
    const char *text;
  } cases[] = {{4, SKEP_ERR_ABORTED, "txnid:4 already aborted (heartbeat time-out)"},
               {5, SKEP_ERR_NOT_FOUND, "txnid:5 is committed"},
               {77, SKEP_ERR_NOT_FOUND, "No such transaction txnid:77"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    skep_lock_owner owner = {.txn = cases[i].txn};
    assert_fails(skep_lock_request(f->db, &owner, &component, 1, &f->arena, &id, &st, NULL, &f->err), cases[i].status,
                 f->err, cases[i].text);
  }
  skep_lock_row *rows;
  uint32_t n;
  assert_ok(skep_lock_list(f->db, NULL, NULL, NULL, &f->arena, &rows, &n, &f->err), f->err);
  assert_int_equal(n, 0);
  assert_fails(skep_lock_check(f->db, 12345, &f->arena, &st, NULL, &f->err), SKEP_ERR_NOT_FOUND, f->err,
               "lockid:12345");
}

static void locks_of_a_transaction_end_with_it(void **state) {
  fixture *f = *state;
  int64_t acquired, waiting;
  assert_false(waits(f, 1, "t", NULL, SKEP_LOCK_EXCLUSIVE, &acquired, NULL));
  assert_true(waits(f, 2, "t", NULL, SKEP_LOCK_EXCLUSIVE, &waiting, NULL));
  assert_fails(skep_lock_release(f->db, acquired, &f->err), SKEP_ERR_ARGUMENT, f->err, "ends with it");
  assert_ok(skep_lock_release(f->db, waiting, &f->err), f->err);
  assert_ok(skep_lock_release(f->db, waiting, &f->err), f->err); /* gone already */
}

static void locks_without_a_transaction_live_by_their_heartbeat(void **state) {
  fixture *f = *state;
  int64_t id, n = 0;
  static const char beats[] = "SELECT count(*) FROM \"HIVE_LOCKS\" WHERE \"HL_LAST_HEARTBEAT\" > 1";
  assert_false(waits(f, 0, "t", NULL, SKEP_LOCK_EXCLUSIVE, &id, NULL));
  assert_ok(skep_db_exec(f->db, "UPDATE \"HIVE_LOCKS\" SET \"HL_LAST_HEARTBEAT\" = 1", &f->err), f->err);
  assert_ok(skep_lock_heartbeat(f->db, id, &f->err), f->err);
  assert_ok(skep_db_get_i64(f->db, beats, SKEP_NO_PARAMS, &n, NULL, &f->err), f->err);
  assert_int_equal(n, 1);
  assert_ok(skep_db_exec(f->db, "DELETE FROM \"HIVE_LOCKS\"", &f->err), f->err); /* as skep_txn_housekeep would */
  assert_fails(skep_lock_heartbeat(f->db, id, &f->err), SKEP_ERR_NOT_FOUND, f->err, "No such lock");
}

/* Names are data: quotes and the like neither end a text nor meet another name. */
static void names_are_data(void **state) {
  fixture *f = *state;
  int64_t id;
  assert_false(waits(f, 1, "t'; DELETE FROM \"TXNS\"; --", "p='1'", SKEP_LOCK_EXCLUSIVE, &id, NULL));
  assert_false(waits(f, 2, "t", NULL, SKEP_LOCK_EXCLUSIVE, &id, NULL));
  assert_true(waits(f, 3, "t'; DELETE FROM \"TXNS\"; --", NULL, SKEP_LOCK_EXCLUSIVE, &id, NULL));
}

static void a_cycle_is_found_whichever_blocker_was_noted(void **state) {
  fixture *f = *state;
  int64_t id;
  assert_false(waits(f, 1, "a", NULL, SKEP_LOCK_EXCL_WRITE, &id, NULL));
  assert_false(waits(f, 2, "b", NULL, SKEP_LOCK_EXCL_WRITE, &id, NULL));
  assert_false(waits(f, 3, "c", NULL, SKEP_LOCK_EXCL_WRITE, &id, NULL));
  assert_true(waits(f, 1, "b", NULL, SKEP_LOCK_EXCL_WRITE, &id, NULL)); /* 1 waits for 2 */
  assert_true(waits(f, 2, "c", NULL, SKEP_LOCK_EXCL_WRITE, &id, NULL)); /* 2 for 3 */
  assert_true(waits(f, 4, "a", NULL, SKEP_LOCK_EXCL_WRITE, &id, NULL)); /* 4 for 1 */
  skep_lock_row *rows;
  uint32_t n, length;
  int64_t *cycle;
  assert_ok(skep_lock_list(f->db, NULL, NULL, NULL, &f->arena, &rows, &n, &f->err), f->err);
  assert_ok(skep_lock_cycle(rows, n, 2, &f->arena, &cycle, &length, &f->err), f->err);
  assert_int_equal(length, 0);
  assert_true(waits(f, 3, "a", NULL, SKEP_LOCK_EXCL_WRITE, &id, NULL)); /* 3 for 1 and 4: closes it */
  assert_ok(skep_lock_list(f->db, NULL, NULL, NULL, &f->arena, &rows, &n, &f->err), f->err);
  for (int64_t txn = 1; txn <= 3; txn++) {
    assert_ok(skep_lock_cycle(rows, n, txn, &f->arena, &cycle, &length, &f->err), f->err);
    assert_int_equal(length, 3);
    for (int64_t i = 0; i < 3; i++) assert_int_equal(cycle[i], i + 1);
  }
  /* 3 queued behind 4, which waits too: 4 is in a longer one. */
  assert_ok(skep_lock_cycle(rows, n, 4, &f->arena, &cycle, &length, &f->err), f->err);
  assert_int_equal(length, 4);
}

int main(void) {
  if (metastore_missing()) return METASTORE_SKIPPED;
#define LOCKED(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_matrix_is_hives),
      cmocka_unit_test(letters_are_hives),
      cmocka_unit_test(merging_keeps_the_strongest_of_an_object),
      LOCKED(a_writer_waits_for_the_writer_before_it),
      LOCKED(a_waiting_exclusive_lock_holds_later_readers_back),
      LOCKED(locks_meet_where_one_object_holds_the_other),
      LOCKED(a_transaction_never_waits_for_itself_but_a_lock_without_one_does),
      LOCKED(a_request_is_granted_whole_or_not_at_all),
      LOCKED(a_transaction_that_is_over_gets_no_lock),
      LOCKED(locks_of_a_transaction_end_with_it),
      LOCKED(locks_without_a_transaction_live_by_their_heartbeat),
      LOCKED(names_are_data),
      LOCKED(a_cycle_is_found_whichever_blocker_was_noted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
