/* Numbers that are given out: see counters.h. */
#include "db/counters.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "db/db_int.h"

skep_status skep_counter_taken(const char *counter, int64_t number, skep_err *err) {
  char quoted[400];
  return skep_fail(err, SKEP_ERR_CORRUPT,
                   "%s of the metastore gave %" PRId64
                   ", which is there already: it is behind its rows (skep metastore "
                   "validate tells which numbers are, skep metastore reseed sets them right)",
                   skep_quote(quoted, sizeof quoted, counter, strlen(counter)), number);
}

/* --- ids of the catalog's rows --- */

#define MODEL "org.apache.hadoop.hive.metastore.model."
#define CLASS(name, table, column)                                                           \
  {                                                                                          \
    name, "SELECT max(\"" column "\") FROM \"" table "\"",                                   \
        "SELECT \"NEXT_VAL\", (SELECT max(\"" column "\") FROM \"" table                     \
        "\") FROM \"SEQUENCE_TABLE\" WHERE \"SEQUENCE_NAME\" = '" MODEL name "'{for_update}" \
  }

static const char sql_next_id[] = "SELECT \"NEXT_VAL\" FROM \"SEQUENCE_TABLE\" WHERE \"SEQUENCE_NAME\" = ?";

/* Classes whose rows Skep makes. */
static const struct {
  const char *name;
  const char *used; /* the highest that is there */
  const char *next; /* the next one, and that */
} classes[] = {
    CLASS("MDatabase", "DBS", "DB_ID"),
    CLASS("MTable", "TBLS", "TBL_ID"),
    CLASS("MPartition", "PARTITIONS", "PART_ID"),
    CLASS("MStorageDescriptor", "SDS", "SD_ID"),
    CLASS("MSerDeInfo", "SERDES", "SERDE_ID"),
    CLASS("MColumnDescriptor", "CDS", "CD_ID"),
    CLASS("MTablePrivilege", "TBL_PRIVS", "TBL_GRANT_ID"),
    CLASS("MTableColumnStatistics", "TAB_COL_STATS", "CS_ID"),
    CLASS("MPartitionColumnStatistics", "PART_COL_STATS", "CS_ID"),
};
enum { N_CLASSES = sizeof classes / sizeof classes[0], MAX_NAME = 128, MAX_TABLES_BYTES = 1 << 28 };

static skep_status set_next_id(skep_db *db, const char *name, int64_t next, skep_err *err) {
  int64_t changed = 0;
  SKEP_TRY(skep_db_run(db, "UPDATE \"SEQUENCE_TABLE\" SET \"NEXT_VAL\" = ? WHERE \"SEQUENCE_NAME\" = ?",
                       SKEP_PARAMS(skep_p_i64(next), skep_p_text(name)), &changed, err));
  if (changed > 0) return SKEP_OK;
  return skep_db_run(db, "INSERT INTO \"SEQUENCE_TABLE\" (\"SEQUENCE_NAME\", \"NEXT_VAL\") VALUES (?, ?)",
                     SKEP_PARAMS(skep_p_text(name), skep_p_i64(next)), NULL, err);
}

/* *next 1: nobody has taken any yet. */
static skep_status read_next_id(skep_db *db, size_t at, int64_t *next, int64_t *used, skep_err *err) {
  skep_stmt *stmt = NULL;
  SKEP_TRY(skep_db_query(db, classes[at].next, SKEP_NO_PARAMS, &stmt, err));
  skep_status status = skep_stmt_next(stmt, err);
  if (status == SKEP_OK) {
    *next = skep_stmt_i64(stmt, 0);
    *used = skep_stmt_i64(stmt, 1);
  }
  skep_stmt_done(stmt);
  if (status != SKEP_END) return status;
  *next = 1;
  return skep_db_get_i64(db, classes[at].used, SKEP_NO_PARAMS, used, NULL, err);
}

