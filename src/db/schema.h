/* Hive's metastore schema: made, recognised, checked.
 *
 * New databases get the schema of Hive 4.0.0: all its tables, columns, keys and indexes under Hive's names, and its
 * seed rows: VERSION, catalog `hive`, TXNS row 0, NEXT_LOCK_ID, NEXT_COMPACTION_QUEUE_ID, TXN_LOCK_TBL,
 * NOTIFICATION_SEQUENCE, the two rows of SEQUENCE_TABLE that Hive's scripts insert. Database `default` is not a part of
 * the schema: the catalog makes it (skep_catalog), as Hive's server does on its first start.
 * Existing ones may be 4.0, 4.1 or 4.2; what differs is found by looking at the columns, never by the version's number.
 * Older ones (1.2 to 3.x, PostgreSQL) are for reading: the check makes the connection read-only and lets Skep's
 * questions find what was there then. Newer ones than 4.2 are opened when the caller asked for a read-only connection.
 *
 * Source: Apache Hive 4.0.0 hive-schema-4.0.0.postgres.sql as dumped in golden 19-metastore; differences:
 * txn-protocol 1.3. */
#ifndef DB_SCHEMA_H
#define DB_SCHEMA_H

#include "db/db.h"

/* The key in METASTORE_DB_PROPERTIES under which txn keeps the start of the machine (skep_db_boot_id) whose leftovers
 * were removed. Not Hive's; it passes over keys it does not know. */
#define SKEP_BOOT_PROPERTY "skep.boot.id"
/* Likewise, the time-out of transactions that is in force, in milliseconds (skep_txn_timeout). */
#define SKEP_TIMEOUT_PROPERTY "skep.txn.timeout"

typedef struct skep_schema_info {
  char version[128]; /* VERSION.SCHEMA_VERSION */
  char comment[256]; /* VERSION.VERSION_COMMENT */
  int major, minor;
  bool stats_have_names; /* TAB_COL_STATS and PART_COL_STATS have CAT_NAME, DB_NAME, TABLE_NAME (up to 4.0) */
  bool has_min_history_level;
  bool has_min_history_write_id;
} skep_schema_info;

/* Makes everything, in one durable transaction. warehouse_uri: LOCATION_URI of the catalog `hive` ("file:/path").
 * SKEP_ERR_EXISTS: there is a schema already (also when another process made it meanwhile). */
SKEP_NODISCARD skep_status skep_schema_init(skep_db *db, const char *warehouse_uri, skep_err *err);

/* Skep's own rows and indexes in a database that Hive made: none are needed; see db/README.md.
 * SKEP_ERR_NOT_FOUND: an empty database; SKEP_ERR_UNSUPPORTED: a version this program does not know;
 * SKEP_ERR_CORRUPT: a table or column that it needs is missing. info may be NULL. */
SKEP_NODISCARD skep_status skep_schema_check(skep_db *db, skep_schema_info *info, skep_err *err);

/* What a session does: check, and init when the database is empty (*created then; may be NULL). Safe with others doing
 * the same. */
SKEP_NODISCARD skep_status skep_schema_ensure(skep_db *db, const char *warehouse_uri, skep_schema_info *info,
                                              bool *created, skep_err *err);

/* One line about the database ("table TXNS: 12 rows"), or one thing that is wrong with it. */
typedef skep_status skep_schema_visitor(void *self, const char *line, skep_err *err);

/* Every difference from what this program needs: missing tables and columns, seed rows, numbers that are behind their
 * rows (counters.h), foreign keys that point nowhere, a damaged file. *n_faults is their number. */
SKEP_NODISCARD skep_status skep_schema_validate(skep_db *db, skep_schema_visitor *visit, void *self, uint64_t *n_faults,
                                                skep_err *err);

#endif
