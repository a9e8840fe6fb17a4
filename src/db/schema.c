/* Making, recognising and checking Hive's schema. What it is stands in schema_hive.c. */
#include "db/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "db/counters.h"
#include "db/legacy.h"
#include "db/schema_int.h"

enum { MAX_TEXT = 64 * 1024 };

static bool is_sqlite(const skep_db *db) { return strcmp(skep_db_dialect(db)->name, "SQLite") == 0; }

/* --- making --- */

static skep_status create_table(skep_db *db, skep_buf *text, const skep_schema_table *table, skep_err *err) {
  skep_buf_reset(text);
  skep_buf_printf(text, "CREATE TABLE \"%s\" (", table->name);
  skep_buf_text(text, table->body);
  for (size_t i = 0; i < skep_schema_n_forward && is_sqlite(db); i++) {
    const skep_schema_table *forward = &skep_schema_forward[i];
    if (strcmp(forward->name, table->name) == 0) skep_buf_printf(text, ", %s", forward->body);
  }
  skep_buf_text(text, ")");
  SKEP_TRY(skep_buf_check(text, "schema", err));
  skep_status status = skep_db_exec(db, skep_buf_string(text), err);
  return status == SKEP_OK ? SKEP_OK : skep_wrap(err, status, "table %s", table->name);
}

/* SQLite takes a reference to a table that is made later and cannot add one; others can only add it. */
static skep_status add_forward(skep_db *db, skep_buf *text, const skep_schema_table *forward, skep_err *err) {
  if (is_sqlite(db)) return SKEP_OK;
  skep_buf_reset(text);
  skep_buf_printf(text, "ALTER TABLE \"%s\" ADD %s", forward->name, forward->body);
  SKEP_TRY(skep_buf_check(text, "schema", err));
  return skep_db_exec(db, skep_buf_string(text), err);
}

static skep_status create_all(skep_db *db, skep_err *err) {
  skep_buf text;
  skep_buf_init(&text, skep_db_ctx(db), MAX_TEXT);
  skep_status status = SKEP_OK;
  for (size_t i = 0; i < skep_schema_n_tables && status == SKEP_OK; i++) {
    status = create_table(db, &text, &skep_schema_tables[i], err);
  }
  for (size_t i = 0; i < skep_schema_n_forward && status == SKEP_OK; i++) {
    status = add_forward(db, &text, &skep_schema_forward[i], err);
  }
  for (size_t i = 0; i < skep_schema_n_indexes && status == SKEP_OK; i++) {
    skep_buf_reset(&text);
    skep_buf_text(&text, "CREATE ");
    skep_buf_text(&text, skep_schema_indexes[i]);
    status = skep_buf_check(&text, "schema", err);
    if (status == SKEP_OK) status = skep_db_exec(db, skep_buf_string(&text), err);
  }
  skep_buf_fini(&text);
  return status;
}

/* The rows that Hive's own script inserts. */
static const char *const seed_rows[] = {
    "INSERT INTO \"VERSION\" (\"VER_ID\", \"SCHEMA_VERSION\", \"VERSION_COMMENT\") "
    "VALUES (1, '4.0.0', 'Hive release version 4.0.0')",
    "INSERT INTO \"TXNS\" (\"TXN_ID\", \"TXN_STATE\", \"TXN_STARTED\", \"TXN_LAST_HEARTBEAT\", \"TXN_USER\", "
    "\"TXN_HOST\") VALUES (0, 'c', 0, 0, '', '')",
    "INSERT INTO \"TXN_LOCK_TBL\" (\"TXN_LOCK\") VALUES (1)",
    "INSERT INTO \"NEXT_LOCK_ID\" (\"NL_NEXT\") VALUES (1)",
    "INSERT INTO \"NEXT_COMPACTION_QUEUE_ID\" (\"NCQ_NEXT\") VALUES (1)",
    "INSERT INTO \"NOTIFICATION_SEQUENCE\" (\"NNI_ID\", \"NEXT_EVENT_ID\") VALUES (1, 1)",
    "INSERT INTO \"SEQUENCE_TABLE\" (\"SEQUENCE_NAME\", \"NEXT_VAL\") "
    "VALUES ('org.apache.hadoop.hive.metastore.model.MNotificationLog', 1)",
    "INSERT INTO \"SEQUENCE_TABLE\" (\"SEQUENCE_NAME\", \"NEXT_VAL\") "
    "VALUES ('org.apache.hadoop.hive.metastore.model.MTxnWriteNotificationLog', 1)",
};

