/* Snapshot texts of all Hive versions, and what they say about ids and ranges. */
#include "acid/snapshot.h"

#include "support/failing_alloc.h"
#include "support/test.h"

typedef struct fixture {
  skep_ctx ctx;
  skep_arena arena;
  skep_err err;
} fixture;

static int setup(void **state) {
  static fixture f;
  skep_ctx_init(&f.ctx);
  skep_arena_init(&f.arena, &f.ctx, 256 << 20);
  f.err = (skep_err){0};
  *state = &f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  skep_arena_fini(&f->arena);
  return 0;
}

#define LAST "9223372036854775807"

/* Every spelling, and the canonical text that must come out. Texts with '$' and txn lists are from the golden tables.
 */
static void every_spelling_parses_and_prints_in_one(void **state) {
  static const struct {
    const char *write_ids, *txns;
    skep_hive_version hive;
    const char *want_write_ids, *want_txns;
  } cases[] = {
      {"6$s01.people:0:" LAST "::", "6:" LAST "::", SKEP_HIVE_4, "s01.people:0:" LAST "::", "6:" LAST "::"},
      {"db.t:10:4:4,6:5,7", NULL, SKEP_HIVE_4, "db.t:10:4:4,6:5,7", ""},
      {"db.t:10", NULL, SKEP_HIVE_4, "db.t:10:" LAST "::", ""},
      {"db.t:10:4", NULL, SKEP_HIVE_4, "db.t:10:4::", ""},
      {"db.t:10:4:4", NULL, SKEP_HIVE_4, "db.t:10:4:4:", ""},
      {"db.t:10:" LAST ":9,4:", NULL, SKEP_HIVE_4, "db.t:10:4:4,9:", ""},
      {"db.t:10::4:", NULL, SKEP_HIVE_4, "db.t:10:4:4:", ""},
      {"a:5:10:4:4:", NULL, SKEP_HIVE_4, "a:5:10:4:4:", ""}, /* the table is "a:5" */
      {"7$x$y.t:10:4::", NULL, SKEP_HIVE_4, "x$y.t:10:4::", ""},
      {"x$y.t:3", NULL, SKEP_HIVE_4, "x$y.t:3:" LAST "::", ""},
      {NULL, "500:" LAST "::5,25,242,266,290", SKEP_HIVE_3, "", "500:" LAST "::5,25,242,266,290"},
      {NULL, "12:3:3-5,9:6-7", SKEP_HIVE_4, "", "12:3:3-5,9:6,7"},
      {NULL, "30:28:29:30", SKEP_HIVE_1, "", "30:28:28-30:"}, /* all three are exceptions */
      {NULL, "0:", SKEP_HIVE_1, "", "0:" LAST "::"},
      {NULL, "0:" LAST ":", SKEP_HIVE_2, "", "0:" LAST "::"},
      {NULL, "83:81:55:56:81:82:83", SKEP_HIVE_2, "", "83:81:81-83:55,56"}, /* below the lowest open one: aborted */
      {NULL, "72:" LAST ":55:56", SKEP_HIVE_2, "", "72:" LAST "::55,56"},
      {NULL, "37:36:36", SKEP_HIVE_2, "", "37:36:36:"},
      {NULL, NULL, SKEP_HIVE_4, "", ""},
  };
  fixture *f = *state;
  skep_buf write_ids, txns;
  skep_buf_init(&write_ids, &f->ctx, 1000);
  skep_buf_init(&txns, &f->ctx, 1000);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    skep_snapshot s, again;
    assert_ok(skep_snapshot_parse(&f->arena, cases[i].write_ids, cases[i].txns, cases[i].hive, &s, &f->err), f->err);
    for (int round = 0; round < 2; round++) {
      skep_buf_reset(&write_ids);
      skep_buf_reset(&txns);
      skep_snapshot_print(&s, &write_ids, &txns);
      if (round == 0 && cases[i].hive == SKEP_HIVE_1 && s.txns.n_open != 0) {
        assert_string_equal(skep_buf_string(&txns), "30:" LAST ":28-30:"); /* no lowest open id is given */
      } else {
        assert_string_equal(skep_buf_string(&write_ids), cases[i].want_write_ids);
        assert_string_equal(skep_buf_string(&txns), cases[i].want_txns);
      }
      assert_ok(skep_snapshot_parse(&f->arena, s.has_write_ids ? skep_buf_string(&write_ids) : NULL,
                                    s.has_txns ? skep_buf_string(&txns) : NULL, SKEP_HIVE_4, &again, &f->err),
                f->err);
      assert_int_equal(again.write_ids_are_txns, s.write_ids_are_txns);
      assert_int_equal(again.everything, s.everything);
      s = again;
    }
  }
  skep_buf_fini(&write_ids);
  skep_buf_fini(&txns);
}

