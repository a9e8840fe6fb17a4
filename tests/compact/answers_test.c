/* A compaction changes no answer: random writes through statements, every kind of compaction and cleaning at any point,
 * readers on old snapshots. The rows with their ids are the same before and after (a rebalance: the rows), a reader
 * sees what it saw, and what was rolled back never comes back. SKEP_TEST_ROUNDS, SKEP_TEST_SEED: more of it, other
 * ones. */
#include "support/compactor.h"

enum { ROUNDS = 50, STEPS = 14, READERS = 2 };

typedef struct play {
  warehouse w;
  compactor c;
  uint64_t seed;
  int next_id;
  bool insert_only, rebalanced;
  skep_session *readers[READERS];
  char *seen[READERS]; /* what it saw first; NULL: no transaction */
} play;

static uint64_t draw(play *p, uint64_t below) {
  p->seed ^= p->seed << 13;
  p->seed ^= p->seed >> 7;
  p->seed ^= p->seed << 17;
  return p->seed % below;
}

static const char with_ids[] =
    "SELECT ROW__ID.writeid, ROW__ID.bucketid, ROW__ID.rowid, id, v FROM t ORDER BY 1, 2, 3, 4, 5";
static const char plain[] = "SELECT id, v FROM t ORDER BY id, v";

static char *rows_of(play *p, skep_session *session, const char *sql) {
  skep_status st = warehouse_try(&p->w, session, sql);
  if (st != SKEP_OK) fail_msg("%s: %s", sql, p->w.err.text);
  return strdup(skep_buf_string(&p->w.text));
}

static void end_reading(play *p, int i) {
  if (p->seen[i] == NULL) return;
  assert_ok(warehouse_try(&p->w, p->readers[i], "COMMIT"), p->w.err);
  free(p->seen[i]);
  p->seen[i] = NULL;
}

/* ---- writes ---- */

static void write_something(play *p) {
  char sql[300];
  int a = (int)draw(p, 40), b = a + (int)draw(p, 15);
  switch (p->insert_only ? draw(p, 3) : draw(p, 8)) {
    case 0:
    case 1:
    case 2:
      snprintf(sql, sizeof sql, "INSERT INTO t VALUES (%d,'i%d'),(%d,'j'),(%d,NULL)", p->next_id, p->next_id,
               p->next_id + 1, p->next_id + 2);
      p->next_id += 3;
      break;
    case 3:
      snprintf(sql, sizeof sql, "UPDATE t SET v = concat(coalesce(v, ''), 'u') WHERE id BETWEEN %d AND %d", a, b);
      break;
    case 4:
      snprintf(sql, sizeof sql, "DELETE FROM t WHERE id BETWEEN %d AND %d AND id %% 3 = 1", a, b);
      break;
    case 5: /* waits for readers */
      for (int i = 0; i < READERS; i++) end_reading(p, i);
      snprintf(sql, sizeof sql, "INSERT OVERWRITE TABLE t SELECT id, v FROM t WHERE id <> %d", a);
      break;
    case 6:
      snprintf(
          sql, sizeof sql,
          "MERGE INTO t USING (SELECT id AS k FROM t WHERE id %% 5 = %d) s ON t.id = s.k WHEN MATCHED AND s.k %% 2 "
          "= 0 THEN DELETE WHEN MATCHED THEN UPDATE SET v = 'm'",
          (int)draw(p, 5));
      break;
    default:
      snprintf(sql, sizeof sql, "DELETE FROM t WHERE id = %d", a);
  }
  warehouse_run(&p->w, sql);
}

/* A transaction that is rolled back, or committed as a whole. */
static void write_in_a_transaction(play *p) {
  warehouse_run(&p->w, "START TRANSACTION");
  for (uint64_t i = 1 + draw(p, 3); i > 0; i--) {
    char sql[100];
    snprintf(sql, sizeof sql, "INSERT INTO t VALUES (%d,'tx')", p->next_id++);
    warehouse_run(&p->w, sql);
    if (!p->insert_only && draw(p, 2) == 0) {
      snprintf(sql, sizeof sql, "DELETE FROM t WHERE id %% 7 = %d", (int)draw(p, 7));
      warehouse_run(&p->w, sql);
    }
  }
  warehouse_run(&p->w, draw(p, 2) == 0 ? "ROLLBACK" : "COMMIT");
}

/* ---- readers ---- */

static void begin_reading(play *p, int i) {
  end_reading(p, i);
  assert_ok(warehouse_try(&p->w, p->readers[i], "START TRANSACTION"), p->w.err);
  p->seen[i] = rows_of(p, p->readers[i], with_ids);
}