static skep_status insert_seed_rows(skep_db *db, const char *warehouse_uri, skep_err *err) {
  for (size_t i = 0; i < sizeof seed_rows / sizeof seed_rows[0]; i++) SKEP_TRY(skep_db_exec(db, seed_rows[i], err));
  SKEP_TRY(skep_db_run(db,
                       "INSERT INTO \"CTLGS\" (\"CTLG_ID\", \"NAME\", \"DESC\", \"LOCATION_URI\") "
                       "VALUES (1, 'hive', 'Default catalog for Hive', ?)",
                       SKEP_PARAMS(skep_p_text(warehouse_uri)), NULL, err));
  /* A new database has no leftovers of an earlier start of the machine: see txn/README.md. */
  return skep_db_run(db,
                     "INSERT INTO \"METASTORE_DB_PROPERTIES\" (\"PROPERTY_KEY\", \"PROPERTY_VALUE\", "
                     "\"DESCRIPTION\") VALUES ('" SKEP_BOOT_PROPERTY "', ?, 'start of the machine that was recovered')",
                     SKEP_PARAMS(skep_p_text(skep_db_boot_id(db))), NULL, err);
}

/* --- looking --- */

/* Whether a table with these columns (texts of SQL from our own constants) is there. */
static skep_status table_exists(skep_db *db, const char *columns, const char *table, bool *exists, skep_err *err) {
  skep_buf text;
  skep_buf_init(&text, skep_db_ctx(db), MAX_TEXT);
  skep_buf_printf(&text, "SELECT %s FROM \"%s\" WHERE 1 = 0", columns, table);
  skep_status status = skep_buf_check(&text, "schema", err);
  if (status == SKEP_OK) status = skep_db_is_there(db, skep_buf_string(&text), exists, err);
  skep_buf_fini(&text);
  return status;
}

skep_status skep_schema_init(skep_db *db, const char *warehouse_uri, skep_err *err) {
  SKEP_TRY(skep_db_begin(db, SKEP_DB_WRITE, err));
  bool exists = false;
  skep_status status = table_exists(db, "1", "VERSION", &exists, err);
  if (status == SKEP_OK && exists) status = skep_fail(err, SKEP_ERR_EXISTS, "the database has a Hive schema already");
  if (status == SKEP_OK) status = create_all(db, err);
  if (status == SKEP_OK) status = insert_seed_rows(db, warehouse_uri, err);
  return skep_db_end(db, false, status, err);
}

/* Columns that later versions do not have (txn-protocol 1.3: 4.1.0), and tables that a rolling upgrade may drop. */
static const struct {
  const char *table, *column; /* column NULL: the whole table */
} may_miss[] = {
    {"TAB_COL_STATS", "CAT_NAME"},        {"TAB_COL_STATS", "DB_NAME"},  {"TAB_COL_STATS", "TABLE_NAME"},
    {"PART_COL_STATS", "CAT_NAME"},       {"PART_COL_STATS", "DB_NAME"}, {"PART_COL_STATS", "TABLE_NAME"},
    {"PART_COL_STATS", "PARTITION_NAME"}, {"MIN_HISTORY_LEVEL", NULL},   {"MIN_HISTORY_WRITE_ID", NULL},
};

static bool can_miss(const char *table, const char *column, size_t length) {
  for (size_t i = 0; i < sizeof may_miss / sizeof may_miss[0]; i++) {
    if (strcmp(may_miss[i].table, table) != 0) continue;
    if (may_miss[i].column == NULL) return true;
    if (column != NULL && strlen(may_miss[i].column) == length && memcmp(may_miss[i].column, column, length) == 0) {
      return true;
    }
  }
  return false;
}