static skep_status next_ids(skep_db *db, size_t at, int64_t n, int64_t *first, skep_err *err) {
  char name[MAX_NAME];
  int64_t used = 0;
  SKEP_TRY(read_next_id(db, at, first, &used, err));
  if (*first < 1 || *first > INT64_MAX - n)
    return skep_fail(err, SKEP_ERR_CORRUPT, "SEQUENCE_TABLE: next value of %s is %lld", classes[at].name,
                     (long long)*first);
  snprintf(name, sizeof name, "SEQUENCE_TABLE, %s,", classes[at].name);
  if (used >= *first) return skep_counter_taken(name, *first, err);
  snprintf(name, sizeof name, MODEL "%s", classes[at].name);
  return set_next_id(db, name, *first + n, err);
}

skep_status skep_db_next_ids(skep_db *db, const char *model_class, int64_t n, int64_t *first, skep_err *err) {
  size_t at = 0;
  bool joined = false;
  while (at < N_CLASSES && strcmp(classes[at].name, model_class) != 0) at++;
  if (at == N_CLASSES || n < 1) return skep_fail(err, SKEP_ERR_INTERNAL, "ids of a class");
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_WRITE, &joined, err));
  return skep_db_end(db, joined, next_ids(db, at, n, first, err), err);
}

/* --- the others --- */

/* PostgreSQL's sequence behind a key, where there is one. SQLite's keys go on above the rows by themselves. */
#define SEQUENCE "pg_get_serial_sequence('\"TXNS\"', 'TXN_ID')"

static const struct {
  const char *name, *next, *raise; /* raise: one parameter, the next one; of a sequence the last one */
  const char *used[2];             /* where such numbers are; NULL */
  bool is_sequence;                /* of PostgreSQL */
} numbers[] = {
    {"NEXT_LOCK_ID",
     "SELECT \"NL_NEXT\" FROM \"NEXT_LOCK_ID\"",
     "UPDATE \"NEXT_LOCK_ID\" SET \"NL_NEXT\" = ?",
     {"SELECT max(\"HL_LOCK_EXT_ID\") FROM \"HIVE_LOCKS\""},
     false},
    {"NEXT_COMPACTION_QUEUE_ID",
     "SELECT \"NCQ_NEXT\" FROM \"NEXT_COMPACTION_QUEUE_ID\"",
     "UPDATE \"NEXT_COMPACTION_QUEUE_ID\" SET \"NCQ_NEXT\" = ?",
     {"SELECT max(\"CQ_ID\") FROM \"COMPACTION_QUEUE\"", "SELECT max(\"CC_ID\") FROM \"COMPLETED_COMPACTIONS\""},
     false},
    {"the sequence of TXNS.TXN_ID",
     "SELECT coalesce(pg_sequence_last_value(" SEQUENCE "::regclass), 0) + 1 WHERE " SEQUENCE " IS NOT NULL",
     "SELECT setval(" SEQUENCE ", ?::bigint)",
     {"SELECT max(\"TXN_ID\") FROM \"TXNS\""},
     true},
};
enum { N_NUMBERS = sizeof numbers / sizeof numbers[0] };

/* The next write id of a table is not above one that a transaction has. NULL: none was given out, though. */
static const char sql_write_ids[] =
    "SELECT T.\"T2W_DATABASE\", T.\"T2W_TABLE\", max(T.\"T2W_WRITEID\"), max(N.\"NWI_NEXT\") FROM \"TXN_TO_WRITE_ID\" "
    "T LEFT JOIN \"NEXT_WRITE_ID\" N ON N.\"NWI_DATABASE\" = T.\"T2W_DATABASE\" AND N.\"NWI_TABLE\" = T.\"T2W_TABLE\" "
    "GROUP BY T.\"T2W_DATABASE\", T.\"T2W_TABLE\" HAVING coalesce(max(N.\"NWI_NEXT\"), 1) <= max(T.\"T2W_WRITEID\")";

