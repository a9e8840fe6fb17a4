/* How far a table may be cleaned: whom it waits for, and what happens to those it does not wait for. */
#include "txn/watermark.h"

#include "txn/txn_testing.h"

static skep_txn begin_with(txn_fixture *f, const char *const *names, uint32_t n) {
  skep_txn_table tables[40] = {0};
  for (uint32_t i = 0; i < n; i++) tables[i] = (skep_txn_table){.database = "d", .table = names[i]};
  return txn_begin(f, f->db, tables, n);
}

static skep_txn begin_reader(txn_fixture *f, const char *table) { return begin_with(f, &table, table != NULL ? 1 : 0); }

/* What Hive opens: it says nothing about tables. */
static int64_t begin_foreign(txn_fixture *f) {
  skep_err err = {0};
  int64_t id;
  uint32_t n;
  assert_ok(skep_txn_open(f->db, &f->conf, SKEP_TXN_DEFAULT, 1, &id, &n, &err), err);
  return id;
}

static int64_t horizon(txn_fixture *f, const char *table) {
  skep_err err = {0};
  skep_txn_horizon h;
  assert_ok(skep_txn_cleaner_horizon(f->db, &f->conf, &f->arena, "d", table, &h, &err), err);
  return h.min_txn;
}

static int64_t claim_up_to(txn_fixture *f, const char *table, int64_t up_to) {
  skep_err err = {0};
  skep_txn_horizon h;
  assert_ok(skep_txn_cleaner_claim(f->db, &f->conf, &f->arena, "d", table, up_to, &h, &err), err);
  return h.min_txn;
}

static int64_t claim(txn_fixture *f, const char *table) { return claim_up_to(f, table, 0); }

static void commit(txn_fixture *f, int64_t txn) {
  skep_err err = {0};
  assert_ok(skep_txn_commit(f->db, txn, NULL, 0, NULL, NULL, &err), err);
}

static skep_status touch(txn_fixture *f, const skep_txn *txn, const char *table, skep_err *err) {
  skep_txn_table t = {.database = "d", .table = table};
  return skep_txn_use_tables(f->db, &f->arena, txn, &t, 1, err);
}

static void nobody_open_means_the_next_transaction(void **state) {
  txn_fixture *f = *state;
  assert_int_equal(horizon(f, "t"), 1);
  skep_txn a = begin_reader(f, "t");
  commit(f, a.id);
  assert_int_equal(horizon(f, "t"), 2);
}

static void a_reader_holds_back_its_own_table_only(void **state) {
  txn_fixture *f = *state;
  skep_txn a = begin_reader(f, "t"), b = begin_reader(f, "u");
  assert_int_equal(horizon(f, "t"), a.id);
  assert_int_equal(horizon(f, "u"), b.id);
  assert_int_equal(horizon(f, "v"), b.id + 1);
  commit(f, a.id);
  assert_int_equal(horizon(f, "t"), b.id + 1);
}

static void a_foreign_transaction_holds_back_everything(void **state) {
  txn_fixture *f = *state;
  int64_t foreign = begin_foreign(f);
  skep_txn mine = begin_reader(f, "t");
  assert_true(mine.id > foreign);
  assert_int_equal(horizon(f, "t"), foreign);
  assert_int_equal(horizon(f, "u"), foreign);
}

static void a_foreign_one_that_registers_is_like_our_own(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  int64_t worker = begin_foreign(f);
  skep_txn_table t = {.database = "d", .table = "t"};
  assert_ok(skep_txn_register(f->db, worker, &t, 1, &err), err);
  f->now_ms += 1001; /* numbers below it are no longer awaited */
  assert_int_equal(horizon(f, "t"), worker);
  assert_int_equal(horizon(f, "u"), worker + 1);
  commit(f, worker);
  assert_int_equal(skep_txn_register(f->db, worker, &t, 1, &err), SKEP_ERR_NOT_FOUND);
}

static void more_tables_than_fit_hold_back_everything(void **state) {
  txn_fixture *f = *state;
  char text[40][8];
  const char *names[40];
  for (int i = 0; i < 40; i++) {
    snprintf(text[i], sizeof text[i], "t%d", i);
    names[i] = text[i];
  }
  skep_txn few = begin_with(f, names, 14);
  assert_int_equal(horizon(f, "t13"), few.id);
  assert_int_equal(horizon(f, "else"), few.id + 1);
  commit(f, few.id);
  skep_txn many = begin_with(f, names, 40);
  assert_int_equal(horizon(f, "t39"), many.id);
  assert_int_equal(horizon(f, "else"), many.id);
  assert_rows(f, "SELECT count(*) FROM \"TXNS\" WHERE length(\"TXN_META_INFO\") > 128", "0\n");
}