/* What this program reads or writes: a database without it cannot be used. */
static const char *const needed[] = {
    "TXNS",
    "TXN_COMPONENTS",
    "COMPLETED_TXN_COMPONENTS",
    "TXN_TO_WRITE_ID",
    "NEXT_WRITE_ID",
    "WRITE_SET",
    "HIVE_LOCKS",
    "COMPACTION_QUEUE",
    "NEXT_COMPACTION_QUEUE_ID",
    "COMPLETED_COMPACTIONS",
    "CTLGS",
    "DBS",
    "DATABASE_PARAMS",
    "TBLS",
    "TABLE_PARAMS",
    "SDS",
    "SD_PARAMS",
    "CDS",
    "COLUMNS_V2",
    "SERDES",
    "SERDE_PARAMS",
    "PARTITIONS",
    "PARTITION_KEYS",
    "PARTITION_KEY_VALS",
    "PARTITION_PARAMS",
    "BUCKETING_COLS",
    "SORT_COLS",
    "KEY_CONSTRAINTS",
    "TAB_COL_STATS",
    "PART_COL_STATS",
    "SEQUENCE_TABLE",
    "METASTORE_DB_PROPERTIES",
};

static bool is_needed(const char *table) {
  for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
    if (strcmp(needed[i], table) == 0) return true;
  }
  return false;
}

/* The quoted name that the next column of a body begins with; false when constraints begin. */
static bool next_column(const char **body, const char **name, size_t *length) {
  const char *at = *body;
  if (*at != '"') return false;
  *name = at + 1;
  *length = strcspn(at + 1, "\"");
  int depth = 0;
  for (at += *length + 2; *at != 0 && (depth > 0 || *at != ','); at++) depth += *at == '(' ? 1 : *at == ')' ? -1 : 0;
  while (*at == ',' || *at == ' ') at++;
  *body = at;
  return true;
}

typedef skep_status missing_visitor(void *self, const char *table, const char *column, size_t length, skep_err *err);

/* Something is missing: the table, or some of its columns. */
static skep_status find_missing(skep_db *db, const skep_schema_table *table, missing_visitor *missing, void *self,
                                skep_err *err) {
  bool exists = false;
  SKEP_TRY(table_exists(db, "1", table->name, &exists, err));
  if (!exists) return can_miss(table->name, NULL, 0) ? SKEP_OK : missing(self, table->name, NULL, 0, err);
  skep_status status = SKEP_OK;
  skep_buf column;
  skep_buf_init(&column, skep_db_ctx(db), MAX_TEXT);
  const char *body = table->body, *name;
  size_t length;
  while (status == SKEP_OK && next_column(&body, &name, &length)) {
    skep_buf_reset(&column);
    skep_buf_printf(&column, "\"%.*s\"", (int)length, name);
    status = skep_buf_check(&column, "schema", err);
    if (status == SKEP_OK) status = table_exists(db, skep_buf_string(&column), table->name, &exists, err);
    if (status == SKEP_OK && !exists && !can_miss(table->name, name, length)) {
      status = missing(self, table->name, name, length, err);
    }
  }
  skep_buf_fini(&column);
  return status;
}

/* Calls back for a missing table, and for each missing column of one that is there. One question when all is well:
 * every program that starts asks, and a server is a round trip away. */
static skep_status look_at_table(skep_db *db, const skep_schema_table *table, missing_visitor *missing, void *self,
                                 skep_err *err) {
  bool exists = true; /* or nothing of it has to be */
  skep_buf columns;
  skep_buf_init(&columns, skep_db_ctx(db), MAX_TEXT);
  const char *body = table->body, *name;
  size_t length;
  while (next_column(&body, &name, &length)) {
    if (can_miss(table->name, name, length)) continue;
    skep_buf_printf(&columns, "%s\"%.*s\"", columns.size > 0 ? ", " : "", (int)length, name);
  }
  skep_status status = skep_buf_check(&columns, "schema", err);
  if (status == SKEP_OK && columns.size > 0) {
    status = table_exists(db, skep_buf_string(&columns), table->name, &exists, err);
  }
  skep_buf_fini(&columns);
  return status == SKEP_OK && !exists ? find_missing(db, table, missing, self, err) : status;
}

static skep_status refuse_missing(void *self, const char *table, const char *column, size_t length, skep_err *err) {
  (void)self;
  if (column == NULL) return skep_fail(err, SKEP_ERR_CORRUPT, "the metastore has no table %s", table);
  return skep_fail(err, SKEP_ERR_CORRUPT, "table %s of the metastore has no column %.*s", table, (int)length, column);
}