static void read_again(play *p) {
  for (int i = 0; i < READERS; i++) {
    if (p->seen[i] == NULL) continue;
    char *now = rows_of(p, p->readers[i], with_ids);
    assert_string_equal(now, p->seen[i]);
    free(now);
  }
}

/* ---- compactions ---- */

static void compact_somehow(play *p) {
  static const char *const kinds[] = {"minor", "major", "incremental", "minor", "rebalance"};
  char sql[100];
  const char *kind = kinds[draw(p, p->insert_only ? 4 : 5)];
  bool same_ids = strcmp(kind, "rebalance") != 0;
  char *before = rows_of(p, p->w.session, same_ids ? with_ids : plain);
  snprintf(sql, sizeof sql, "ALTER TABLE t COMPACT '%s'", kind);
  if (warehouse_try(&p->w, p->w.session, sql) != SKEP_OK) assert_non_null(strstr(p->w.err.text, "10432"));
  skep_compact_done done = compactor_work(&p->c);
  if (done.state == 'f') fail_msg("%s: %s", kind, done.reason);
  char *after = rows_of(p, p->w.session, same_ids ? with_ids : plain);
  if (strcmp(before, after) != 0) fail_msg("%s changed\n%sto\n%s", kind, before, after);
  free(before);
  free(after);
}

static void clean(play *p) {
  char *before = rows_of(p, p->w.session, with_ids);
  skep_compact_cleaning done = compactor_clean(&p->c);
  if (done.n_failed != 0) fail_msg("%s", skep_buf_string(&p->c.said));
  char *after = rows_of(p, p->w.session, with_ids);
  assert_string_equal(before, after);
  free(before);
  free(after);
}

/* ---- a round ---- */

static void open_play(play *p, uint64_t seed) {
  warehouse_open(&p->w);
  p->seed = seed * 2654435761u + 88172645463325252u;
  p->insert_only = draw(p, 4) == 0;
  warehouse_run(&p->w, "SET hive.in.test=true");
  char sql[300];
  snprintf(sql, sizeof sql, "CREATE TABLE t (id INT, v STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true'%s)",
           p->insert_only ? ",'transactional_properties'='insert_only'" : "");
  warehouse_run(&p->w, sql);
  for (int i = 0; i < READERS; i++) {
    assert_ok(skep_session_open(&p->w.opts, &p->readers[i], &p->w.err), p->w.err);
    assert_ok(warehouse_try(&p->w, p->readers[i], "SET hive.in.test=true"), p->w.err);
  }
  compactor_open(&p->c, &p->w, NULL);
  compactor_set(&p->c, "hive.compactor.aborted.txn.time.threshold", draw(p, 2) == 0 ? "0" : "12h");
  compactor_set(&p->c, "skep.compactor.incremental.fan", "2");
  compactor_set(&p->c, "skep.compactor.threads", "1");
}

static void close_play(play *p) {
  for (int i = 0; i < READERS; i++) {
    end_reading(p, i);
    skep_session_close(p->readers[i]);
  }
  /* without readers everything goes, and a major compaction leaves one directory */
  compactor_set(&p->c, "hive.compactor.aborted.txn.time.threshold", "0");
  clean(p);
  assert_int_equal(compactor_number(&p->c, "SELECT count(*) FROM \"COMPACTION_QUEUE\" WHERE \"CQ_STATE\" = 'r'"), 0);
  assert_int_equal(compactor_number(&p->c, "SELECT count(*) FROM \"TXN_COMPONENTS\""), 0);
  compactor_close(&p->c);
  warehouse_close(&p->w);
}

static void play_round(uint64_t seed) {
  play p = {.next_id = 1};
  open_play(&p, seed);
  for (int i = 0; i < STEPS; i++) {
    switch (draw(&p, 8)) {
      case 0:
      case 1:
      case 2:
        write_something(&p);
        break;
      case 3:
        write_in_a_transaction(&p);
        break;
      case 4:
        if (!p.insert_only) begin_reading(&p, (int)draw(&p, READERS));
        break;
      case 5:
      case 6:
        compact_somehow(&p);
        break;
      default:
        clean(&p);
    }
    read_again(&p);
  }
  close_play(&p);
}

static uint64_t number_from(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text != NULL ? strtoull(text, NULL, 10) : otherwise;
}

static void compactions_and_cleanings_change_no_answer(void **state) {
  (void)state;
  uint64_t rounds = number_from("SKEP_TEST_ROUNDS", ROUNDS), first = number_from("SKEP_TEST_SEED", 1);
  for (uint64_t i = 0; i < rounds; i++) {
    printf("seed %llu\n", (unsigned long long)(first + i));
    play_round(first + i);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(compactions_and_cleanings_change_no_answer)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
