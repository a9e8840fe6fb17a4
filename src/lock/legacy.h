/* The locks of Hive's older transaction manager (DummyTxnManager): shared and exclusive, on a tree of objects.
 *
 *   skep_legacy_plan(wants)       a statement's locks: parents of every object SHARED, sorted, one an object
 *   skep_legacy_lock(manager)     all of them or none; "not now" names a lock in the way: the caller pauses, tries
 * again skep_legacy_unlock            at the end of the statement; a process that dies gives its locks back explicit
 * locks (LOCK TABLE)   outlive statement and session, until somebody unlocks the object
 *
 * Two managers: `files`, between the processes of one machine, below the warehouse; `zookeeper`, as Hive's own clients
 * see it: same nodes, same data, so Hive and Skep wait for each other.
 *
 * An object is a path of names, "db", "db/table", "db/table/k=v/k2=v2": lower case, partitions by their escaped names,
 * a '/' inside a name as %2F. A manager is used by one thread at a time.
 *
 * Source: Apache Hive 4.0 DummyTxnManager, HiveLockObject, ZooKeeperHiveLockManager, EmbeddedLockManager (txn-protocol
 * 8). Left out: SEMI_SHARED locks around file moves (hive.lock.file.move.protect): files move under the metastore's
 * write lock here (sql/life.c). */
#ifndef LOCK_LEGACY_H
#define LOCK_LEGACY_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/ctx.h"

typedef enum skep_legacy_mode { SKEP_LEGACY_SHARED, SKEP_LEGACY_EXCLUSIVE } skep_legacy_mode;
const char *skep_legacy_mode_name(skep_legacy_mode mode); /* "SHARED" */

typedef struct skep_legacy_want {
  const char *object;
  skep_legacy_mode mode;
} skep_legacy_want;

/* Who has a lock, and for what: kept with it, shown by SHOW LOCKS EXTENDED. */
typedef struct skep_legacy_data {
  const char *query_id;
  int64_t time_ms;
  bool is_explicit;
  const char *query;
  const char *client; /* address or name of the machine */
} skep_legacy_data;

typedef struct skep_legacy_lock_info {
  const char *object; /* texts in the arena */
  skep_legacy_mode mode;
  skep_legacy_data data;
} skep_legacy_lock_info;

/* The path of an object, in the arena; table and partition may be NULL. NULL: out of memory. */
const char *skep_legacy_object(skep_arena *arena, const char *database, const char *table, const char *partition);
/* "db", "db@table", "db@table@k=v/k2=v2": as SHOW LOCKS prints it. */
void skep_legacy_object_show(const char *object, skep_buf *out);

/* Adds the parents, sorts by object, keeps the strongest of each. Pure; the list lives in the arena. */
SKEP_NODISCARD skep_status skep_legacy_plan(skep_arena *arena, const skep_legacy_want *wants, size_t n,
                                            skep_legacy_want **out, size_t *n_out, skep_err *err);

/* "queryId:lockTime:lockMode:query:client", colons inside taken out, the query cut. And back: what is no such text has
 * empty fields. */
void skep_legacy_data_print(const skep_legacy_data *data, size_t max_query, skep_buf *out);
SKEP_NODISCARD skep_status skep_legacy_data_parse(skep_arena *arena, skep_bytes text, skep_legacy_data *out,
                                                  skep_err *err);

/* ---- managers ---- */

typedef struct skep_legacy_manager skep_legacy_manager;
typedef struct skep_legacy_held skep_legacy_held; /* the locks of one statement */

typedef struct skep_legacy_vtab {
  const char *name; /* for messages */
  skep_status (*lock)(skep_legacy_manager *m, const skep_legacy_want *wants, size_t n, const skep_legacy_data *data,
                      skep_arena *arena, skep_legacy_held **held, skep_legacy_lock_info *blocker, skep_err *err);
  skep_status (*unlock)(skep_legacy_manager *m, skep_legacy_held *held, skep_err *err);
  skep_status (*check)(skep_legacy_manager *m, skep_legacy_held *held, skep_err *err);
  skep_status (*unlock_explicit)(skep_legacy_manager *m, const char *object, size_t *n, skep_err *err);
  skep_status (*list)(skep_legacy_manager *m, skep_arena *arena, skep_legacy_lock_info **out, size_t *n, skep_err *err);
  void (*close)(skep_legacy_manager *m);
} skep_legacy_vtab;

struct skep_legacy_manager {
  const skep_legacy_vtab *vt; /* first member of every implementation */
  const skep_ctx *ctx;
  size_t max_query; /* hive.lock.query.string.max.length: bytes of a query that are kept */
};

/* dir: made with the first lock; its parent is there. Borrowed until _close. Touches nothing. */
SKEP_NODISCARD skep_status skep_legacy_files_open(const skep_ctx *ctx, const char *dir, skep_legacy_manager **out,
                                                  skep_err *err);

typedef struct skep_legacy_zookeeper_opts {
  const char *quorum;    /* "host:port,host:port", hive.zookeeper.quorum with its ports */
  const char *namespace; /* hive.zookeeper.namespace */
  int64_t session_ms;    /* hive.zookeeper.session.timeout: a dead client's locks go after it */
  int64_t connect_ms;    /* hive.zookeeper.connection.timeout */
} skep_legacy_zookeeper_opts;

/* opts and its texts are borrowed until _close. Connects with the first call that needs the server.
 * SKEP_ERR_UNSUPPORTED: built without the client library, or it is not on this machine. */
SKEP_NODISCARD skep_status skep_legacy_zookeeper_open(const skep_ctx *ctx, const skep_legacy_zookeeper_opts *opts,
                                                      skep_legacy_manager **out, skep_err *err);

void skep_legacy_close(skep_legacy_manager *m); /* accepts NULL; what is held is unlocked before */

/* Takes all wants (of skep_legacy_plan) or none, without waiting. *held NULL: not now; blocker (may be NULL) is a lock
 * in the way, in the arena. data->is_explicit: *held stays NULL when they were taken too, and *taken says so: nobody
 * holds explicit locks. */
SKEP_NODISCARD skep_status skep_legacy_lock(skep_legacy_manager *m, const skep_legacy_want *wants, size_t n,
                                            const skep_legacy_data *data, skep_arena *arena, bool *taken,
                                            skep_legacy_held **held, skep_legacy_lock_info *blocker, skep_err *err);
/* Frees held, whatever it returns; accepts NULL. */
skep_status skep_legacy_unlock(skep_legacy_manager *m, skep_legacy_held *held, skep_err *err);
/* SKEP_ERR_ABORTED: the locks were lost meanwhile (the server did not hear of us for a session's length). Ask before
 * what they protect counts. */
SKEP_NODISCARD skep_status skep_legacy_check(skep_legacy_manager *m, skep_legacy_held *held, skep_err *err);
/* Ends the explicit locks of one object, whoever took them; *n how many. */
SKEP_NODISCARD skep_status skep_legacy_unlock_explicit(skep_legacy_manager *m, const char *object, size_t *n,
                                                       skep_err *err);
/* All locks, sorted by object, EXCLUSIVE first. object: only those on it and inside it; NULL: all. */
SKEP_NODISCARD skep_status skep_legacy_list(skep_legacy_manager *m, const char *object, skep_arena *arena,
                                            skep_legacy_lock_info **out, size_t *n, skep_err *err);

#endif