/* One to three digits. */
static bool parse_number(const char **text, int *out) {
  int n = 0, digits = 0;
  for (; **text >= '0' && **text <= '9' && digits < 3; ++*text, digits++) n = n * 10 + (**text - '0');
  *out = n;
  return digits > 0;
}

/* "4.0.0" -> 4, 0. */
static bool parse_version(const char *text, int *major, int *minor) {
  if (!parse_number(&text, major) || *text++ != '.' || !parse_number(&text, minor)) return false;
  return *text == 0 || *text == '.' || *text == '-';
}

static void copy_text(char *out, size_t size, skep_stmt *stmt, int column) {
  size_t length = 0;
  const char *text = skep_stmt_text(stmt, column, &length);
  skep_quote(out, size, text != NULL ? text : "", length);
}

static skep_status read_version(skep_db *db, skep_schema_info *info, skep_err *err) {
  bool exists = false;
  SKEP_TRY(table_exists(db, "\"VER_ID\", \"SCHEMA_VERSION\", \"VERSION_COMMENT\"", "VERSION", &exists, err));
  if (!exists) return skep_fail(err, SKEP_ERR_NOT_FOUND, "the database has no Hive schema");
  skep_stmt *stmt = NULL;
  SKEP_TRY(skep_db_query(db, "SELECT \"SCHEMA_VERSION\", \"VERSION_COMMENT\" FROM \"VERSION\" ORDER BY \"VER_ID\"",
                         SKEP_NO_PARAMS, &stmt, err));
  int n = 0;
  skep_status status;
  while ((status = skep_stmt_next(stmt, err)) == SKEP_OK) {
    if (n++ > 0) continue;
    copy_text(info->version, sizeof info->version, stmt, 0);
    copy_text(info->comment, sizeof info->comment, stmt, 1);
  }
  skep_stmt_done(stmt);
  if (status != SKEP_END) return status;
  if (n != 1) return skep_fail(err, SKEP_ERR_CORRUPT, "table VERSION has %d rows instead of 1", n);
  if (!parse_version(info->version, &info->major, &info->minor)) {
    return skep_fail(err, SKEP_ERR_UNSUPPORTED, "schema version '%s' is not known", info->version);
  }
  return SKEP_OK;
}

/* Whether it is one that can be used at all, and how. */
static skep_status accept_version(skep_db *db, const skep_schema_info *info, bool *is_old, skep_err *err) {
  *is_old = info->major < 4;
  if (info->major == 4 && info->minor <= 2) return SKEP_OK;
  if (*is_old && (info->major > 1 || info->minor >= 2) && !is_sqlite(db)) return SKEP_OK;
  if (!*is_old && skep_db_is_read_only(db)) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_UNSUPPORTED, "schema version %s: 4.0, 4.1 and 4.2 are known%s", info->version,
                   *is_old ? "" : "; a newer one can be looked at with --read-only");
}

/* Before Hive 4: only what is read has to be there. */
static skep_status check_old(skep_db *db, skep_err *err) {
  static const char *const least[] = {"DBS", "TBLS",       "SDS",        "SERDES",
                                      "CDS", "COLUMNS_V2", "PARTITIONS", "TABLE_PARAMS"};
  skep_legacy legacy;
  for (size_t i = 0; i < sizeof least / sizeof least[0]; i++) {
    bool exists = false;
    SKEP_TRY(table_exists(db, "1", least[i], &exists, err));
    if (!exists) return skep_fail(err, SKEP_ERR_CORRUPT, "the metastore has no table %s", least[i]);
  }
  SKEP_TRY(skep_legacy_detect(db, &legacy, err));
  skep_db_set_legacy(db, &legacy);
  return SKEP_OK;
}

skep_status skep_schema_check(skep_db *db, skep_schema_info *info, skep_err *err) {
  skep_schema_info unused;
  bool is_asked = info != NULL, is_old = false;
  if (!is_asked) info = &unused;
  memset(info, 0, sizeof *info);
  SKEP_TRY(read_version(db, info, err));
  SKEP_TRY(accept_version(db, info, &is_old, err));
  if (is_old) return skep_db_is_old(db) ? SKEP_OK : check_old(db, err);
  for (size_t i = 0; i < skep_schema_n_tables; i++) {
    if (is_needed(skep_schema_tables[i].name)) {
      SKEP_TRY(look_at_table(db, &skep_schema_tables[i], refuse_missing, NULL, err));
    }
  }
  if (!is_asked) return SKEP_OK;
  SKEP_TRY(
      table_exists(db, "\"CAT_NAME\", \"DB_NAME\", \"TABLE_NAME\"", "TAB_COL_STATS", &info->stats_have_names, err));
  SKEP_TRY(table_exists(db, "1", "MIN_HISTORY_LEVEL", &info->has_min_history_level, err));
  return table_exists(db, "1", "MIN_HISTORY_WRITE_ID", &info->has_min_history_write_id, err);
}

