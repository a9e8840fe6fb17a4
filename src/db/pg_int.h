/* What the two files of the PostgreSQL backend share: the connection (pg_connect.c) and what runs on it
 * (db_postgres.c). Module-private.
 *
 * Commands are sent in libpq's pipeline mode: pg_queue_* put one into the output without waiting, pg_flush sends all
 * and reads all answers, one round trip. What fails makes the server pass over the rest up to the flush. */
#ifndef DB_PG_INT_H
#define DB_PG_INT_H

#include <libpq-fe.h>
#include <pthread.h>
#include <stdatomic.h>

#include "db/db_int.h"

/* Commands that are prepared with the connection. */
typedef enum pg_fixed {
  PG_BEGIN_READ,
  PG_BEGIN,
  PG_COMMIT,
  PG_ROLLBACK,
  PG_ALONE,      /* the advisory lock of all writers */
  PG_BESIDE,     /* the same, shared */
  PG_ALONE_LAZY, /* and a commit that does not wait for the disk */
  PG_BESIDE_LAZY,
  PG_SYNC, /* a transaction of its own that makes all before it durable */
  PG_TXNS_SHARE,
  PG_TXNS_EXCLUSIVE,
  PG_SAVEPOINT,
  PG_RELEASE,
  PG_ROLLBACK_TO,
  PG_PREPARE_POINT, /* around the preparation of a statement */
  PG_PREPARE_RELEASE,
  PG_PREPARE_ROLLBACK,
  PG_N_FIXED
} pg_fixed;

/* A command whose answer somebody keeps until it is read: in the order in which they were sent. */
typedef struct pg_awaited {
  struct pg_awaited *next;
  uint32_t position; /* among the queued commands */
  PGresult *result;  /* NULL: not answered yet */
} pg_awaited;

typedef struct pg_db {
  skep_db base;
  char *url;
  PGconn *conn;
  bool read_only;
  int64_t busy_wait_ms;
  uint64_t generation; /* of the connection: statements of an earlier one must be prepared again */
  uint64_t next_name;  /* of prepared statements */
  uint32_t n_queued;   /* commands whose answers were not read */
  pg_awaited *awaited; /* of those, the ones whose answers are kept */
  bool rolled_back; /* one of the answers of the last round trip was ROLLBACK: that of a COMMIT, where none was asked */
  bool begun;       /* BEGIN of the open transaction was queued */
  bool failed;      /* the open transaction cannot go on */
  bool used;        /* it has asked or changed something: it cannot begin again on another connection */
  int64_t n_changed;
  /* Server's clock minus the machine's time since its start. */
  int64_t offset_ms, measured_ns;
  int64_t last_use_ns;
  pthread_mutex_t cancel_lock; /* of `cancel`, which other threads use */
  bool has_lock;
  PGcancel *cancel;
  _Atomic bool interrupted;
} pg_db;

/* The status of an SQLSTATE (five letters, NULL: none). */
skep_status pg_status_of(const char *sqlstate);
/* What the server, or libpq about a lost connection, said. result may be NULL. */
skep_status pg_fail(pg_db *db, const PGresult *result, skep_err *err);
bool pg_is_lost(const pg_db *db);
/* Appends the URL without its passwords, in another order of words perhaps (skep_db_place). */
skep_status pg_url_public(const char *url, skep_buf *out, skep_err *err);

/* Connects, once; the statements of the connection are prepared. */
skep_status pg_connect(pg_db *db, skep_err *err);
/* Makes sure that there is a connection that can be used, between transactions: a lost one is made again. The server
 * may be starting: tries for a while. */
skep_status pg_ensure(pg_db *db, skep_err *err);
void pg_disconnect(pg_db *db);

/* What a PQsend... returned: counts the command, or says why it could not be sent. */
skep_status pg_queued(pg_db *db, int sent, skep_err *err);
skep_status pg_queue_fixed(pg_db *db, pg_fixed what, skep_err *err);
/* The answer of the command that was queued last is kept in `a` by the flush (NULL when it fails). */
void pg_await(pg_db *db, pg_awaited *a);
void pg_forget(pg_db *db, pg_awaited *a); /* the answer is not wanted any more; it need not be awaited */
/* Sends what is queued and waits for all answers. *last (may be NULL): that of the last command, to be cleared by the
 * caller; NULL on failure. *n_done (may be NULL): how many commands before the failing one succeeded. */
skep_status pg_flush(pg_db *db, PGresult **last, uint32_t *n_done, skep_err *err);
/* Text of commands that are not prepared, any number; nothing may be queued. */
skep_status pg_run_text(pg_db *db, const char *sql, skep_err *err);
/* The whole number that a text begins with; 0 when it does not, the nearest one when it is too large. */
int64_t pg_number(const char *text);
/* Nanoseconds since the machine started, sleep included. */
int64_t pg_boottime_ns(void);
skep_status pg_measure_clock(pg_db *db, skep_err *err);

#endif