typedef struct table_ids {
  const char *database, *table;
  int64_t used, next;
  bool has_row; /* in NEXT_WRITE_ID */
} table_ids;

typedef struct counting {
  skep_db *db;
  skep_schema_visitor *visit;
  void *self;
  bool raises;
  uint64_t n_behind;
  skep_arena arena;
  table_ids *tables;
  size_t n_tables, capacity;
} counting;

/* One whose next is not above what is there: told, and, when it is to be raised, fit for that. */
static skep_status behind(counting *c, const char *name, int64_t next, int64_t used, skep_err *err) {
  char line[600];
  c->n_behind++;
  if (!c->raises) {
    snprintf(line, sizeof line, "%s: the next is %" PRId64 ", and %" PRId64 " is there: skep metastore reseed", name,
             next, used);
    return c->visit(c->self, line, err);
  }
  if (used == INT64_MAX)
    return skep_fail(err, SKEP_ERR_LIMIT, "%s: %" PRId64 " is there, and no number is above", name, used);
  snprintf(line, sizeof line, "%s: goes on from %" PRId64, name, used + 1);
  return c->visit(c->self, line, err);
}

/* A table or column that is missing is told by others. */
static skep_status unless_missing(skep_status st, const skep_err *reason, skep_err *err) {
  if (st == SKEP_ERR_NOT_FOUND) return SKEP_OK;
  if (st != SKEP_OK && err != NULL) *err = *reason;
  return st;
}

static skep_status read_number(counting *c, size_t at, int64_t *next, int64_t *used, bool *found, skep_err *err) {
  *used = 0;
  SKEP_TRY(skep_db_get_i64(c->db, numbers[at].next, SKEP_NO_PARAMS, next, found, err));
  for (size_t i = 0; i < 2 && numbers[at].used[i] != NULL; i++) {
    int64_t highest;
    SKEP_TRY(skep_db_get_i64(c->db, numbers[at].used[i], SKEP_NO_PARAMS, &highest, NULL, err));
    if (highest > *used) *used = highest;
  }
  return SKEP_OK;
}

static skep_status look_at_number(counting *c, size_t at, skep_err *err) {
  int64_t next = 0, used = 0;
  bool found = false;
  skep_err reason = {0};
  if (numbers[at].is_sequence && skep_db_dialect(c->db)->writers_alone) return SKEP_OK;
  skep_status status = read_number(c, at, &next, &used, &found, &reason);
  if (status != SKEP_OK || !found || next > used) return unless_missing(status, &reason, err);
  SKEP_TRY(behind(c, numbers[at].name, next, used, err));
  if (!c->raises) return SKEP_OK;
  const skep_param params[] = {skep_p_i64(numbers[at].is_sequence ? used : used + 1)};
  int64_t ignored;
  if (numbers[at].is_sequence) return skep_db_get_i64(c->db, numbers[at].raise, params, 1, &ignored, NULL, err);
  return skep_db_run(c->db, numbers[at].raise, params, 1, NULL, err);
}

static skep_status look_at_class(counting *c, size_t at, skep_err *err) {
  char name[MAX_NAME], line[MAX_NAME + 40];
  int64_t next = 1, used = 0;
  bool found = false;
  skep_err reason = {0};
  snprintf(name, sizeof name, MODEL "%s", classes[at].name);
  snprintf(line, sizeof line, "SEQUENCE_TABLE, %s", classes[at].name);
  skep_status status = skep_db_get_i64(c->db, sql_next_id, SKEP_PARAMS(skep_p_text(name)), &next, &found, &reason);
  if (status == SKEP_OK) status = skep_db_get_i64(c->db, classes[at].used, SKEP_NO_PARAMS, &used, NULL, &reason);
  if (!found) next = 1;
  if (status != SKEP_OK || next > used) return unless_missing(status, &reason, err);
  SKEP_TRY(behind(c, line, next, used, err));
  if (!c->raises) return SKEP_OK;
  return set_next_id(c->db, name, used + 1, err);
}

