/* Deciding what a reader sees, from rows alone. */
#include "support/failing_alloc.h"
#include "support/test.h"
#include "txn/txn_int.h"

static skep_ctx ctx;

static const char *text_of(skep_arena *arena, const skep_txn_ids *ids, const char *table) {
  skep_buf out;
  skep_buf_init(&out, &ctx, 1 << 20);
  skep_txn_ids_print(ids, "default", table, &out);
  const char *text = skep_arena_strndup(arena, skep_buf_string(&out), out.size);
  skep_buf_fini(&out);
  return text;
}

#define MAX "9223372036854775807"

/* Source of the texts: txn-protocol 3.1 to 3.3. Ages are ms; the time-out is 1000. */
static void the_list_of_transactions_is_hives(void **state) {
  (void)state;
  const struct {
    const char *what;
    skep_txn_seen seen[8];
    size_t n;
    int64_t hwm, own;
    bool gaps;
    const char *text;
  } cases[] = {
      {"five in a row are a run",
       {{3, 'o', 0, 0}, {4, 'o', 0, 0}, {5, 'o', 0, 0}, {6, 'o', 0, 0}, {7, 'o', 0, 0}, {9, 'o', 0, 0}},
       6,
       9,
       0,
       false,
       "9:3:3-7,9:"},
      {"four are not, over aborted ones",
       {{3, 'a', 0, 0}, {4, 'o', 0, 0}, {5, 'a', 0, 0}, {6, 'a', 0, 0}, {7, 'a', 0, 0}, {8, 'a', 0, 0}},
       6,
       9,
       0,
       false,
       "9:4:4:3,5,6,7,8"},
      {"nothing open", {{37, 'c', 0, 0}}, 1, 37, 0, false, "37:" MAX "::"},
      {"open and aborted",
       {{25, 'o', 0, 9999}, {28, 'a', 0, 9999}, {30, 'o', 0, 9999}, {37, 'c', 0, 0}},
       4,
       37,
       0,
       false,
       "37:25:25,30:28"},
      {"aborted only", {{28, 'a', 0, 9999}}, 1, 37, 0, false, "37:" MAX "::28"},
      {"the newest is open", {{37, 'o', 0, 0}}, 1, 37, 0, false, "37:37:37:"},
      {"own is no exception", {{25, 'o', 0, 9999}, {37, 'o', 0, 0}}, 2, 37, 37, false, "37:25:25:"},
      {"what is above own is not listed",
       {{25, 'o', 0, 9999}, {30, 'o', 0, 0}, {35, 'a', 0, 0}},
       3,
       37,
       30,
       false,
       "30:25:25:"},
      {"read-only ones are left out",
       {{25, 'o', SKEP_TXN_READ_ONLY, 9999}, {30, 'o', 0, 0}},
       2,
       37,
       0,
       false,
       "37:30:30:"},
      {"a batch that is being opened is open", {{25, '_', 0, 9999}}, 1, 37, 0, false, "37:25:25:"},
      {"gap below a young row", {{1, 'c', 0, 5000}, {4, 'c', 0, 999}, {6, 'c', 0, 10}}, 3, 6, 0, true, "6:2:2,3,5:"},
      {"no gap below an old row", {{1, 'c', 0, 5000}, {4, 'c', 0, 1000}, {6, 'c', 0, 10}}, 3, 6, 0, true, "6:5:5:"},
      {"gap and exceptions", {{2, 'a', 0, 5000}, {4, 'o', 0, 10}}, 2, 4, 0, true, "4:3:3,4:2"},
      {"gaps up to own only", {{2, 'c', 0, 10}, {5, 'o', 0, 10}, {8, 'o', 0, 10}}, 3, 8, 5, true, "5:1:1,3,4:"},
      {"a gap below the own id", {{4, 'c', 0, 10}, {7, 'o', 0, 0}}, 2, 7, 7, true, "7:1:1,2,3,5,6:"},
      {"no gap below an own id that is old", {{4, 'c', 0, 1000}, {7, 'o', 0, 1000}}, 2, 7, 7, true, "7:" MAX "::"},
      {"no gaps where ids are in order", {{1, 'c', 0, 10}, {4, 'c', 0, 10}}, 2, 4, 0, false, "4:" MAX "::"},
  };
  skep_ctx_init(&ctx);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    skep_arena arena;
    skep_arena_init(&arena, &ctx, 1 << 20);
    skep_txn_ids ids;
    skep_err err = {0};
    assert_ok(skep_txn_decide_list(&arena, cases[i].seen, cases[i].n, cases[i].hwm, cases[i].own,
                                   cases[i].gaps ? 0 : INT64_MAX, 1000, &ids, &err),
              err);
    if (strcmp(text_of(&arena, &ids, NULL), cases[i].text) != 0) {
      fail_msg("%s: %s, expected %s", cases[i].what, text_of(&arena, &ids, NULL), cases[i].text);
    }
    skep_arena_fini(&arena);
  }
}

