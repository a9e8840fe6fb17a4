/* The life of one statement that reads or writes tables:
 *
 *   open      a reading database transaction begins; tables are looked up and queries are bound inside it, however long
 *             that takes
 *   enter     in one short writing database transaction: nothing that was looked up has changed; all locks of the
 *             statement are asked for in one request; the transaction is opened (or joined), its snapshot taken after
 *             the grant, write ids allocated. Where it has to wait for its locks, no database transaction is open
 *   sources   directories are listed under the snapshot: all of a statement's sources before its first write
 *   query     the engine runs; rows go into branches (table/write.h)
 *   commit    branches are finished (files synced), changes recorded, the transaction committed unless it is explicit
 *
 * skep_life_fail ends it at any point: branches are aborted, the transaction with them. When something that was looked
 * up has changed before it was locked, enter returns SKEP_END and the statement begins again:
 *
 *   do {
 *     st = skep_life_open(&life, s, err);
 *     if (st == SKEP_OK) st = <look up, bind, say what is locked, enter, run>;
 *   } while (skep_life_again(&life, &st, err)); */
#ifndef SQL_LIFE_H
#define SQL_LIFE_H

#include "bind/bind.h"
#include "sql/locks.h"
#include "sql/session_int.h"
#include "table/write.h"

/* One table of the statement, however often it is named. */
typedef struct skep_life_table {
  const skep_catalog_table *t;
  skep_session *s;                          /* set when it is written */
  const char *path;                         /* its directory */
  const skep_text_format *text;             /* NULL: ORC */
  bool is_read;                             /* some query names it */
  char write;                               /* 0, 'i', 'u', 'd': see txn/txn.h */
  const skep_catalog_partition *partitions; /* ascending by name, own new ones included; after enter */
  size_t n_partitions;
  bool is_listed;              /* partitions are */
  bool *touched;               /* one a partition: some bound query reads it; NULL: all count as read */
  bool is_bound;               /* skep_life_reads has seen it */
  int64_t n_stamp, max_stamp;  /* of the partitions as listed: skep_catalog_partition_stamp */
  int64_t write_id;            /* after enter, when it writes and the table is transactional */
  const char *valid_write_ids; /* after enter, of a transactional table that is read */
} skep_life_table;

/* Where rows go: one table write with its own statement id. */
typedef struct skep_life_branch {
  skep_life_table *table;
  skep_table_write *write;
  skep_write_kind kind;
  char op;         /* 'i', 'u', 'd' */
  bool is_stale;   /* it got files whose rows were not counted */
  bool by_absence; /* its rows were inserted because no row was found: MERGE's INSERT */
} skep_life_branch;

enum { SKEP_LIFE_MAX_TABLES = 1000, SKEP_LIFE_MAX_BRANCHES = 1000 };

typedef struct skep_life {
  skep_session *s;
  skep_binder binder;
  skep_life_table **tables;
  size_t n_tables, tables_capacity;
  const skep_catalog_table **views; /* as they were when the binder asked; one may be there twice */
  size_t n_views, views_capacity;
  skep_life_branch **branches;
  size_t n_branches, branches_capacity;
  const skep_bind_table *own_relation; /* a table that is none of the catalog's: MERGE's source; or NULL */
  bool as_hive;                        /* rows are copied: sources deliver them in the order of Hive's tasks */
  uint64_t *sources;                   /* the engine's numbers, to be removed at the end */
  const skep_source **source_objects;
  size_t n_sources, sources_capacity, objects_capacity;
  const char **made; /* directories to remove when the statement fails; besides those of branches */
  size_t n_made, made_capacity;
  bool owns_txn;                   /* opened by this statement: ends with it */
  struct skep_legacy_held *legacy; /* legacy_locks.h; or NULL */
  skep_write_budget budget;        /* of all branches */
  bool has_budget;
  skep_lock_entity *locks; /* what is locked besides tables that are only read */
  uint32_t n_locks;
  size_t locks_capacity;
  int64_t lock_id; /* of the request, 0: none */
  bool again;      /* enter found that something had changed */
  uint32_t tries;  /* how often it began again */
} skep_life;

SKEP_NODISCARD skep_status skep_life_open(skep_life *life, skep_session *session, skep_err *err);

