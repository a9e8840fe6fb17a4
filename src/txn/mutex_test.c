/* The mutex of processes: who has it, who waits, and that a dead holder has nothing. */
#include "txn/mutex.h"

#include <signal.h>

#include "txn/txn_testing.h"

static void the_second_is_told_that_somebody_has_it(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  skep_txn_mutex *first, *second;
  assert_ok(skep_txn_mutex_acquire(f->db, "Cleaner", 0, &first, &err), err);
  assert_int_equal(skep_txn_mutex_acquire(f->db, "Cleaner", 0, &second, &err), SKEP_ERR_BUSY);
  assert_string_equal(err.text, "another process is the Cleaner of this metastore");
  assert_null(second);
  assert_ok(skep_txn_mutex_check(first, &err), err);
  skep_txn_mutex_release(first);
  assert_ok(skep_txn_mutex_acquire(f->db, "Cleaner", 0, &second, &err), err);
  skep_txn_mutex_release(second);
}

static void names_do_not_exclude_each_other(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  static const char *const names[] = {"Initiator", "Cleaner", "HouseKeeper", "TxnCleaner", "CompactionScheduler"};
  skep_txn_mutex *m[5];
  for (int i = 0; i < 5; i++) assert_ok(skep_txn_mutex_acquire(f->db, names[i], 0, &m[i], &err), err);
  for (int i = 0; i < 5; i++) skep_txn_mutex_release(m[i]);
}

static void others_can_use_the_database_meanwhile(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  skep_txn_mutex *m;
  assert_ok(skep_txn_mutex_acquire(f->db, "Cleaner", 0, &m, &err), err);
  assert_int_equal(txn_write(f, f->db, "t", NULL, 'i', &err), SKEP_OK);
  skep_txn_mutex_release(m);
}

static void a_stamp_is_kept(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  int64_t at = -1;
  assert_ok(skep_txn_mutex_stamp(f->db, "Initiator", &at, &err), err);
  assert_int_equal(at, 0);
  for (int64_t stamp = 5000; stamp < 5002; stamp++) {
    skep_txn_mutex *m;
    assert_ok(skep_txn_mutex_acquire(f->db, "Initiator", 0, &m, &err), err);
    assert_ok(skep_txn_mutex_release_at(m, stamp, &err), err);
    assert_ok(skep_txn_mutex_stamp(f->db, "Initiator", &at, &err), err);
    assert_int_equal(at, stamp);
  }
  assert_rows(f, "SELECT \"MT_KEY1\", \"MT_KEY2\" FROM \"AUX_TABLE\"", "Initiator|5001\n");
}

/* The system takes its locks away with it; a server does when it notices. */
static void a_killed_holder_has_nothing(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  int ready[2];
  char byte = 0;
  assert_int_equal(pipe(ready), 0);
  skep_db_close(f->db); /* no connection crosses a fork */
  f->db = NULL;
  pid_t child = fork();
  if (child == 0) {
    skep_db *db = txn_connect(f, NULL);
    skep_txn_mutex *m;
    byte = skep_txn_mutex_acquire(db, "HouseKeeper", 0, &m, &err) == SKEP_OK ? 'y' : 'n';
    if (write(ready[1], &byte, 1) != 1) _exit(1);
    for (;;) pause();
  }
  f->db = txn_connect(f, NULL);
  assert_int_equal(read(ready[0], &byte, 1), 1);
  assert_int_equal(byte, 'y');
  skep_txn_mutex *m;
  assert_int_equal(skep_txn_mutex_acquire(f->db, "HouseKeeper", 0, &m, &err), SKEP_ERR_BUSY);
  kill(child, SIGKILL);
  assert_int_equal(waitpid(child, NULL, 0), child);
  assert_ok(skep_txn_mutex_acquire(f->db, "HouseKeeper", metastore_is_postgres() ? 600000 : 0, &m, &err), err);
  skep_txn_mutex_release(m);
  close(ready[0]);
  close(ready[1]);
}

static void names_are_data(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  skep_txn_mutex *m;
  char longest[200];
  memset(longest, 'x', sizeof longest);
  longest[129] = '\0';
  assert_int_equal(skep_txn_mutex_acquire(f->db, "", 0, &m, &err), SKEP_ERR_ARGUMENT);
  assert_int_equal(skep_txn_mutex_acquire(f->db, longest, 0, &m, &err), SKEP_ERR_ARGUMENT);
  assert_ok(skep_txn_mutex_acquire(f->db, "'; DROP TABLE \"TXNS\"; --", 0, &m, &err), err);
  assert_ok(skep_txn_mutex_release_at(m, 7, &err), err);
  assert_rows(f, "SELECT count(*) FROM \"TXNS\"", "1\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(the_second_is_told_that_somebody_has_it, txn_setup, txn_teardown),
      cmocka_unit_test_setup_teardown(names_do_not_exclude_each_other, txn_setup, txn_teardown),
      cmocka_unit_test_setup_teardown(others_can_use_the_database_meanwhile, txn_setup, txn_teardown),
      cmocka_unit_test_setup_teardown(a_stamp_is_kept, txn_setup, txn_teardown),
      cmocka_unit_test_setup_teardown(a_killed_holder_has_nothing, txn_setup, txn_teardown),
      cmocka_unit_test_setup_teardown(names_are_data, txn_setup, txn_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