/* Somebody else's database must not get our tables because a name was mistyped. */
static skep_status check_empty(skep_db *db, skep_err *err) {
  int64_t n = 0;
  if (is_sqlite(db)) return SKEP_OK;
  SKEP_TRY(skep_db_get_i64(db, "SELECT count(*) FROM information_schema.tables WHERE table_schema = current_schema()",
                           SKEP_NO_PARAMS, &n, NULL, err));
  if (n == 0) return SKEP_OK;
  return skep_fail(
      err, SKEP_ERR_NOT_FOUND,
      "the database has no Hive schema, and %lld other tables: 'skep metastore init' makes one beside them",
      (long long)n);
}

skep_status skep_schema_ensure(skep_db *db, const char *warehouse_uri, skep_schema_info *info, bool *created,
                               skep_err *err) {
  if (created != NULL) *created = false;
  skep_err reason = {0};
  skep_status status = skep_schema_check(db, info, &reason);
  bool missing = status == SKEP_ERR_NOT_FOUND && !skep_db_is_read_only(db);
  if (missing) status = check_empty(db, &reason);
  if (missing && status == SKEP_OK) {
    status = skep_schema_init(db, warehouse_uri, &reason);
    if (status == SKEP_OK && created != NULL) *created = true;
    if (status == SKEP_OK || status == SKEP_ERR_EXISTS) status = skep_schema_check(db, info, &reason);
  }
  if (status != SKEP_OK && err != NULL) *err = reason;
  return status;
}

/* --- validation --- */

typedef struct validation {
  skep_db *db;
  skep_schema_visitor *visit;
  void *self;
  uint64_t n_faults;
} validation;

static skep_status fault(validation *v, const char *line, skep_err *err) {
  v->n_faults++;
  return v->visit(v->self, line, err);
}

static skep_status report_missing(void *self, const char *table, const char *column, size_t length, skep_err *err) {
  char line[256];
  if (column == NULL) {
    snprintf(line, sizeof line, "table %s is missing", table);
  } else {
    snprintf(line, sizeof line, "table %s has no column %.*s", table, (int)length, column);
  }
  return fault(self, line, err);
}

/* Rows that have to be there: exactly one, or at least one. */
static const struct {
  const char *what, *sql;
  int64_t least, most;
} counts[] = {
    {"rows in NEXT_LOCK_ID", "SELECT count(*) FROM \"NEXT_LOCK_ID\"", 1, 1},
    {"rows in NEXT_COMPACTION_QUEUE_ID", "SELECT count(*) FROM \"NEXT_COMPACTION_QUEUE_ID\"", 1, 1},
    {"rows in TXN_LOCK_TBL", "SELECT count(*) FROM \"TXN_LOCK_TBL\"", 1, 1},
    {"rows in NOTIFICATION_SEQUENCE", "SELECT count(*) FROM \"NOTIFICATION_SEQUENCE\"", 1, 1},
    {"rows in TXNS", "SELECT count(*) FROM \"TXNS\"", 1, INT64_MAX},
    {"catalogs named hive", "SELECT count(*) FROM \"CTLGS\" WHERE \"NAME\" = 'hive'", 1, 1},
    {"components of transactions that do not exist",
     "SELECT count(*) FROM \"TXN_COMPONENTS\" C WHERE NOT EXISTS (SELECT 1 FROM \"TXNS\" T WHERE T.\"TXN_ID\" = "
     "C.\"TC_TXNID\")",
     0, 0},
    {"tables without a database",
     "SELECT count(*) FROM \"TBLS\" T WHERE NOT EXISTS (SELECT 1 FROM \"DBS\" D WHERE D.\"DB_ID\" = T.\"DB_ID\")", 0,
     0},
    {"partitions without a table",
     "SELECT count(*) FROM \"PARTITIONS\" P WHERE NOT EXISTS (SELECT 1 FROM \"TBLS\" T WHERE T.\"TBL_ID\" = "
     "P.\"TBL_ID\")",
     0, 0},
    {"storage descriptors without columns",
     "SELECT count(*) FROM \"SDS\" S WHERE S.\"CD_ID\" IS NOT NULL AND NOT EXISTS (SELECT 1 FROM \"CDS\" C WHERE "
     "C.\"CD_ID\" = S.\"CD_ID\")",
     0, 0},
};

