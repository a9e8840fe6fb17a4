/* What every step of compaction needs: a connection, a file system, settings, and who it is. Filled by a session (AND
 * WAIT) or by `skep compact`; borrowed by every call. One thread uses one at a time. */
#ifndef COMPACT_ENV_H
#define COMPACT_ENV_H

#include "acid/snapshot.h"
#include "base/config.h"
#include "base/pool.h"
#include "catalog/catalog.h"
#include "compact/run.h"
#include "skep/version.h"
#include "txn/compaction.h"

/* CQ_WORKER_VERSION, CQ_INITIATOR_VERSION: "skep" says that the rules of txn/compaction.h hold. */
#define SKEP_COMPACT_VERSION "skep " SKEP_VERSION_STRING

/* Something to say about a step, for a person or a log; borrowed for the call. */
typedef void skep_compact_say(void *self, const char *line);

typedef struct skep_compact_env {
  const skep_ctx *ctx;
  skep_fs *fs;
  skep_db *db;
  skep_catalog *catalog;     /* over db */
  const skep_config *config; /* Hive's names; what is not set has Hive's default */
  skep_txn_conf conf;        /* user, host, time-outs */
  const char *worker_id;     /* "<host>-<thread>"; nobody else's; ends with the process's tag (base/alive.h) */
  const char *version;
  const skep_cancel *cancel; /* or NULL */
  skep_compact_say *say;     /* or NULL */
  void *say_self;
  /* How far the running job is; may be NULL. From whatever thread works. */
  void (*progress)(void *self, const skep_compaction *job, const skep_compact_progress *progress);
  void *progress_self;
  /* Computes statistics of columns again that had some, after a major compaction; NULL: nobody can. Called outside of a
   * database transaction; what fails is only said. */
  skep_status (*gather)(void *self, const char *database, const char *table, const char *partition, skep_err *err);
  void *gather_self;
} skep_compact_env;

/* Settings with Hive's defaults; malformed values count as the default. Times in ms, bare numbers in the unit given. */
bool skep_compact_bool(const skep_compact_env *env, const char *name, bool otherwise);
int64_t skep_compact_int(const skep_compact_env *env, const char *name, int64_t otherwise);
int64_t skep_compact_ms(const skep_compact_env *env, const char *name, int64_t bare_unit_ms, int64_t otherwise);
double skep_compact_double(const skep_compact_env *env, const char *name, double otherwise);
/* A table's (or request's) property over the setting: "compactorthreshold.<name>". */
const char *skep_compact_threshold(const skep_catalog_table *t, const char *name);

/* "0.1": digits and one point. */
bool skep_compact_parse_double(const char *text, double *out);

void skep_compact_note(const skep_compact_env *env, const char *format, ...) SKEP_PRINTF(2, 3);
/* SKEP_ERR_CANCELLED when env->cancel says so. */
SKEP_NODISCARD skep_status skep_compact_check(const skep_compact_env *env, skep_err *err);

/* Whether two entries are of one table or partition. */
bool skep_compact_same_resource(const skep_compaction *a, const skep_compaction *b);

/* The table or partition of a queue entry as the catalog has it now. */
typedef struct skep_compact_target {
  skep_catalog_table *t;
  skep_catalog_partition *p; /* NULL: the table itself */
  const char *path;          /* its directory */
} skep_compact_target;

/* out->t is NULL when there is no such table, out->p when there is no such partition (and path is NULL for both).
 * SKEP_ERR_UNSUPPORTED: its location is on another kind of file system. Inside or outside a database transaction. */
SKEP_NODISCARD skep_status skep_compact_find(const skep_compact_env *env, skep_arena *arena, const char *database,
                                             const char *table, const char *partition, skep_compact_target *out,
                                             skep_err *err);

/* What a reader that begins now sees of a table; in the arena. in_full: the write ids that were aborted are all known
 * as such (skep_txn_write_ids_in_full). */
SKEP_NODISCARD skep_status skep_compact_snapshot_now(skep_db *db, const skep_txn_conf *conf, skep_arena *arena,
                                                     const char *database, const char *table, bool in_full,
                                                     skep_snapshot *out, skep_err *err);

#endif
