/* Between db.c and the backends: what a backend implements. Module-private.
 *
 * db.c keeps the cache of statements, the state of the transaction, the fault door and the checks of arguments; a
 * backend does what it is told. */
#ifndef DB_DB_INT_H
#define DB_DB_INT_H

#include "base/buf.h"
#include "db/db.h"
#include "db/faults.h"
#include "db/legacy.h"

typedef struct skep_db_backend {
  const skep_dialect *dialect;
  void (*close)(skep_db *db); /* frees the whole; all statements are finalized already */
  /* Allocates a statement of the backend's size with the common part zeroed; sets stmt->changes. */
  skep_status (*prepare)(skep_db *db, const char *sql, skep_stmt **out, skep_err *err);
  void (*finalize)(skep_stmt *stmt);
  skep_status (*bind)(skep_stmt *stmt, const skep_param *params, size_t n, skep_err *err);
  /* bind, and sent: the answer comes with a later one. Only inside transactions; NULL: there is no such thing. */
  skep_status (*send)(skep_stmt *stmt, const skep_param *params, size_t n, skep_err *err);
  /* Prepares those that the server does not know, outside of a transaction; NULL: there is nobody to tell. */
  skep_status (*learn)(skep_db *db, skep_stmt *const *stmts, size_t n, skep_err *err);
  skep_status (*step)(skep_stmt *stmt, skep_err *err); /* SKEP_OK a row, SKEP_END */
  void (*reset)(skep_stmt *stmt);                      /* forgets rows and parameters */
  int64_t (*n_changed)(skep_db *db);
  int64_t (*last_id)(skep_db *db);
  int (*n_columns)(const skep_stmt *stmt);
  const char *(*column_name)(skep_stmt *stmt, int column);
  bool (*is_null)(skep_stmt *stmt, int column);
  int64_t (*i64)(skep_stmt *stmt, int column);
  double (*f64)(skep_stmt *stmt, int column);
  const void *(*bytes)(skep_stmt *stmt, int column, bool text, size_t *length);
  skep_status (*exec)(skep_db *db, const char *sql, skep_err *err);
  skep_status (*begin)(skep_db *db, skep_db_mode mode, skep_err *err);
  skep_status (*commit)(skep_db *db, skep_err *err); /* ends the transaction in any case */
  void (*rollback)(skep_db *db);
  skep_status (*savepoint)(skep_db *db, skep_err *err);
  skep_status (*savepoint_end)(skep_db *db, bool keep, skep_err *err);
  skep_status (*lock_txns)(skep_db *db, bool exclusive, skep_err *err); /* NULL: writers are alone */
  void (*interrupt)(skep_db *db);
  skep_status (*now_ms)(skep_db *db, int64_t *out, skep_err *err);
  skep_status (*place)(skep_db *db, skep_buf *out, skep_err *err); /* skep_db_place */
  const char *(*path)(skep_db *db);                                /* of its file, absolute; NULL: it is none */
} skep_db_backend;

struct skep_stmt {
  skep_db *db;
  char *sql;       /* as the caller gave it: the key of the cache */
  uint64_t hash;   /* of sql */
  bool changes;    /* not only reads */
  bool open;       /* given out */
  bool locks;      /* {for_update} was filled in ... */
  bool varies;     /* ... and stands in the text */
  bool no_result;  /* nobody asks how many rows it changed: it may run later in its transaction */
  bool counted;    /* the fault door has seen this run of it */
  skep_stmt *next; /* in its chain of the cache */
};

enum { SKEP_DB_MAX_LEARNED = 16, SKEP_DB_CACHE_CHAINS = 256, SKEP_DB_CACHE_MAX = 1024, SKEP_DB_RECENT = 256 };

struct skep_db {
  const skep_db_backend *vt;
  const skep_ctx *ctx;
  char *url;
  char name[256]; /* for messages */
  char boot_id[64];
  skep_db_faults *faults;
  bool read_only;
  bool active; /* a transaction is open, of this mode: */
  skep_db_mode mode;
  int64_t deadline_ns; /* of its commit; 0: none */
  bool own_clock;
  skep_legacy legacy;
  int64_t memo[SKEP_DB_MEMO_SIZE];
  uint32_t n_statements;
  skep_stmt *cache[SKEP_DB_CACHE_CHAINS];
  skep_stmt *recent[SKEP_DB_RECENT]; /* by the address of the text: most callers use one constant again and again */
};

/* Opens `path`; fills in a new object whose first member is a skep_db with vt, ctx, url set. */
skep_status skep_db_sqlite_open(const skep_ctx *ctx, const char *path, const skep_db_opts *opts, skep_db **out,
                                skep_err *err);
skep_status skep_db_postgres_open(const skep_ctx *ctx, const char *url, const skep_db_opts *opts, skep_db **out,
                                  skep_err *err);

#endif
