/* The mutex of processes: see mutex.h. */
#include "txn/mutex.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"

struct skep_txn_mutex {
  const skep_ctx *ctx;
  char name[129];
  int file;    /* SQLite: the open file whose byte is locked; else -1 */
  char *url;   /* of the database */
  skep_db *db; /* else: the connection whose transaction holds the row */
};

static bool is_sqlite(const char *url) { return strncmp(url, "sqlite:", 7) == 0; }

static skep_status held_by_another(const char *name, skep_err *err) {
  char quoted[200];
  return skep_fail(err, SKEP_ERR_BUSY, "another process is the %s of this metastore",
                   skep_quote(quoted, sizeof quoted, name, strlen(name)));
}

/* --- SQLite: a byte of a file --- */

/* The byte that stands for the name. Two names that share one would only wait for each other. */
static off_t byte_of(const char *name) { return (off_t)(skep_fnv_text(SKEP_FNV_START, name) >> 2); }

static skep_status open_file(skep_txn_mutex *m, skep_err *err) {
  char path[4096];
  int n = snprintf(path, sizeof path, "%s-mutex", m->url + 7);
  if (n < 0 || (size_t)n >= sizeof path) return skep_fail(err, SKEP_ERR_LIMIT, "the path of the metastore is too long");
  m->file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (m->file >= 0) return SKEP_OK;
  char quoted[300];
  return skep_fail(err, SKEP_ERR_IO, "%s: %s", skep_quote(quoted, sizeof quoted, path, strlen(path)),
                   strerrordesc_np(errno));
}

/* A lock of the open file, not of the process: sessions of one process exclude each other too. */
static skep_status try_file(skep_txn_mutex *m, bool *got, skep_err *err) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte_of(m->name), .l_len = 1};
  *got = fcntl(m->file, F_OFD_SETLK, &lock) == 0;
  if (*got || errno == EAGAIN || errno == EACCES || errno == EINTR) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_IO, "locking the mutex file of the metastore: %s", strerrordesc_np(errno));
}

static skep_status acquire_file(skep_txn_mutex *m, int64_t wait_ms, skep_err *err) {
  if (strcmp(m->url, "sqlite::memory:") == 0) return SKEP_OK; /* nobody else can see it */
  SKEP_TRY(open_file(m, err));
  int64_t start = m->ctx->monotonic_ns(m->ctx->clock_self);
  for (;;) {
    bool got = false;
    SKEP_TRY(try_file(m, &got, err));
    if (got) return SKEP_OK;
    if (m->ctx->monotonic_ns(m->ctx->clock_self) - start >= wait_ms * 1000000) return held_by_another(m->name, err);
    const struct timespec pause = {.tv_nsec = 10 * 1000 * 1000};
    (void)nanosleep(&pause, NULL);
  }
}

/* --- a server: a row, locked by an open transaction --- */

/* Makes the row; others may be faster. */
static skep_status make_row(skep_db *db, const char *name, skep_err *err) {
  skep_err reason = {0};
  skep_status status = skep_db_run(db, "INSERT INTO \"AUX_TABLE\" (\"MT_KEY1\", \"MT_KEY2\") VALUES (?, 0)",
                                   SKEP_PARAMS(skep_p_text(name)), NULL, &reason);
  if (status == SKEP_OK || status == SKEP_ERR_EXISTS) return SKEP_OK;
  if (err != NULL) *err = reason;
  return status;
}

static skep_status lock_row(skep_txn_mutex *m, bool *found, skep_err *err) {
  int64_t ignored;
  SKEP_TRY(skep_db_begin(m->db, SKEP_DB_HOLD, err));
  skep_status status = skep_db_get_i64(m->db, "SELECT \"MT_KEY2\" FROM \"AUX_TABLE\" WHERE \"MT_KEY1\" = ?{for_update}",
                                       SKEP_PARAMS(skep_p_text(m->name)), &ignored, found, err);
  if (status != SKEP_OK || !*found) skep_db_rollback(m->db);
  return status;
}

static skep_status acquire_row(skep_txn_mutex *m, int64_t wait_ms, skep_err *err) {
  const skep_db_opts opts = {.busy_wait_ms = wait_ms > 0 ? wait_ms : 1, .checkpoint_pages = 8000};
  bool found = false;
  SKEP_TRY(skep_db_open(m->ctx, m->url, &opts, &m->db, err));
  for (int tries = 0; tries < 3; tries++) {
    skep_err reason = {0};
    skep_status status = lock_row(m, &found, &reason);
    if (status == SKEP_ERR_BUSY) return held_by_another(m->name, err);
    if (status != SKEP_OK) {
      if (err != NULL) *err = reason;
      return status;
    }
    if (found) return SKEP_OK;
    SKEP_TRY(make_row(m->db, m->name, err));
  }
  return skep_fail(err, SKEP_ERR_INTERNAL, "the row of mutex %s does not stay in AUX_TABLE", m->name);
}