static void wrong_texts_are_refused_and_the_wrong_part_named(void **state) {
  static const struct {
    const char *write_ids, *txns;
    skep_hive_version hive;
    skep_status status;
    const char *message;
  } cases[] = {
      {"", NULL, SKEP_HIVE_4, SKEP_ERR_ARGUMENT, "a table name and a list"},
      {"5", NULL, SKEP_HIVE_4, SKEP_ERR_ARGUMENT, "a table name and a list"},
      {":5:6", NULL, SKEP_HIVE_4, SKEP_ERR_ARGUMENT, "a table name and a list"},
      {"t:", NULL, SKEP_HIVE_4, SKEP_ERR_ARGUMENT, "write id list \"\": expected a number as high watermark"},
      {"t:x:5::", NULL, SKEP_HIVE_4, SKEP_ERR_ARGUMENT, "write id list \"x\": expected a number as high watermark"},
      {"t:5:y::", NULL, SKEP_HIVE_4, SKEP_ERR_ARGUMENT, "\"y\": expected a number as lowest open id"},
      {"t:5:1:1,,2:", NULL, SKEP_HIVE_4, SKEP_ERR_ARGUMENT, "\"\": expected an id or a run"},
      {"t:5:1:1,z:", NULL, SKEP_HIVE_4, SKEP_ERR_ARGUMENT, "\"z\": expected an id or a run"},
      {"t:5:1:3-1:", NULL, SKEP_HIVE_4, SKEP_ERR_ARGUMENT, "\"3-1\": expected an id or a run"},
      {"t:-5:1::", NULL, SKEP_HIVE_4, SKEP_ERR_ARGUMENT, "\"-5\": expected a number as high watermark"},
      {"5:9223372036854775807::", NULL, SKEP_HIVE_4, SKEP_ERR_ARGUMENT,
       "\"5:9223372036854775807::\": expected a table name before the first ':'"},
      {"t:9223372036854775807:5::", NULL, SKEP_HIVE_4, SKEP_ERR_ARGUMENT, "hwm and minOpen seem to be swapped"},
      {NULL, "9223372036854775807:5::", SKEP_HIVE_4, SKEP_ERR_ARGUMENT, "hwm and minOpen seem to be swapped"},
      {"t:99999999999999999999", NULL, SKEP_HIVE_4, SKEP_ERR_ARGUMENT, "expected a number as high watermark"},
      {"t:5:1:0-9223372036854775806:", NULL, SKEP_HIVE_4, SKEP_ERR_LIMIT, "more than 4194304 ids"},
      {NULL, "", SKEP_HIVE_4, SKEP_ERR_ARGUMENT, "transaction list \"\": expected a number"},
      {NULL, "5:6:7:8:9", SKEP_HIVE_4, SKEP_ERR_ARGUMENT, "at most hwm:minOpen:open:aborted"},
      {NULL, "5:a", SKEP_HIVE_1, SKEP_ERR_ARGUMENT, "\"a\": expected an id"},
      {NULL, "5:a:7", SKEP_HIVE_2, SKEP_ERR_ARGUMENT, "\"a\": expected a number as lowest open id"},
      {NULL, "5:6::7", SKEP_HIVE_2, SKEP_ERR_ARGUMENT, "\"\": expected an id"},
      {NULL, "5\n", SKEP_HIVE_3, SKEP_ERR_ARGUMENT, "\"5\\x0a\""},
  };
  fixture *f = *state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    skep_snapshot s;
    skep_status status = skep_snapshot_parse(&f->arena, cases[i].write_ids, cases[i].txns, cases[i].hive, &s, &f->err);
    assert_int_equal(status, cases[i].status);
    if (strstr(f->err.text, cases[i].message) == NULL) fail_msg("\"%s\" lacks \"%s\"", f->err.text, cases[i].message);
  }
}

