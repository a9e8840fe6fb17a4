/* What the files of DDL, SHOW and DESCRIBE share: names to tables, Hive's wording of errors, partition specs, files. */
#ifndef SQL_DDL_INT_H
#define SQL_DDL_INT_H

#include "catalog/catalog.h"
#include "db/db.h"
#include "hiveql/ast.h"
#include "sql/ddl.h"
#include "sql/moves.h"
#include "sql/session_int.h"
#include "txn/txn.h"

/* "Execution Error, return code <code> from org.apache.hadoop.hive.ql.ddl.DDLTask. <text>": what a statement meets when
 * it runs. Returns SKEP_ERR_SEMANTIC. */
skep_status ddl_task_fail(skep_err *err, int code, const char *format, ...) SKEP_PRINTF(3, 4);
/* "SemanticException [Error <code>]: <text>", without the number when code is 0: what its compilation meets. */
skep_status ddl_semantic_fail(skep_err *err, int code, const char *format, ...) SKEP_PRINTF(3, 4);
skep_status ddl_nomem(skep_err *err);

/* A name or text in messages: quoted into the session's arena, "?" when memory is out. */
const char *ddl_quote(skep_session *s, const char *text);
/* "db.table" likewise. */
const char *ddl_name(skep_session *s, const skep_catalog_table *t);
bool ddl_same_word(const char *a, const char *b);                                   /* equal but for ASCII case */
const char *ddl_join(skep_session *s, const char *a, const char *b, const char *c); /* in the arena; NULL: no memory */
const char *ddl_number(skep_session *s, int64_t value);
/* A type as Hive prints it, in the arena; "?" when memory is out. */
const char *ddl_type(skep_session *s, const skep_type *type);

/* The database of a name: as written, or the session's. */
const char *ddl_db_of(const skep_session *s, const skep_table_name *name);
/* The table; 10001 with "db.t" or, as some statements print it, only what was written. Three-part names are 10431. */
skep_status ddl_find_table(skep_session *s, const skep_table_name *name, bool as_written, skep_catalog_table **out,
                           skep_err *err);
skep_status ddl_find_database(skep_session *s, const char *name, const skep_catalog_db **out,
                              skep_err *err); /* 10072 */

/* Runs `run` in one database transaction: committed when it returns SKEP_OK, else rolled back. */
typedef skep_status ddl_body(skep_session *s, void *self, skep_err *err);
skep_status ddl_in_transaction(skep_session *s, skep_db_mode mode, ddl_body *run, void *self, skep_err *err);

/* A definition's place in the queue of locks (ddl_locks.c). Zero-initialise. */
typedef struct ddl_ticket {
  int64_t txn, lock_id; /* 0: none */
  const skep_lock_component *components;
  uint32_t n;
} ddl_ticket;

/* The same in one writing database transaction that holds the locks of the statement; where they cannot be had it waits
 * first, without one. `run` looks up what it changes by itself: it may have changed while the statement waited.
 *
 * ticket  NULL, or what keeps the locks when `run` returns SKEP_END (rolled back), for a second call; then
 *         ddl_ticket_end
 * Statuses beside those of `run`: those of skep_wait_for_locks (wait.h). */
skep_status ddl_in_locks(skep_session *s, const skep_statement *statement, ddl_ticket *ticket, ddl_body *run,
                         void *self, skep_err *err);
/* Gives the place in the queue back; nothing when there is none. */
void ddl_ticket_end(skep_session *s, ddl_ticket *ticket);

/* A new write id of a table: a transaction opened, its id allocated, committed. Inside the database transaction. */
skep_status ddl_take_write_id(skep_session *s, const char *db, const char *table, int64_t *out, skep_err *err);

/* transient_lastDdlTime, and with `modified` last_modified_by and last_modified_time, to now. */
skep_status ddl_touch(skep_session *s, skep_catalog_params *params, bool modified, skep_err *err);
/* Sets one property (value NULL: removes it). */
skep_status ddl_set_param(skep_session *s, skep_catalog_params *params, const char *key, const char *value,
                          skep_err *err);