static skep_status check_counts(validation *v, skep_err *err) {
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    int64_t n = 0;
    skep_err reason = {0};
    skep_status status = skep_db_get_i64(v->db, counts[i].sql, SKEP_NO_PARAMS, &n, NULL, &reason);
    if (status == SKEP_ERR_NOT_FOUND) continue; /* the missing table was reported */
    if (status != SKEP_OK) {
      if (err != NULL) *err = reason;
      return status;
    }
    if (n >= counts[i].least && n <= counts[i].most) continue;
    char line[256];
    snprintf(line, sizeof line, "%lld %s", (long long)n, counts[i].what);
    SKEP_TRY(fault(v, line, err));
  }
  return SKEP_OK;
}

/* SQLite's own check of the file: the only statement here that other databases do not have. */
static skep_status check_file(validation *v, skep_err *err) {
  if (!is_sqlite(v->db)) return SKEP_OK;
  skep_stmt *stmt = NULL;
  SKEP_TRY(skep_db_query(v->db, "PRAGMA integrity_check(20)", SKEP_NO_PARAMS, &stmt, err));
  skep_status status;
  while ((status = skep_stmt_next(stmt, err)) == SKEP_OK) {
    size_t length = 0;
    const char *text = skep_stmt_text(stmt, 0, &length);
    if (text == NULL || strcmp(text, "ok") == 0) continue;
    char line[256];
    status = fault(v, skep_quote(line, sizeof line, text, length), err);
    if (status != SKEP_OK) break;
  }
  skep_stmt_done(stmt);
  return status == SKEP_END ? SKEP_OK : status;
}

static skep_status check_foreign_keys(validation *v, skep_err *err) {
  if (!is_sqlite(v->db)) return SKEP_OK;
  skep_stmt *stmt = NULL;
  SKEP_TRY(skep_db_query(v->db, "PRAGMA foreign_key_check", SKEP_NO_PARAMS, &stmt, err));
  skep_status status;
  for (int n = 0; n < 20 && (status = skep_stmt_next(stmt, err)) == SKEP_OK; n++) {
    char table[128], parent[128], line[400];
    copy_text(table, sizeof table, stmt, 0);
    copy_text(parent, sizeof parent, stmt, 2);
    snprintf(line, sizeof line, "table %s: row %lld points to nothing in table %s", table,
             (long long)skep_stmt_i64(stmt, 1), parent);
    status = fault(v, line, err);
    if (status != SKEP_OK) break;
  }
  skep_stmt_done(stmt);
  return status == SKEP_END ? SKEP_OK : status;
}

skep_status skep_schema_validate(skep_db *db, skep_schema_visitor *visit, void *self, uint64_t *n_faults,
                                 skep_err *err) {
  validation v = {.db = db, .visit = visit, .self = self};
  uint64_t n_behind = 0;
  *n_faults = 0;
  skep_schema_info info = {0};
  SKEP_TRY(read_version(db, &info, err));
  SKEP_TRY(skep_db_begin(db, SKEP_DB_READ, err));
  skep_status status = SKEP_OK;
  for (size_t i = 0; i < skep_schema_n_tables && status == SKEP_OK; i++) {
    status = look_at_table(db, &skep_schema_tables[i], report_missing, &v, err);
  }
  if (status == SKEP_OK) status = check_counts(&v, err);
  if (status == SKEP_OK) status = skep_counters_check(db, visit, self, &n_behind, err);
  v.n_faults += n_behind;
  if (status == SKEP_OK) status = check_foreign_keys(&v, err);
  if (status == SKEP_OK) status = check_file(&v, err);
  *n_faults = v.n_faults;
  return skep_db_end(db, false, status, err);
}