static void the_first_touch_of_an_explicit_transaction_counts(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  skep_txn explicit = begin_reader(f, NULL), other = begin_reader(f, "u");
  assert_int_equal(horizon(f, "t"), other.id + 1);
  assert_ok(touch(f, &explicit, "t", &err), err);
  assert_int_equal(horizon(f, "t"), explicit.id);
  assert_ok(touch(f, &explicit, "t", &err), err);
  assert_int_equal(horizon(f, "v"), other.id + 1);
}

static void a_touch_after_the_cleaning_is_a_snapshot_too_old(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  skep_txn old = begin_reader(f, "u");
  skep_txn done = begin_reader(f, "t");
  commit(f, done.id);
  assert_int_equal(claim(f, "t"), done.id + 1);
  assert_int_equal(touch(f, &old, "t", &err), SKEP_ERR_CONFLICT);
  assert_string_equal(
      err.text,
      "Snapshot too old: transaction txnid:1 touches d.t for the first time, and what transactions below 3 "
      "could read there may have been cleaned up; run it again in a new transaction");
  assert_ok(touch(f, &old, "v", &err), err); /* another table is there */
  skep_txn fresh = begin_reader(f, "u");
  assert_ok(touch(f, &fresh, "t", &err), err);
}

static void who_began_after_a_compaction_is_not_kept_out(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  skep_txn before = begin_reader(f, NULL), compaction = begin_reader(f, "t");
  commit(f, compaction.id);
  skep_txn after = begin_reader(f, NULL), later = begin_reader(f, "u");
  commit(f, later.id);
  assert_int_equal(claim_up_to(f, "t", compaction.id + 1), compaction.id + 1);
  assert_ok(touch(f, &after, "t", &err), err);
  assert_int_equal(touch(f, &before, "t", &err), SKEP_ERR_CONFLICT);
}

static void a_star_does_not_hide_that_a_table_was_cleaned_before_it(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  char name[8];
  skep_txn old = begin_reader(f, "u"), done = begin_reader(f, "t");
  commit(f, done.id);
  claim(f, "t");
  for (int i = 0; i < 20; i++) {
    snprintf(name, sizeof name, "x%d", i);
    assert_ok(touch(f, &old, name, &err), err);
  }
  assert_int_equal(touch(f, &old, "t", &err), SKEP_ERR_CONFLICT);
}

static void looking_only_promises_nothing(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  skep_txn old = begin_reader(f, "u"), done = begin_reader(f, "t");
  commit(f, done.id);
  assert_int_equal(horizon(f, "t"), done.id + 1);
  assert_ok(touch(f, &old, "t", &err), err);
  assert_int_equal(claim(f, "t"), old.id);
  assert_rows(f, "SELECT count(*) FROM \"AUX_TABLE\"", "0\n");
}

static void published_horizons_go_when_nobody_is_below(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  skep_txn old = begin_reader(f, "u"), done = begin_reader(f, "t");
  commit(f, done.id);
  claim(f, "t");
  assert_ok(skep_txn_housekeep(f->db, &f->conf, NULL, &err), err);
  assert_rows(f, "SELECT count(*) FROM \"AUX_TABLE\"", "1\n");
  commit(f, old.id);
  assert_ok(skep_txn_housekeep(f->db, &f->conf, NULL, &err), err);
  assert_rows(f, "SELECT count(*) FROM \"AUX_TABLE\"", "0\n");
}

static void what_was_cleaned_is_missing_under_a_new_name_too(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  skep_txn old = begin_reader(f, "other");
  skep_txn reader = begin_reader(f, "t");
  commit(f, reader.id);
  assert_true(claim(f, "t") > old.id);
  assert_ok(skep_txn_rename_table(f->db, "d", "t", "d", "renamed", &err), err);
  assert_int_equal(touch(f, &old, "renamed", &err), SKEP_ERR_CONFLICT);
  assert_non_null(strstr(err.text, "Snapshot too old"));
}

static void a_renamed_table_is_still_in_use(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  skep_txn a = begin_reader(f, "t"), b = begin_reader(f, "u");
  assert_ok(skep_txn_rename_table(f->db, "d", "t", "e", "renamed", &err), err);
  skep_txn_horizon h;
  assert_ok(skep_txn_cleaner_horizon(f->db, &f->conf, &f->arena, "e", "renamed", &h, &err), err);
  assert_int_equal(h.min_txn, a.id);
  assert_int_equal(horizon(f, "v"), b.id + 1);
}

