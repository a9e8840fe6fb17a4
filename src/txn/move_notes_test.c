/* Notes about renames: what goes in comes out, whatever its length. */
#include "txn/move_notes.h"

#include "txn/txn_testing.h"

static void notes_of_any_length_come_back_the_latest_first(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  char longest[4000];
  for (size_t i = 0; i + 2 < sizeof longest; i += 2) memcpy(longest + i, "\xc3\xa4", 2);
  longest[0] = '/';
  longest[1] = 'x';
  longest[sizeof longest - 2] = '\0';
  const skep_txn_move moves[] = {{"/w/a", "/w/b"}, {longest, "/w/\nc"}, {"/w/d", longest}};
  skep_txn_move *out;
  size_t n;
  int64_t first, n_rows, deleted;
  assert_ok(skep_txn_moves_add(f->db, &f->arena, moves, 3, &first, &n_rows, &err), err);
  assert_rows(f, "SELECT count(*) FROM \"AUX_TABLE\" WHERE length(\"MT_COMMENT\") > 255", "0\n");
  assert_ok(skep_txn_moves_list(f->db, &f->arena, &out, &n, &err), err);
  assert_int_equal(n, 3);
  for (size_t i = 0; i < 3; i++) {
    assert_string_equal(out[i].from, moves[2 - i].from);
    assert_string_equal(out[i].to, moves[2 - i].to);
  }
  assert_ok(skep_txn_moves_delete(f->db, first, n_rows, &deleted, &err), err);
  assert_int_equal(deleted, n_rows);
  assert_ok(skep_txn_moves_list(f->db, &f->arena, &out, &n, &err), err);
  assert_int_equal(n, 0);
  const skep_txn_move bad = {"/w/\na", "/w/b"};
  assert_fails(skep_txn_moves_add(f->db, &f->arena, &bad, 1, &first, &n_rows, &err), SKEP_ERR_UNSUPPORTED, err,
               "a line end in its name");
}

static void what_is_no_note_is_passed_over(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  skep_txn_move *out;
  size_t n;
  static const char *const comments[] = {"hello", "/w/old\n/w/new", ".nothing", "+half"};
  for (int64_t i = 0; i < 4; i++)
    assert_ok(skep_db_run(f->db, "INSERT INTO \"AUX_TABLE\" VALUES ('skep.move', ?, ?)",
                          SKEP_PARAMS(skep_p_i64(i), skep_p_text(comments[i])), NULL, &err),
              err);
  assert_ok(skep_txn_moves_list(f->db, &f->arena, &out, &n, &err), err);
  assert_int_equal(n, 1);
  assert_string_equal(out[0].to, "/w/new");
  assert_ok(skep_txn_moves_clear(f->db, &err), err);
  assert_rows(f, "SELECT count(*) FROM \"AUX_TABLE\"", "0\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(notes_of_any_length_come_back_the_latest_first, txn_setup, txn_teardown),
      cmocka_unit_test_setup_teardown(what_is_no_note_is_passed_over, txn_setup, txn_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
