/* Schemas before Hive 4, for reading: SQL that is written for Hive 4 is bent to them. Module-private.
 *
 * Tables of transactions had lower-case names on PostgreSQL up to 3.x (txn-protocol 1.1). Columns and tables that came
 * later are replaced by what they would say if nobody had used them: NULL, 0, 'hive', no rows. */
#ifndef DB_LEGACY_H
#define DB_LEGACY_H

#include "base/buf.h"
#include "db/db.h"

enum { SKEP_LEGACY_MAX_MISSING = 32 };

typedef struct skep_legacy {
  bool is_old;        /* before 4: all of this */
  bool lower_acid;    /* tables of transactions and their columns have lower-case names */
  bool has_write_ids; /* 3.x; before that a write's id is its transaction's */
  /* Indexes into the lists of legacy.c. */
  uint8_t missing[SKEP_LEGACY_MAX_MISSING];
  uint8_t n_missing;
} skep_legacy;

/* Finds out what the database has. */
SKEP_NODISCARD skep_status skep_legacy_detect(skep_db *db, skep_legacy *out, skep_err *err);

/* Text of SQL (no data in it) in the names of the old schema. */
void skep_legacy_print(const skep_legacy *legacy, const char *sql, skep_buf *out);

/* From now on the connection is for reading only, and its statements are bent. */
void skep_db_set_legacy(skep_db *db, const skep_legacy *legacy);

#endif