/* The rule before Hive's way of writing it: an id is valid when it was given out and its transaction, if a row still
 * says which, is valid. Every case is checked against it as well. */
static bool valid_by_definition(const skep_txn_ids *txns, const skep_txn_pair *rows, size_t n, int64_t highest,
                                int64_t id) {
  for (size_t i = 0; i < n; i++) {
    if (rows[i].write_id == id) return skep_txn_ids_valid(txns, rows[i].txn);
  }
  return id <= highest;
}

static void the_list_of_write_ids_is_hives(void **state) {
  (void)state;
  static const int64_t open_30[] = {30}, aborted_28[] = {28}, aborted_9[] = {9}, open_8_9[] = {8, 9};
  const skep_txn_ids plain = {.hwm = 37, .min_open = INT64_MAX};
  const skep_txn_ids mixed = {
      .hwm = 37, .min_open = 30, .n_open = 1, .open = open_30, .n_aborted = 1, .aborted = aborted_28};
  const skep_txn_ids only_9 = {.hwm = 12, .min_open = INT64_MAX, .n_aborted = 1, .aborted = aborted_9};
  const skep_txn_ids reader_9 = {.hwm = 9, .min_open = INT64_MAX};
  const skep_txn_ids two_open = {.hwm = 9, .min_open = 8, .n_open = 2, .open = open_8_9};
  const struct {
    const char *what;
    const skep_txn_ids *txns;
    skep_txn_pair rows[6];
    size_t n;
    bool older;
    int64_t highest;
    const char *text;
  } cases[] = {
      {"never written", &plain, {{0}}, 0, false, 0, "default.t:0:" MAX "::"},
      {"all rows cleaned", &plain, {{0}}, 0, false, 12, "default.t:12:" MAX "::"},
      {"all valid", &plain, {{10, 11}, {12, 12}}, 2, true, 12, "default.t:12:" MAX "::"},
      {"open and aborted", &mixed, {{27, 3}, {28, 4}, {29, 5}, {30, 9}, {36, 12}}, 5, false, 12, "default.t:12:9:9:4"},
      {"the newest is open", &mixed, {{27, 3}, {30, 4}}, 2, false, 4, "default.t:4:4:4:"},
      {"writers after the snapshot are above it",
       &mixed,
       {{27, 3}, {38, 4}, {39, 5}},
       3,
       false,
       5,
       "default.t:3:" MAX "::"},
      {"a later writer took its id first", &mixed, {{38, 3}, {27, 4}}, 2, false, 4, "default.t:4:3:3:"},
      {"nothing valid: the lowest alone", &two_open, {{8, 1}, {9, 2}}, 2, false, 2, "default.t:1:1:1:"},
      {"nothing valid, aborted", &only_9, {{9, 1}}, 1, false, 1, "default.t:1:" MAX "::1"},
      {"cleaned rows below: not shortened", &two_open, {{8, 5}, {9, 6}}, 2, true, 6, "default.t:6:5:5,6:"},
      /* Where Hive's own rule goes wrong. */
      {"cleaned rows and a writer after the snapshot", &reader_9, {{10, 5}}, 1, false, 5, "default.t:4:" MAX "::"},
      {"a cleaned row above an aborted one", &only_9, {{9, 3}}, 1, false, 6, "default.t:6:" MAX "::3"},
      {"a cleaned row above a writer after the snapshot", &reader_9, {{10, 5}}, 1, false, 6, "default.t:6:5:5:"},
      {"seeded", &plain, {{0}}, 0, false, 10000000, "default.t:10000000:" MAX "::"},
  };
  skep_ctx_init(&ctx);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    skep_arena arena;
    skep_arena_init(&arena, &ctx, 1 << 20);
    skep_txn_ids ids;
    skep_err err = {0};
    bool shorten = false;
    int64_t lowest = 0;
    assert_ok(skep_txn_decide_write_ids(&arena, cases[i].txns, cases[i].rows, cases[i].n, cases[i].highest, &ids,
                                        &shorten, &lowest, &err),
              err);
    bool below = cases[i].older || (cases[i].n > 0 && cases[i].rows[0].write_id < lowest);
    if (shorten && !below) skep_txn_shorten(&ids);
    if (strcmp(text_of(&arena, &ids, "t"), cases[i].text) != 0) {
      fail_msg("%s: %s, expected %s", cases[i].what, text_of(&arena, &ids, "t"), cases[i].text);
    }
    for (int64_t id = 1; id <= 14; id++) {
      if (skep_txn_ids_valid(&ids, id) !=
          valid_by_definition(cases[i].txns, cases[i].rows, cases[i].n, cases[i].highest, id)) {
        fail_msg("%s: write id %lld", cases[i].what, (long long)id);
      }
    }
    skep_arena_fini(&arena);
  }
}