static void holders_are_named(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  f->conf = (skep_txn_conf){.opening_ms = f->conf.opening_ms, .user = "ann", .host = "h7", .agent = "skep_query_1"};
  skep_txn a = begin_reader(f, "t");
  f->conf = (skep_txn_conf){.opening_ms = f->conf.opening_ms, .user = "hive\n", .host = "hs2"};
  int64_t b = begin_foreign(f);
  f->now_ms += 3 * 3600 * 1000;
  skep_txn_horizon h;
  assert_ok(skep_txn_cleaner_horizon(f->db, &f->conf, &f->arena, "d", "t", &h, &err), err);
  assert_int_equal(h.n_holding, 2);
  assert_int_equal(h.n_holders, 2);
  assert_int_equal(h.holders[0].txn, a.id);
  assert_int_equal(h.holders[1].txn, b);
  skep_buf text;
  skep_buf_init(&text, &f->ctx, 4096);
  skep_txn_holder_print(&h.holders[0], &text);
  skep_buf_text(&text, "\n");
  skep_txn_holder_print(&h.holders[1], &text);
  assert_string_equal(
      skep_buf_string(&text),
      "transaction 1 of ann@h7 (query skep_query_1), open for 3 hours, last heard of 3 hours ago\n"
      "transaction 2 of hive\\x0a@hs2, open for 3 hours, last heard of 3 hours ago, not Skep's: it may read any table");
  skep_buf_fini(&text);
}

static void the_lists_are_those_of_the_oldest_reader(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  assert_int_equal(txn_write(f, f->db, "t", NULL, 'i', &err), SKEP_OK); /* 1, write id 1 */
  skep_txn_table t = {.database = "d", .table = "t", .write = 'i'};
  skep_txn lost = txn_begin(f, f->db, &t, 1); /* 2, write id 2 */
  assert_ok(skep_txn_abort(f->db, lost.id, SKEP_ABORT_ROLLBACK, false, &err), err);
  begin_reader(f, "u");                                                 /* 3 */
  assert_int_equal(txn_write(f, f->db, "t", NULL, 'i', &err), SKEP_OK); /* 4, write id 3 */
  begin_reader(f, "t");                                                 /* 5 */
  assert_int_equal(txn_write(f, f->db, "t", NULL, 'i', &err), SKEP_OK); /* 6, write id 4 */
  skep_txn_horizon h;
  assert_ok(skep_txn_cleaner_horizon(f->db, &f->conf, &f->arena, "d", "t", &h, &err), err);
  assert_int_equal(h.min_txn, 5);
  assert_int_equal(h.global_min_txn, 3);
  assert_string_equal(h.valid_txns, "4:3:3:2");
  assert_string_equal(h.valid_write_ids, "d.t:3:9223372036854775807::2");
}

static void what_an_open_transaction_says_is_no_reason(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  skep_txn a = begin_reader(f, "t");
  char letter;
  const char *reason = "?";
  assert_ok(skep_txn_state(f->db, a.id, &letter, &f->arena, &reason, &err), err);
  assert_null(reason);
  skep_txn_row *rows;
  uint32_t n;
  assert_ok(skep_txn_list(f->db, &f->arena, &rows, &n, &err), err);
  assert_null(rows[0].reason);
  commit(f, a.id);
  assert_rows(f, "SELECT \"TXN_STATE\", \"TXN_META_INFO\" FROM \"TXNS\" WHERE \"TXN_ID\" = 1", "c|\\N\n");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, txn_setup, txn_teardown)
  const struct CMUnitTest tests[] = {
      TEST(nobody_open_means_the_next_transaction),
      TEST(a_reader_holds_back_its_own_table_only),
      TEST(a_foreign_transaction_holds_back_everything),
      TEST(a_foreign_one_that_registers_is_like_our_own),
      TEST(more_tables_than_fit_hold_back_everything),
      TEST(the_first_touch_of_an_explicit_transaction_counts),
      TEST(a_touch_after_the_cleaning_is_a_snapshot_too_old),
      TEST(who_began_after_a_compaction_is_not_kept_out),
      TEST(a_star_does_not_hide_that_a_table_was_cleaned_before_it),
      TEST(looking_only_promises_nothing),
      TEST(published_horizons_go_when_nobody_is_below),
      TEST(a_renamed_table_is_still_in_use),
      TEST(what_was_cleaned_is_missing_under_a_new_name_too),
      TEST(holders_are_named),
      TEST(the_lists_are_those_of_the_oldest_reader),
      TEST(what_an_open_transaction_says_is_no_reason),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
