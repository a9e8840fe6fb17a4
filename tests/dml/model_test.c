/* Random statements against a model in memory: four kinds of tables (partitioned or not, bucketed or not), INSERT,
 * UPDATE, DELETE, MERGE, overwrites, truncation, explicit transactions that commit or roll back, and reopening. After
 * every statement the whole table is compared, as a multiset.
 *
 * SKEP_TEST_SEED=n repeats a run, SKEP_TEST_STATEMENTS=n sets its length. */
#include <inttypes.h>

#include "support/warehouse.h"

enum { MAX_ROWS = 4000, N_PARTITIONS = 4, NO_VALUE = INT32_MIN };

typedef struct row {
  int32_t id, v, s, p; /* v, s: NO_VALUE is NULL; s stands for 's<number>' */
} row;

typedef struct rows {
  row items[MAX_ROWS];
  size_t n;
} rows;

typedef struct model {
  warehouse w;
  uint64_t state; /* of the random numbers */
  bool partitioned, bucketed;
  rows now;    /* what the table holds */
  rows before; /* what it held when the transaction began */
  bool in_transaction;
  bool overwritten; /* in this transaction: no more writes */
  char sql[1 << 16];
  uint64_t statements;
} model;

static uint64_t next(model *m) {
  m->state ^= m->state << 13;
  m->state ^= m->state >> 7;
  m->state ^= m->state << 17;
  return m->state;
}

static int32_t below(model *m, int32_t n) { return (int32_t)(next(m) % (uint64_t)n); }

/* ---- statements and what they do to the model ---- */