/* COLUMN_STATS_ACCURATE and zeroes: the statistics of what was just made and is empty. */
skep_status ddl_empty_stats(skep_session *s, const skep_type *columns, skep_catalog_params *params, skep_err *err);

/* ---- partition specs (ddl_partition.c) ---- */

/* The text of a constant in a spec; NULL constants are NULL. In the session's arena. */
skep_status ddl_constant_text(skep_session *s, const skep_expr *value, const char **out, skep_err *err);
/* "{d=2026-01-01, s=x}", as Hive prints a spec. */
const char *ddl_spec_text(skep_session *s, const skep_partition_spec *spec);
/* 10126: a key of a nested type. */
skep_status ddl_check_key_type(skep_session *s, const char *name, const skep_type *type, skep_err *err);
/* Refuses names that are no partition keys. */
skep_status ddl_spec_check(skep_session *s, const skep_catalog_table *t, const skep_partition_spec *spec,
                           skep_err *err);
/* values[i] of key i as the catalog stores it; NULL where the spec has no (constant for the) key. `all`: each key must
 * have one. Names that are no keys, missing ones, values that do not convert are Hive's errors. */
skep_status ddl_spec_values(skep_session *s, const skep_catalog_table *t, const skep_partition_spec *spec, bool all,
                            const char *const **values, skep_err *err);
/* The one partition that a full spec names. 10006 when there is none. */
skep_status ddl_find_partition(skep_session *s, const skep_catalog_table *t, const skep_partition_spec *spec,
                               skep_catalog_partition **out, skep_err *err);
/* Whether a partition matches all comparisons of a spec (=, <>, <, <=, >, >=, LIKE); keys without a value match. */
skep_status ddl_spec_matches(skep_session *s, const skep_catalog_table *t, const skep_partition_spec *spec,
                             const skep_catalog_partition *p, bool *out, skep_err *err);
/* <0, 0, >0 of two texts that skep_catalog_partition_value made for this type. */
int ddl_compare_values(const skep_type *type, const char *a, const char *b);
bool ddl_like(const char *text, const char *pattern); /* SQL's % and _ */

/* ---- buckets (ddl_buckets.c) ---- */

/* CLUSTERED BY into table's bucketing, by its columns; none when the clause is not there. Of 0 buckets (Hive takes
 * them in CREATE TABLE) only the columns are kept: the table is written as one that is not bucketed. */
skep_status ddl_buckets(skep_session *s, const skep_bucketing *bucketing, skep_catalog_table *table, skep_err *err);

/* ---- constraints (ddl_constraints.c) ---- */

/* Those of the columns and of the table, checked. table->columns is set. */
skep_status ddl_constraints(skep_session *s, const skep_statement *statement, const skep_create_table *create,
                            skep_catalog_table *table, skep_err *err);
/* One more: of ALTER TABLE ADD CONSTRAINT, or (column given) of CHANGE COLUMN c c type NOT NULL. A new list in table.
 */
skep_status ddl_add_constraint(skep_session *s, const skep_statement *statement, const skep_ast_constraint *constraint,
                               const char *column, skep_catalog_table *table, skep_err *err);

/* ---- files ---- */

/* mkdir -p of a location, synced. *made (may be NULL): it was not there before. */
skep_status ddl_make_directory(skep_session *s, const char *location, bool *made, skep_err *err);
/* Removes an empty directory, best effort. */
void ddl_remove_empty(skep_session *s, const char *location);
/* The rows of a table, and its directories once no reader needs them. Inside the database transaction. */
skep_status ddl_drop_table(skep_session *s, const skep_catalog_table *t, skep_err *err);
/* The table is managed, or external.table.purge: its files go with it. */
bool ddl_owns_files(const skep_catalog_table *t);