/* Random tables: the list always says what the definition says. */
static void lists_never_lose_or_show_a_write(void **state) {
  (void)state;
  skep_ctx_init(&ctx);
  uint64_t seed = 88172645463325252u;
  for (int round = 0; round < 20000; round++) {
    int64_t open[8], aborted[8];
    skep_txn_ids txns = {.hwm = 4 + (int64_t)(seed % 5), .open = open, .aborted = aborted, .min_open = INT64_MAX};
    skep_txn_pair rows[8];
    size_t n = 0;
    for (int64_t t = 1; t <= txns.hwm; t++) {
      seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
      if (seed % 4 == 0) open[txns.n_open++] = t;
      if (seed % 4 == 1) aborted[txns.n_aborted++] = t;
    }
    if (txns.n_open > 0) txns.min_open = open[0];
    int64_t highest = 1 + (int64_t)(seed / 7 % 8), lowest = skep_txn_lowest_invalid(&txns);
    for (int64_t w = 1; w <= highest; w++) {
      seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
      if (seed % 3 == 0) continue; /* cleaned */
      int64_t txn = 1 + (int64_t)(seed / 3 % 12);
      if (txn >= lowest) rows[n++] = (skep_txn_pair){txn, w};
    }
    skep_arena arena;
    skep_arena_init(&arena, &ctx, 1 << 20);
    skep_txn_ids ids;
    skep_err err = {0};
    bool shorten = false;
    int64_t lowest_id = 0;
    assert_ok(skep_txn_decide_write_ids(&arena, &txns, rows, n, highest, &ids, &shorten, &lowest_id, &err), err);
    if (shorten && seed % 2 == 0) skep_txn_shorten(&ids);
    for (int64_t id = 1; id <= 10; id++) {
      bool expected = valid_by_definition(&txns, rows, n, highest, id);
      if (skep_txn_ids_valid(&ids, id) != expected)
        fail_msg("round %d: %s, %lld", round, text_of(&arena, &ids, "t"), (long long)id);
    }
    skep_arena_fini(&arena);
  }
}

static void without_memory_a_list_fails(void **state) {
  (void)state;
  failing_alloc memory;
  skep_ctx failing;
  failing_alloc_ctx(&memory, &failing);
  skep_txn_seen seen[40];
  for (int i = 0; i < 40; i++) seen[i] = (skep_txn_seen){i + 1, i % 2 ? 'o' : 'a', 0, 0};
  for (uint64_t n = 1;; n++) {
    failing_alloc_arm(&memory, n);
    skep_arena arena;
    skep_arena_init(&arena, &failing, 1 << 20);
    skep_txn_ids ids;
    skep_err err = {0};
    skep_status status = skep_txn_decide_list(&arena, seen, 40, 40, 0, INT64_MAX, 1000, &ids, &err);
    skep_arena_fini(&arena);
    assert_int_equal(failing_alloc_live(&memory), 0);
    if (!failing_alloc_fired(&memory)) {
      assert_ok(status, err);
      break;
    }
    assert_int_equal(status, SKEP_ERR_NOMEM);
  }
}

static void letters_that_never_meet_follow_from_the_rule(void **state) {
  static const char *const cases[][2] = {{"i", "ids"}, {"u", ""}, {"d", "i"}, {"s", "i"}};
  char letters[SKEP_TXN_LETTERS_SIZE];
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    skep_txn_harmless(cases[i][0][0], letters);
    assert_string_equal(letters, cases[i][1]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(letters_that_never_meet_follow_from_the_rule),
      cmocka_unit_test(the_list_of_transactions_is_hives),
      cmocka_unit_test(the_list_of_write_ids_is_hives),
      cmocka_unit_test(lists_never_lose_or_show_a_write),
      cmocka_unit_test(without_memory_a_list_fails),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
