/* What the tables of transactions say about an object that is dropped or gets another name. */
#include "txn/txn_int.h"

/* One condition serves database, table and partition: a level that is not asked for is given as 1 = 1. */
typedef struct record_table {
  const char *drop[3];      /* database, table, partition; NULL: not at this level */
  const char *rename_table; /* NULL: has no table names */
  const char *rename_partition;
} record_table;

#define DROP_DATABASE(t, p) "DELETE FROM \"" t "\" WHERE \"" p "_DATABASE\" = ?"
#define DROP_TABLE(t, p) DROP_DATABASE(t, p) " AND \"" p "_TABLE\" = ?"
#define DROP_PARTITION(t, p) DROP_TABLE(t, p) " AND \"" p "_PARTITION\" = ?"
#define RENAME_TABLE(t, p)                                                                                 \
  "UPDATE \"" t "\" SET \"" p "_DATABASE\" = ?, \"" p "_TABLE\" = ? WHERE \"" p "_DATABASE\" = ? AND \"" p \
  "_TABLE\" = ?"
#define RENAME_PARTITION(t, p)                                                                                 \
  "UPDATE \"" t "\" SET \"" p "_PARTITION\" = ? WHERE \"" p "_DATABASE\" = ? AND \"" p "_TABLE\" = ? AND \"" p \
  "_PARTITION\" = ?"
/* Directories that wait for their removal outlive the object. */
#define KEEP_REMOVALS " AND " SKEP_NOT_A_REMOVAL

static const record_table tables[] = {
    {{DROP_DATABASE("TXN_COMPONENTS", "TC"), DROP_TABLE("TXN_COMPONENTS", "TC"),
      DROP_PARTITION("TXN_COMPONENTS", "TC")},
     RENAME_TABLE("TXN_COMPONENTS", "TC"),
     RENAME_PARTITION("TXN_COMPONENTS", "TC")},
    {{DROP_DATABASE("COMPLETED_TXN_COMPONENTS", "CTC"), DROP_TABLE("COMPLETED_TXN_COMPONENTS", "CTC"),
      DROP_PARTITION("COMPLETED_TXN_COMPONENTS", "CTC")},
     RENAME_TABLE("COMPLETED_TXN_COMPONENTS", "CTC"),
     RENAME_PARTITION("COMPLETED_TXN_COMPONENTS", "CTC")},
    {{DROP_DATABASE("COMPACTION_QUEUE", "CQ") KEEP_REMOVALS, DROP_TABLE("COMPACTION_QUEUE", "CQ") KEEP_REMOVALS,
      DROP_PARTITION("COMPACTION_QUEUE", "CQ") KEEP_REMOVALS},
     RENAME_TABLE("COMPACTION_QUEUE", "CQ") KEEP_REMOVALS,
     RENAME_PARTITION("COMPACTION_QUEUE", "CQ") KEEP_REMOVALS},
    {{DROP_DATABASE("COMPLETED_COMPACTIONS", "CC"), DROP_TABLE("COMPLETED_COMPACTIONS", "CC"),
      DROP_PARTITION("COMPLETED_COMPACTIONS", "CC")},
     RENAME_TABLE("COMPLETED_COMPACTIONS", "CC"),
     RENAME_PARTITION("COMPLETED_COMPACTIONS", "CC")},
    {{DROP_DATABASE("COMPACTION_METRICS_CACHE", "CMC"), DROP_TABLE("COMPACTION_METRICS_CACHE", "CMC"),
      DROP_PARTITION("COMPACTION_METRICS_CACHE", "CMC")},
     RENAME_TABLE("COMPACTION_METRICS_CACHE", "CMC"),
     RENAME_PARTITION("COMPACTION_METRICS_CACHE", "CMC")},
    {{DROP_DATABASE("TXN_TO_WRITE_ID", "T2W"), DROP_TABLE("TXN_TO_WRITE_ID", "T2W"), NULL},
     RENAME_TABLE("TXN_TO_WRITE_ID", "T2W"),
     NULL},
    {{DROP_DATABASE("NEXT_WRITE_ID", "NWI"), DROP_TABLE("NEXT_WRITE_ID", "NWI"), NULL},
     RENAME_TABLE("NEXT_WRITE_ID", "NWI"),
     NULL},
    {{NULL, NULL, NULL}, RENAME_TABLE("WRITE_SET", "WS"), RENAME_PARTITION("WRITE_SET", "WS")},
    {{NULL, NULL, NULL},
     "UPDATE \"HIVE_LOCKS\" SET \"HL_DB\" = ?, \"HL_TABLE\" = ? WHERE \"HL_DB\" = ? AND \"HL_TABLE\" = ?",
     "UPDATE \"HIVE_LOCKS\" SET \"HL_PARTITION\" = ? WHERE \"HL_DB\" = ? AND \"HL_TABLE\" = ? AND \"HL_PARTITION\" = "
     "?"},
};
enum { N_TABLES = sizeof tables / sizeof tables[0] };

skep_status skep_txn_drop_records(skep_db *db, const char *database, const char *table, const char *partition,
                                  skep_err *err) {
  size_t level = table == NULL ? 0 : partition == NULL ? 1 : 2;
  const skep_param params[] = {skep_p_text(database), skep_p_text(table), skep_p_text(partition)};
  bool joined = false;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_WRITE, &joined, err));
  skep_status status = SKEP_OK;
  for (size_t i = 0; i < N_TABLES && status == SKEP_OK; i++) {
    if (tables[i].drop[level] == NULL) continue;
    status = skep_db_run(db, tables[i].drop[level], params, level + 1, NULL, err);
  }
  return skep_db_end(db, joined, status, err);
}

skep_status skep_txn_rename_table(skep_db *db, const char *database, const char *table, const char *new_database,
                                  const char *new_table, skep_err *err) {
  bool joined = false;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_WRITE, &joined, err));
  skep_status status = SKEP_OK;
  for (size_t i = 0; i < N_TABLES && status == SKEP_OK; i++) {
    status = skep_db_run(
        db, tables[i].rename_table,
        SKEP_PARAMS(skep_p_text(new_database), skep_p_text(new_table), skep_p_text(database), skep_p_text(table)), NULL,
        err);
  }
  if (status == SKEP_OK) status = skep_txn_rename_marks(db, database, table, new_database, new_table, err);
  return skep_db_end(db, joined, status, err);
}

skep_status skep_txn_rename_partition(skep_db *db, const char *database, const char *table, const char *partition,
                                      const char *new_partition, skep_err *err) {
  bool joined = false;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_WRITE, &joined, err));
  skep_status status = SKEP_OK;
  for (size_t i = 0; i < N_TABLES && status == SKEP_OK; i++) {
    if (tables[i].rename_partition == NULL) continue;
    status = skep_db_run(
        db, tables[i].rename_partition,
        SKEP_PARAMS(skep_p_text(new_partition), skep_p_text(database), skep_p_text(table), skep_p_text(partition)),
        NULL, err);
  }
  return skep_db_end(db, joined, status, err);
}