/* Whether the statement has to begin again, with skep_life_open: all of it was undone, and *st is for the next round.
 * SKEP_ERR_BUSY in *st after too many rounds. */
bool skep_life_again(skep_life *life, skep_status *st, skep_err *err);

/* A table as named in the statement. SKEP_ERR_SEMANTIC with Hive's 10001 when there is none. A view is handed out too,
 * to be refused: it is no table of the life. */
SKEP_NODISCARD skep_status skep_life_find(skep_life *life, const skep_table_name *name, skep_life_table **out,
                                          skep_err *err);

/* A table that the catalog does not have yet (id 0): the life lists it with the others. */
SKEP_NODISCARD skep_status skep_life_add(skep_life *life, skep_life_table *table, skep_err *err);

/* The statement will write the table: op as in skep_life_table.write. Refuses what a transaction cannot: another write
 * after it was overwritten in the same explicit transaction, plain tables in one. */
SKEP_NODISCARD skep_status skep_life_write(skep_life *life, skep_life_table *table, char op, skep_err *err);

/* Lists the partitions of a partitioned table, before enter (which does it otherwise). */
SKEP_NODISCARD skep_status skep_life_list(skep_life *life, skep_life_table *table, skep_err *err);

/* Before enter. Which partitions a bound query reads: those that its predicates leave are locked, and not the table. A
 * table that no bound query was told of is locked whole. */
SKEP_NODISCARD skep_status skep_life_reads(skep_life *life, const skep_bound_query *bound, skep_err *err);
/* Before enter. What is done to a table besides reading it. partitions (of any lifetime until enter) NULL: the whole
 * table, and for SKEP_LOCK_USE_CHANGE those that are read. */
SKEP_NODISCARD skep_status skep_life_lock(skep_life *life, const skep_life_table *table, skep_lock_use use,
                                          const char *const *partitions, uint32_t n, skep_err *err);
/* A database that is locked (SKEP_LOCK_USE_DDL_SHARED: CREATE TABLE .. AS). */
SKEP_NODISCARD skep_status skep_life_lock_database(skep_life *life, const char *database, skep_lock_use use,
                                                   skep_err *err);

/* SKEP_END: begin again (skep_life_again), or EXPLAIN LOCKS was asked and has its answer.
 * SKEP_ERR_BUSY: waited too long; SKEP_ERR_CONFLICT: a deadlock, or an explicit transaction's snapshot is older than a
 * change of what it writes. */
SKEP_NODISCARD skep_status skep_life_enter(skep_life *life, skep_err *err);

/* "(a) AND (b)" of what is there, in session->arena; NULL when neither is. */
SKEP_NODISCARD skep_status skep_life_both_predicates(skep_life *life, const char *a, const char *b, const char **out,
                                                     skep_err *err);

/* One source for each table of a bound query: ids[n_tables], in session->arena. */
SKEP_NODISCARD skep_status skep_life_sources(skep_life *life, const skep_bound_query *bound, const uint64_t **ids,
                                             skep_err *err);
/* The source with this number, or NULL. */
const skep_source *skep_life_source(const skep_life *life, uint64_t id);
SKEP_NODISCARD skep_status skep_life_query(skep_life *life, const skep_bound_query *bound, const uint64_t *ids,
                                           const skep_forms *forms, skep_engine_result **out, skep_err *err);

/* A branch over a table that was entered for writing. statics: see table/write.h. Takes the statement id. */
SKEP_NODISCARD skep_status skep_life_branch_open(skep_life *life, skep_life_table *table, skep_write_kind kind, char op,
                                                 const skep_bytes *statics, skep_life_branch **out, skep_err *err);

/* base_<write id> below root is about to be made, not by a branch: it is removed when the statement fails. */
SKEP_NODISCARD skep_status skep_life_made_base(skep_life *life, const char *root, int64_t write_id, skep_err *err);

/* Finishes all branches, commits what the statement owns. On failure everything is undone; call nothing more. */
SKEP_NODISCARD skep_status skep_life_commit(skep_life *life, skep_err *err);

/* Undoes everything, an explicit transaction too; returns st. Safe at any point after a zeroed life, and twice. */
skep_status skep_life_fail(skep_life *life, skep_status st);

/* The forms that writers take without conversions. */
extern const skep_forms skep_life_forms;

#endif
