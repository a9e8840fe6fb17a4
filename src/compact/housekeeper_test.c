/* The housekeeper: one at a time, time-outs, and transactions that live and do nothing. */
#include "compact/housekeeper.h"

#include "db/schema.h"
#include "support/temp_dir.h"
#include "support/test.h"
#include "txn/mutex.h"
#include "txn/progress.h"

typedef struct fixture {
  skep_ctx ctx;
  int64_t now_ms;
  temp_dir dir;
  char url[300];
  skep_db *db;
  skep_config *config;
  skep_arena arena;
  skep_compact_env env;
  char said[1000];
  skep_err err;
} fixture;

static int64_t clock_of(void *self) { return *(int64_t *)self; }

static void say(void *self, const char *line) {
  fixture *f = self;
  size_t n = strlen(f->said);
  snprintf(f->said + n, sizeof f->said - n, "%s\n", line);
}

static int setup(void **state) {
  static fixture f;
  *state = &f;
  memset(&f, 0, sizeof f);
  skep_ctx_init(&f.ctx);
  f.now_ms = 1795979454135;
  f.ctx.clock_ms = clock_of;
  f.ctx.clock_self = &f.now_ms;
  temp_dir_make(&f.dir);
  snprintf(f.url, sizeof f.url, "sqlite:%s/m.sqlite", f.dir.path);
  assert_ok(skep_db_open(&f.ctx, f.url, NULL, &f.db, &f.err), f.err);
  assert_ok(skep_schema_init(f.db, "file:/w", &f.err), f.err);
  assert_ok(skep_config_new(&f.ctx, &f.config, &f.err), f.err);
  skep_arena_init(&f.arena, &f.ctx, 1 << 24);
  f.env = (skep_compact_env){.ctx = &f.ctx,
                             .db = f.db,
                             .config = f.config,
                             .conf = {.user = "ann", .host = "h1", .agent = "q-1"},
                             .say = say,
                             .say_self = &f};
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  skep_arena_fini(&f->arena);
  skep_config_free(f->config);
  skep_db_close(f->db);
  temp_dir_remove(&f->dir);
  return 0;
}

static void set(fixture *f, const char *name, const char *value) {
  assert_ok(skep_config_set(f->config, name, value, &f->err), f->err);
}

static skep_compact_housekeeping keep(fixture *f) {
  skep_compact_housekeeping done;
  f->said[0] = '\0';
  assert_ok(skep_compact_keep_house(&f->env, &done, &f->err), f->err);
  return done;
}

static int64_t begin(fixture *f) {
  skep_txn txn;
  skep_txn_table t = {.database = "d", .table = "t", .write = 'i'};
  assert_ok(skep_txn_begin(f->db, &f->env.conf, &f->arena, SKEP_TXN_DEFAULT, &t, 1, &txn, &f->err), f->err);
  return txn.id;
}

static char state_of(fixture *f, int64_t txn) {
  char letter;
  assert_ok(skep_txn_state(f->db, txn, &letter, NULL, NULL, &f->err), f->err);
  return letter;
}

static void one_of_many_keeps_house(void **state) {
  fixture *f = *state;
  skep_txn_mutex *other;
  int64_t dead = begin(f);
  f->now_ms += 400000;
  assert_ok(skep_txn_mutex_acquire(f->db, "HouseKeeper", 0, &other, &f->err), f->err);
  assert_false(keep(f).is_leader);
  assert_int_equal(state_of(f, dead), 'o');
  skep_txn_mutex_release(other);
  skep_compact_housekeeping done = keep(f);
  assert_true(done.is_leader);
  assert_int_equal(done.txn.timed_out, 1);
  assert_int_equal(state_of(f, dead), 'a');
  assert_string_equal(f->said, "housekeeper: 1 transactions of processes that are not heard of any more: aborted\n");
}

static void what_stands_still_is_reported(void **state) {
  fixture *f = *state;
  int64_t idle = begin(f);
  const skep_txn_progress p = {.rows = 5, .changed_ms = f->now_ms};
  f->now_ms += 120000;
  assert_ok(skep_txn_beat(f->db, idle, &p, &f->err), f->err);
  assert_int_equal(keep(f).n_stalled, 0); /* nobody asked for it */
  set(f, "skep.txn.stall.timeout", "60s");
  skep_compact_housekeeping done = keep(f);
  assert_int_equal(done.n_stalled, 1);
  assert_int_equal(done.n_stalled_aborted, 0);
  assert_string_equal(f->said, "housekeeper: transaction 1 of ann@h1 (query q-1) has done nothing for 120 s\n");
  assert_int_equal(state_of(f, idle), 'o');
}

static void what_stands_still_is_aborted_when_asked(void **state) {
  fixture *f = *state;
  int64_t idle = begin(f), busy = begin(f);
  const skep_txn_progress old = {.rows = 5, .changed_ms = f->now_ms};
  f->now_ms += 120000;
  const skep_txn_progress fresh = {.rows = 5, .changed_ms = f->now_ms};
  assert_ok(skep_txn_beat(f->db, idle, &old, &f->err), f->err);
  assert_ok(skep_txn_beat(f->db, busy, &fresh, &f->err), f->err);
  set(f, "skep.txn.stall.timeout", "60s");
  set(f, "skep.txn.stall.action", "abort");
  assert_int_equal(keep(f).n_stalled_aborted, 1);
  assert_int_equal(state_of(f, idle), 'a');
  assert_int_equal(state_of(f, busy), 'o');
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(one_of_many_keeps_house),
      TEST(what_stands_still_is_reported),
      TEST(what_stands_still_is_aborted_when_asked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