static void ids_and_ranges_are_judged_as_hive_does(void **state) {
  fixture *f = *state;
  skep_snapshot s;
  assert_ok(skep_snapshot_parse(&f->arena, "db.t:10:4:4,6:5,8,9", "100:50:50:60", SKEP_HIVE_4, &s, &f->err), f->err);
  static const bool valid[12] = {true, true, true, true, false, false, false, true, false, false, true, false};
  for (int64_t w = 0; w < 12; w++) assert_int_equal(skep_snapshot_write_id_valid(&s, w), valid[w]);
  assert_true(skep_snapshot_write_id_valid(&s, INT64_MIN));
  assert_true(skep_snapshot_write_id_aborted(&s, 5));
  assert_false(skep_snapshot_write_id_aborted(&s, 4));
  assert_false(skep_snapshot_write_id_aborted(&s, 11));
  static const struct {
    int64_t min, max;
    skep_range valid, aborted;
  } ranges[] = {
      {1, 3, SKEP_RANGE_ALL, SKEP_RANGE_NONE},    {1, 4, SKEP_RANGE_SOME, SKEP_RANGE_NONE},
      {4, 6, SKEP_RANGE_NONE, SKEP_RANGE_SOME},   {5, 5, SKEP_RANGE_NONE, SKEP_RANGE_ALL},
      {8, 9, SKEP_RANGE_NONE, SKEP_RANGE_ALL},    {7, 7, SKEP_RANGE_ALL, SKEP_RANGE_NONE},
      {9, 10, SKEP_RANGE_SOME, SKEP_RANGE_SOME},  {9, 20, SKEP_RANGE_SOME, SKEP_RANGE_SOME},
      {11, 20, SKEP_RANGE_NONE, SKEP_RANGE_NONE}, {0, INT64_MAX, SKEP_RANGE_SOME, SKEP_RANGE_SOME},
  };
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
    assert_int_equal(skep_snapshot_range_valid(&s, ranges[i].min, ranges[i].max), ranges[i].valid);
    assert_int_equal(skep_snapshot_range_aborted(&s, ranges[i].min, ranges[i].max), ranges[i].aborted);
  }
  assert_true(skep_snapshot_txn_valid(&s, 0));
  assert_true(skep_snapshot_txn_valid(&s, 100));
  assert_false(skep_snapshot_txn_valid(&s, 101));
  assert_false(skep_snapshot_txn_valid(&s, 50));
  assert_false(skep_snapshot_txn_valid(&s, 60));
  assert_true(skep_snapshot_txn_aborted(&s, 60));
  assert_false(skep_snapshot_txn_aborted(&s, 50));
}

static void a_transaction_list_alone_judges_write_ids(void **state) {
  fixture *f = *state;
  skep_snapshot s;
  assert_ok(skep_snapshot_parse(&f->arena, NULL, "37:36:29:36", SKEP_HIVE_2, &s, &f->err), f->err);
  assert_true(s.write_ids_are_txns);
  assert_true(skep_snapshot_write_id_valid(&s, 35));
  assert_false(skep_snapshot_write_id_valid(&s, 36));
  assert_false(skep_snapshot_write_id_valid(&s, 38));
  assert_true(skep_snapshot_write_id_aborted(&s, 29));
  assert_int_equal(skep_snapshot_range_valid(&s, 30, 35), SKEP_RANGE_ALL);
}