/* What waits to be removed and can be, best effort: after a DROP. Outside any database transaction. */
void ddl_clean(skep_session *s);

/* ---- locations (ddl_location.c) ---- */

/* The URI that Hive stores for a LOCATION as written; NULL stays NULL. Folds "//", refuses "." and "..". */
skep_status ddl_location(skep_session *s, const char *text, const char **out, skep_err *err);
/* Whether a table (id 0: a new one), with `partition` that partition of it, or (t NULL) a database may have the
 * location. SKEP_ERR_BUSY: something dropped waits there for its last reader. SKEP_ERR_SEMANTIC: it is or contains the
 * warehouse, the metastore or (not asked for databases) a database's directory; or it overlaps with what another table
 * or partition has. A partition may lie below its own table, a database around tables. Inside the database transaction.
 */
skep_status ddl_check_location(skep_session *s, const skep_catalog_table *t, const char *partition,
                               const char *location, skep_err *err);
/* *location, or with a suffix when that is taken in the sense above: "<location>.v<milliseconds>". */
skep_status ddl_free_location(skep_session *s, const skep_catalog_table *t, const char **location, skep_err *err);

/* ---- directories that are there already (attach.c); inside the database transaction ---- */

/* A location that a statement names (and that is free: ddl_check_location) becomes that of `t` or of a partition: the
 * table's next write id goes above the writes found there and in the directories `levels` below. *some: there are any.
 * SKEP_ERR_UNSUPPORTED: a write has the id of an open or aborted transaction of the table. */
skep_status ddl_attach(skep_session *s, const skep_catalog_table *t, const char *location, uint32_t levels, bool *some,
                       skep_err *err);
/* Whether there are writes at a location. */
skep_status ddl_has_writes(skep_session *s, const char *location, uint32_t levels, bool *out, skep_err *err);
/* SKEP_ERR_EXISTS when the usual directory of a new partition holds writes that the table cannot have made: of
 * `write_id` or higher. */
skep_status ddl_check_unattached(skep_session *s, const skep_catalog_table *t, const char *location, int64_t write_id,
                                 skep_err *err);

skep_status ddl_create_run(skep_session *s, const skep_statement *statement, skep_result **out, skep_err *err);

/* ---- ALTER TABLE (alter*.c) ---- */

typedef struct ddl_alter {
  const skep_statement *statement;
  const skep_alter_table *ast;
  const skep_catalog_table *was; /* as found */
  skep_catalog_table *now;       /* a copy, to change; stored when `is_changed` */
  bool is_changed;
  bool is_compiled; /* what fails from here on fails at run time: Hive has allocated the write id by then */
  bool takes_write_id;
  int64_t write_id;     /* taken, or 0 */
  skep_moves moves;     /* directories and files to rename */
  const char *moves_to; /* RENAME: the location that the first run chose */
  bool cleans;          /* something was dropped */
} ddl_alter;

/* The write id of this statement: taken once, of a transactional table. Marks the statement as compiled. */
skep_status ddl_alter_write_id(skep_session *s, ddl_alter *a, skep_err *err);

skep_status ddl_alter_run(skep_session *s, const skep_statement *statement, skep_result **out, skep_err *err);
skep_status ddl_alter_columns(skep_session *s, ddl_alter *a, skep_err *err);
skep_status ddl_alter_properties(skep_session *s, ddl_alter *a, skep_err *err);
skep_status ddl_alter_partitions(skep_session *s, ddl_alter *a, skep_err *err);
skep_status ddl_alter_buckets(skep_session *s, ddl_alter *a, skep_err *err); /* ddl_buckets.c */
/* SET TBLPROPERTIES that makes a plain table transactional: files checked, moved for insert-only, ids seeded. */
skep_status ddl_convert(skep_session *s, ddl_alter *a, bool insert_only, skep_err *err);

#endif