static void append(model *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(model *m, const char *format, ...) {
  size_t at = strlen(m->sql);
  va_list args;
  va_start(args, format);
  vsnprintf(m->sql + at, sizeof m->sql - at, format, args);
  va_end(args);
}

static void append_value(model *m, int32_t value) {
  if (value == NO_VALUE) {
    append(m, "NULL");
  } else {
    append(m, "%d", value);
  }
}

static void append_text(model *m, int32_t value) {
  if (value == NO_VALUE) {
    append(m, "NULL");
  } else {
    append(m, "'s%d'", value);
  }
}

static void add(rows *r, row x) {
  assert_true(r->n < MAX_ROWS);
  r->items[r->n++] = x;
}

static row random_row(model *m) {
  return (row){.id = below(m, 300),
               .v = below(m, 10) == 0 ? NO_VALUE : below(m, 1000),
               .s = below(m, 10) == 0 ? NO_VALUE : below(m, 50),
               .p = m->partitioned ? below(m, N_PARTITIONS) : 0};
}

/* A condition: its text is appended, `holds` says which rows it is true for. */
typedef struct condition {
  int kind;
  int32_t a, b;
} condition;

static condition random_condition(model *m) {
  condition c = {.kind = below(m, m->partitioned ? 6 : 5)};
  c.a = c.kind == 0 ? 2 + below(m, 12) : c.kind == 5 ? below(m, N_PARTITIONS) : below(m, c.kind == 2 ? 300 : 1000);
  c.b = c.kind == 0 ? below(m, c.a) : below(m, 20);
  switch (c.kind) {
    case 0:
      append(m, "id %% %d = %d", c.a, c.b);
      break;
    case 1:
      append(m, "v < %d", c.a);
      break;
    case 2:
      append(m, "id BETWEEN %d AND %d", c.a, c.a + c.b);
      break;
    case 3:
      append(m, "v IS NULL");
      break;
    case 4:
      append(m, "s = 's%d'", c.b);
      break;
    default:
      append(m, "p = %d AND id > %d", c.a, c.b * 10);
  }
  return c;
}

static bool holds(condition c, row r) {
  switch (c.kind) {
    case 0:
      return r.id % c.a == c.b;
    case 1:
      return r.v != NO_VALUE && r.v < c.a;
    case 2:
      return r.id >= c.a && r.id <= c.a + c.b;
    case 3:
      return r.v == NO_VALUE;
    case 4:
      return r.s == c.b;
    default:
      return r.p == c.a && r.id > c.b * 10;
  }
}

static void run(model *m) {
  skep_status st = warehouse_try(&m->w, m->w.session, m->sql);
  if (st != SKEP_OK) fail_msg("statement %" PRIu64 ": %s\n  %s", m->statements, m->sql, m->w.err.text);
  m->statements++;
}

static void insert_values(model *m, bool overwrite) {
  int32_t n = 1 + below(m, 20);
  snprintf(m->sql, sizeof m->sql, overwrite ? "INSERT OVERWRITE TABLE t VALUES " : "INSERT INTO t VALUES ");
  rows *now = &m->now;
  bool touched[N_PARTITIONS] = {false};
  row fresh[20];
  for (int32_t i = 0; i < n; i++) {
    fresh[i] = random_row(m);
    touched[fresh[i].p] = true;
    append(m, "%s(%d,", i == 0 ? "" : ",", fresh[i].id);
    append_value(m, fresh[i].v);
    append(m, ",");
    append_text(m, fresh[i].s);
    if (m->partitioned) append(m, ",%d", fresh[i].p);
    append(m, ")");
  }
  run(m);
  if (overwrite) { /* with dynamic partitions, those that receive rows */
    size_t kept = 0;
    for (size_t i = 0; i < now->n; i++)
      if (!touched[now->items[i].p]) now->items[kept++] = now->items[i];
    now->n = kept;
    m->overwritten = m->in_transaction;
  }
  for (int32_t i = 0; i < n; i++) add(now, fresh[i]);
}

/* Rows of the table again, changed a little. */
static void insert_select(model *m) {
  snprintf(m->sql, sizeof m->sql, "INSERT INTO t SELECT id + 1, v * 2, s%s FROM t WHERE ", m->partitioned ? ", p" : "");
  condition c = random_condition(m);
  append(m, " AND id < 20");
  run(m);
  size_t n = m->now.n;
  for (size_t i = 0; i < n; i++) {
    row r = m->now.items[i];
    if (!holds(c, r) || r.id >= 20) continue;
    r.id++;
    if (r.v != NO_VALUE) r.v = (int32_t)((uint32_t)r.v * 2u);
    add(&m->now, r);
  }
}

static void update(model *m) {
  int kind = below(m, 3);
  int32_t k = below(m, 50);
  snprintf(m->sql, sizeof m->sql, "UPDATE t SET ");
  if (kind == 0) append(m, "v = v + %d", k);
  if (kind == 1) append(m, "s = 's%d', v = NULL", k);
  if (kind == 2) append(m, "v = id + %d", k);
  append(m, " WHERE ");
  condition c = random_condition(m);
  run(m);
  for (size_t i = 0; i < m->now.n; i++) {
    row *r = &m->now.items[i];
    if (!holds(c, *r)) continue;
    if (kind == 0 && r->v != NO_VALUE) r->v = (int32_t)((uint32_t)r->v + (uint32_t)k);
    if (kind == 1) {
      r->s = k;
      r->v = NO_VALUE;
    }
    if (kind == 2) r->v = r->id + k;
  }
}

static void delete_rows(model *m) {
  snprintf(m->sql, sizeof m->sql, "DELETE FROM t WHERE ");
  condition c = random_condition(m);
  run(m);
  size_t kept = 0;
  for (size_t i = 0; i < m->now.n; i++)
    if (!holds(c, m->now.items[i])) m->now.items[kept++] = m->now.items[i];
  m->now.n = kept;
}

/* Source rows have distinct ids; several rows of the table may meet one of them. */
static void merge(model *m) {
  int32_t n = 1 + below(m, 15), first = below(m, 280);
  struct {
    int32_t id, v;
    bool met;
  } source[15];
  snprintf(m->sql, sizeof m->sql, "MERGE INTO t USING (SELECT * FROM (VALUES ");
  for (int32_t i = 0; i < n; i++) {
    source[i].id = first + i * 2;
    source[i].v = below(m, 100);
    source[i].met = false;
    append(m, "%s(%d,%d)", i == 0 ? "" : ",", source[i].id, source[i].v);
  }
  append(
      m,
      ") AS x(sid, sv)) q ON t.id = q.sid WHEN MATCHED AND q.sv %% 3 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET v = "
      "t.v + q.sv WHEN NOT MATCHED AND q.sv > 10 THEN INSERT VALUES (q.sid, q.sv, 's7'%s)",
      m->partitioned ? ", q.sv % 4" : "");
  run(m);
  size_t kept = 0;
  for (size_t i = 0; i < m->now.n; i++) {
    row r = m->now.items[i];
    bool keep = true;
    for (int32_t k = 0; k < n; k++) {
      if (source[k].id != r.id) continue;
      source[k].met = true;
      keep = source[k].v % 3 != 0;
      if (r.v != NO_VALUE) r.v = (int32_t)((uint32_t)r.v + (uint32_t)source[k].v);
    }
    if (keep) m->now.items[kept++] = r;
  }
  m->now.n = kept;
  for (int32_t k = 0; k < n; k++)
    if (!source[k].met && source[k].v > 10)
      add(&m->now, (row){source[k].id, source[k].v, 7, m->partitioned ? source[k].v % 4 : 0});
}

static void empty_table(model *m) {
  snprintf(m->sql, sizeof m->sql, below(m, 2) == 0 ? "TRUNCATE TABLE t" : "DELETE FROM t");
  run(m);
  m->now.n = 0;
}

/* Half of the rows, so that the table stays small, in a new base. */
static void rewrite(model *m) {
  snprintf(m->sql, sizeof m->sql, "INSERT OVERWRITE TABLE t SELECT * FROM t WHERE id %% 2 = 0");
  bool has_even[N_PARTITIONS] = {false};
  run(m);
  for (size_t i = 0; i < m->now.n; i++) has_even[m->now.items[i].p] |= m->now.items[i].id % 2 == 0;
  size_t kept = 0;
  for (size_t i = 0; i < m->now.n; i++) {
    row r = m->now.items[i];
    bool replaced = !m->partitioned || has_even[r.p];
    if (!replaced || r.id % 2 == 0) m->now.items[kept++] = r;
  }
  m->now.n = kept;
}

static void transaction(model *m) {
  if (!m->in_transaction) {
    snprintf(m->sql, sizeof m->sql, "START TRANSACTION");
    run(m);
    m->before = m->now;
  } else {
    bool commit = below(m, 3) != 0;
    snprintf(m->sql, sizeof m->sql, commit ? "COMMIT" : "ROLLBACK");
    run(m);
    if (!commit) m->now = m->before;
  }
  m->in_transaction = !m->in_transaction;
  m->overwritten = false;
}

/* The table as another process would see it; an open transaction is rolled back. */
static void reopen(model *m) {
  warehouse_reopen(&m->w);
  if (m->in_transaction) m->now = m->before;
  m->in_transaction = m->overwritten = false;
}

/* ---- comparing ---- */

static int by_value(const void *a, const void *b) { return memcmp(a, b, sizeof(row)); }

static int32_t parse_cell(const char **at, bool text) {
  const char *cell = *at;
  size_t length = strcspn(cell, "\t\n");
  *at = cell + length + 1;
  if (length == 2 && memcmp(cell, "\\N", 2) == 0) return NO_VALUE;
  return (int32_t)strtol(cell + text, NULL, 10);
}

static void compare(model *m) {
  static rows seen, want;
  const char *text = warehouse_rows(&m->w, "SELECT * FROM t");
  seen.n = 0;
  while (*text != '\0') {
    row r = {0};
    r.id = parse_cell(&text, false);
    r.v = parse_cell(&text, false);
    r.s = parse_cell(&text, true);
    if (m->partitioned) r.p = parse_cell(&text, false);
    add(&seen, r);
  }
  want = m->now;
  qsort(seen.items, seen.n, sizeof(row), by_value);
  qsort(want.items, want.n, sizeof(row), by_value);
  if (seen.n == want.n && memcmp(seen.items, want.items, seen.n * sizeof(row)) == 0) return;
  size_t i = 0;
  while (i < seen.n && i < want.n && by_value(&seen.items[i], &want.items[i]) == 0) i++;
  fail_msg("after statement %" PRIu64
           " (%s): %zu rows, expected %zu; first difference at %zu: (%d,%d,%d,%d) expected "
           "(%d,%d,%d,%d)",
           m->statements, m->sql, seen.n, want.n, i, seen.items[i].id, seen.items[i].v, seen.items[i].s,
           seen.items[i].p, want.items[i].id, want.items[i].v, want.items[i].s, want.items[i].p);
}

static void step(model *m) {
  int32_t dice = below(m, 100);
  if (m->overwritten || dice < 8) {
    transaction(m);
  } else if (dice < 34) {
    insert_values(m, false);
  } else if (dice < 40) {
    insert_select(m);
  } else if (dice < 62) {
    update(m);
  } else if (dice < 76) {
    delete_rows(m);
  } else if (dice < 92) {
    merge(m);
  } else if (dice < 94) {
    insert_values(m, true);
  } else if (dice < 96 && !m->in_transaction) {
    empty_table(m);
  } else if (dice < 98 && !m->in_transaction) {
    rewrite(m);
  } else {
    reopen(m);
  }
}

static uint64_t from_environment(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text == NULL ? otherwise : strtoull(text, NULL, 10);
}

static void play(bool partitioned, bool bucketed) {
  static model m;
  memset(&m, 0, sizeof m);
  m.partitioned = partitioned;
  m.bucketed = bucketed;
  warehouse_open(&m.w);
  uint64_t seed = from_environment("SKEP_TEST_SEED", m.w.ctx.random(m.w.ctx.random_self));
  uint64_t n = from_environment("SKEP_TEST_STATEMENTS", 850);
  printf("seed %" PRIu64 "\n", seed);
  fflush(stdout);
  m.state = seed | 1;
  snprintf(m.sql, sizeof m.sql,
           "CREATE TABLE t (id INT, v INT, s STRING) %s %s STORED AS ORC TBLPROPERTIES ('transactional'='true')",
           partitioned ? "PARTITIONED BY (p INT)" : "", bucketed ? "CLUSTERED BY (id) INTO 3 BUCKETS" : "");
  run(&m);
  while (m.statements < n) {
    step(&m);
    compare(&m);
    /* bound the rows, and the directories that a scan looks at */
    if (!m.in_transaction && (m.now.n > 1500 || m.statements % 64 == 0)) {
      rewrite(&m);
      compare(&m);
    }
  }
  warehouse_close(&m.w);
}

static void plain_tables_behave_as_the_model(void **state) {
  (void)state;
  play(false, false);
}
static void partitioned_tables_behave_as_the_model(void **state) {
  (void)state;
  play(true, false);
}
static void bucketed_tables_behave_as_the_model(void **state) {
  (void)state;
  play(false, true);
}
static void partitioned_and_bucketed_tables_behave_as_the_model(void **state) {
  (void)state;
  play(true, true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plain_tables_behave_as_the_model),
      cmocka_unit_test(partitioned_tables_behave_as_the_model),
      cmocka_unit_test(bucketed_tables_behave_as_the_model),
      cmocka_unit_test(partitioned_and_bucketed_tables_behave_as_the_model),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