static skep_status add_table(counting *c, skep_stmt *stmt, skep_err *err) {
  void *grown = c->tables;
  SKEP_TRY(skep_arena_grow(&c->arena, &grown, &c->capacity, c->n_tables + 1, sizeof *c->tables, err));
  c->tables = grown;
  table_ids *t = &c->tables[c->n_tables++];
  *t = (table_ids){
      .used = skep_stmt_i64(stmt, 2), .next = skep_stmt_i64(stmt, 3), .has_row = !skep_stmt_is_null(stmt, 3)};
  SKEP_TRY(skep_stmt_text_copy(stmt, 0, &c->arena, &t->database, err));
  return skep_stmt_text_copy(stmt, 1, &c->arena, &t->table, err);
}

static skep_status read_tables(counting *c, skep_err *err) {
  skep_stmt *stmt = NULL;
  skep_err reason = {0};
  skep_status status = skep_db_query(c->db, sql_write_ids, SKEP_NO_PARAMS, &stmt, &reason);
  while (status == SKEP_OK && (status = skep_stmt_next(stmt, &reason)) == SKEP_OK) status = add_table(c, stmt, &reason);
  skep_stmt_done(stmt);
  return unless_missing(status == SKEP_END ? SKEP_OK : status, &reason, err);
}

static skep_status look_at_table(counting *c, const table_ids *t, skep_err *err) {
  char name[420], line[460], quoted[440];
  snprintf(name, sizeof name, "%.128s.%.256s", t->database, t->table);
  snprintf(line, sizeof line, "write ids of %s", skep_quote(quoted, sizeof quoted, name, strlen(name)));
  SKEP_TRY(behind(c, line, t->has_row ? t->next : 1, t->used, err));
  if (!c->raises) return SKEP_OK;
  const skep_param next = skep_p_i64(t->used + 1), database = skep_p_text(t->database), table = skep_p_text(t->table);
  if (t->has_row)
    return skep_db_run(c->db,
                       "UPDATE \"NEXT_WRITE_ID\" SET \"NWI_NEXT\" = ? WHERE \"NWI_DATABASE\" = ? AND \"NWI_TABLE\" = ?",
                       SKEP_PARAMS(next, database, table), NULL, err);
  return skep_db_run(c->db,
                     "INSERT INTO \"NEXT_WRITE_ID\" (\"NWI_NEXT\", \"NWI_DATABASE\", \"NWI_TABLE\") VALUES (?, ?, ?)",
                     SKEP_PARAMS(next, database, table), NULL, err);
}

static skep_status look_at_all(counting *c, skep_err *err) {
  for (size_t i = 0; i < N_NUMBERS; i++) SKEP_TRY(look_at_number(c, i, err));
  for (size_t i = 0; i < N_CLASSES; i++) SKEP_TRY(look_at_class(c, i, err));
  SKEP_TRY(read_tables(c, err));
  for (size_t i = 0; i < c->n_tables; i++) SKEP_TRY(look_at_table(c, &c->tables[i], err));
  return SKEP_OK;
}

static skep_status look(counting *c, skep_err *err) {
  skep_arena_init(&c->arena, skep_db_ctx(c->db), MAX_TABLES_BYTES);
  skep_status status = look_at_all(c, err);
  skep_arena_fini(&c->arena);
  return status;
}

skep_status skep_counters_check(skep_db *db, skep_schema_visitor *visit, void *self, uint64_t *n_behind,
                                skep_err *err) {
  counting c = {.db = db, .visit = visit, .self = self};
  skep_status status = look(&c, err);
  *n_behind = c.n_behind;
  return status;
}

skep_status skep_counters_raise(skep_db *db, skep_schema_visitor *visit, void *self, skep_err *err) {
  counting c = {.db = db, .visit = visit, .self = self, .raises = true};
  return look(&c, err);
}