static void without_lists_everything_is_valid(void **state) {
  fixture *f = *state;
  skep_snapshot s;
  assert_ok(skep_snapshot_parse(&f->arena, NULL, NULL, SKEP_HIVE_4, &s, &f->err), f->err);
  assert_true(s.everything);
  assert_true(skep_snapshot_write_id_valid(&s, INT64_MAX));
  assert_int_equal(skep_snapshot_range_valid(&s, 1, INT64_MAX), SKEP_RANGE_ALL);
  assert_int_equal(skep_snapshot_range_aborted(&s, 1, INT64_MAX), SKEP_RANGE_NONE);
  assert_true(skep_snapshot_txn_valid(&s, 19));
}

/* Against the definition, id by id. */
static void ranges_agree_with_counting(void **state) {
  fixture *f = *state;
  uint64_t seed = 12345;
  for (int round = 0; round < 200; round++) {
    char text[256];
    int at = snprintf(text, sizeof text, "t:%d:1", 12);
    for (int list = 0; list < 2; list++) {
      at += snprintf(text + at, sizeof text - (size_t)at, ":");
      for (int id = 1, n = 0; id <= 14; id++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        if ((seed >> 60) < 4) at += snprintf(text + at, sizeof text - (size_t)at, n++ == 0 ? "%d" : ",%d", id);
      }
    }
    skep_snapshot s;
    assert_ok(skep_snapshot_parse(&f->arena, text, NULL, SKEP_HIVE_4, &s, &f->err), f->err);
    for (int64_t min = 1; min <= 15; min++) {
      for (int64_t max = min; max <= 15; max++) {
        int64_t n_valid = 0, n_aborted = 0, n = max - min + 1;
        for (int64_t w = min; w <= max; w++) {
          n_valid += skep_snapshot_write_id_valid(&s, w);
          n_aborted += skep_snapshot_write_id_aborted(&s, w);
        }
        assert_int_equal(skep_snapshot_range_valid(&s, min, max), n_valid == 0   ? SKEP_RANGE_NONE
                                                                  : n_valid == n ? SKEP_RANGE_ALL
                                                                                 : SKEP_RANGE_SOME);
        assert_int_equal(skep_snapshot_range_aborted(&s, min, max), n_aborted == 0   ? SKEP_RANGE_NONE
                                                                    : n_aborted == n ? SKEP_RANGE_ALL
                                                                                     : SKEP_RANGE_SOME);
      }
    }
  }
}

static void running_out_of_memory_is_a_status(void **state) {
  (void)state;
  failing_alloc memory;
  skep_ctx ctx;
  failing_alloc_ctx(&memory, &ctx);
  for (uint64_t n = 1;; n++) {
    skep_arena arena;
    skep_arena_init(&arena, &ctx, 1 << 20);
    failing_alloc_arm(&memory, n);
    skep_snapshot s;
    skep_err err;
    skep_status status = skep_snapshot_parse(&arena, "db.t:9000:1:1-3000:4000-8000", "9:1:2:3", SKEP_HIVE_4, &s, &err);
    skep_arena_fini(&arena);
    assert_int_equal(failing_alloc_live(&memory), 0);
    if (!failing_alloc_fired(&memory)) break;
    assert_int_equal(status, SKEP_ERR_NOMEM);
  }
}

int main(void) {
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(every_spelling_parses_and_prints_in_one, setup, teardown),
      cmocka_unit_test_setup_teardown(wrong_texts_are_refused_and_the_wrong_part_named, setup, teardown),
      cmocka_unit_test_setup_teardown(ids_and_ranges_are_judged_as_hive_does, setup, teardown),
      cmocka_unit_test_setup_teardown(a_transaction_list_alone_judges_write_ids, setup, teardown),
      cmocka_unit_test_setup_teardown(without_lists_everything_is_valid, setup, teardown),
      cmocka_unit_test_setup_teardown(ranges_agree_with_counting, setup, teardown),
      cmocka_unit_test(running_out_of_memory_is_a_status),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