/* --- both --- */

static void free_mutex(skep_txn_mutex *m) {
  if (m->file >= 0) (void)close(m->file); /* and with it the lock */
  skep_db_close(m->db);                   /* rolls back */
  skep_release(m->ctx, m->url);
  skep_release(m->ctx, m);
}

skep_status skep_txn_mutex_acquire(skep_db *db, const char *name, int64_t wait_ms, skep_txn_mutex **out,
                                   skep_err *err) {
  const skep_ctx *ctx = skep_db_ctx(db);
  const char *url = skep_db_url(db);
  *out = NULL;
  if (name == NULL || name[0] == '\0' || strlen(name) > 128 || wait_ms < 0 || wait_ms > INT64_MAX / 1000000)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "a mutex needs a name of up to 128 bytes and a time to wait");
  skep_txn_mutex *m = skep_alloc_zero(ctx, 1, sizeof *m);
  if (m == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a mutex");
  m->ctx = ctx;
  m->file = -1;
  snprintf(m->name, sizeof m->name, "%s", name);
  m->url = skep_strndup(ctx, url, strlen(url));
  skep_status status = m->url != NULL ? SKEP_OK : skep_fail(err, SKEP_ERR_NOMEM, "a mutex");
  if (status == SKEP_OK) status = is_sqlite(url) ? acquire_file(m, wait_ms, err) : acquire_row(m, wait_ms, err);
  if (status == SKEP_OK) {
    *out = m;
  } else {
    free_mutex(m);
  }
  return status;
}

skep_status skep_txn_mutex_check(skep_txn_mutex *m, skep_err *err) {
  int64_t one;
  if (m->db == NULL) return SKEP_OK; /* the file is open, so the lock is there */
  skep_err reason = {0};
  if (skep_db_in_transaction(m->db) &&
      skep_db_get_i64(m->db, "SELECT \"MT_KEY2\" FROM \"AUX_TABLE\" WHERE \"MT_KEY1\" = ?",
                      SKEP_PARAMS(skep_p_text(m->name)), &one, NULL, &reason) == SKEP_OK)
    return SKEP_OK;
  return skep_fail(err, SKEP_ERR_BUSY, "the mutex %s is lost: %s", m->name,
                   reason.text[0] != '\0' ? reason.text : "its transaction has ended");
}

void skep_txn_mutex_release(skep_txn_mutex *m) {
  if (m != NULL) free_mutex(m);
}

static skep_status store_stamp(skep_db *db, const char *name, int64_t stamp_ms, skep_err *err) {
  int64_t changed = 0;
  static const char update[] = "UPDATE \"AUX_TABLE\" SET \"MT_KEY2\" = ? WHERE \"MT_KEY1\" = ?";
  SKEP_TRY(skep_db_run(db, update, SKEP_PARAMS(skep_p_i64(stamp_ms), skep_p_text(name)), &changed, err));
  if (changed > 0) return SKEP_OK;
  return skep_db_run(db, "INSERT INTO \"AUX_TABLE\" (\"MT_KEY1\", \"MT_KEY2\") VALUES (?, ?)",
                     SKEP_PARAMS(skep_p_text(name), skep_p_i64(stamp_ms)), NULL, err);
}

skep_status skep_txn_mutex_release_at(skep_txn_mutex *m, int64_t stamp_ms, skep_err *err) {
  skep_status status = SKEP_OK;
  if (m->db == NULL) {
    const skep_db_opts opts = {.busy_wait_ms = 60000, .checkpoint_pages = 8000};
    status = skep_db_open(m->ctx, m->url, &opts, &m->db, err);
    if (status == SKEP_OK) status = skep_db_begin(m->db, SKEP_DB_WRITE_LAZY, err);
  }
  if (status == SKEP_OK) status = store_stamp(m->db, m->name, stamp_ms, err);
  if (status == SKEP_OK) status = skep_db_commit(m->db, err);
  free_mutex(m);
  return status;
}

skep_status skep_txn_mutex_stamp(skep_db *db, const char *name, int64_t *out_ms, skep_err *err) {
  return skep_db_get_i64(db, "SELECT max(\"MT_KEY2\") FROM \"AUX_TABLE\" WHERE \"MT_KEY1\" = ?",
                         SKEP_PARAMS(skep_p_text(name)), out_ms, NULL, err);
}
