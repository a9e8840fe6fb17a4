/* For tests over a metastore database: a new one for each test, SQLite in a temporary directory, or PostgreSQL.
 *
 * The same programs run for both: with SKEP_TEST_POSTGRES in the environment (the file that
 * scripts/throwaway_postgres.sh writes its URL into) databases are made on that server. main begins with
 * metastore_missing(): true, and the program ends with 77, where there is no such file. */
#ifndef SUPPORT_METASTORE_H
#define SUPPORT_METASTORE_H

#include <stdlib.h>
#include <unistd.h>

#include "db/schema.h"
#include "support/test.h"

enum { METASTORE_SKIPPED = 77 };

typedef struct metastore {
  bool is_postgres;
  char dir[64];    /* SQLite */
  char name[64];   /* PostgreSQL */
  char url[256];   /* of the database */
  char admin[256]; /* PostgreSQL: of one that is always there */
} metastore;

/* The pattern of the server's URL, with %s for a database; false: there is none. */
static inline bool metastore_pattern(char *out, size_t size) {
  const char *path = getenv("SKEP_TEST_POSTGRES");
  FILE *file = path != NULL ? fopen(path, "r") : NULL;
  bool ok = file != NULL && fgets(out, (int)size, file) != NULL;
  if (file != NULL) fclose(file);
  if (ok) out[strcspn(out, "\n")] = 0;
  return ok && strstr(out, "%s") != NULL;
}

static inline bool metastore_is_postgres(void) { return getenv("SKEP_TEST_POSTGRES") != NULL; }

static inline bool metastore_missing(void) {
  char pattern[256];
  if (!metastore_is_postgres() || metastore_pattern(pattern, sizeof pattern)) return false;
  fputs("no PostgreSQL server was started: skipped\n", stderr);
  return true;
}

static inline void metastore_url(const char *pattern, const char *name, char *out, size_t size) {
  const char *at = strstr(pattern, "%s");
  snprintf(out, size, "%.*s%s%s", (int)(at - pattern), pattern, name, at + 2);
}

/* A statement about databases. Sessions that we or our children have closed may still be ending on the server, however
 * long that takes there. */
static inline skep_status metastore_try_admin(skep_db *db, const char *sql, skep_err *err) {
  skep_status status;
  do {
    status = skep_db_exec(db, sql, err);
  } while (status != SKEP_OK && strstr(err->text, "is being accessed by other users") != NULL);
  return status;
}

static inline void metastore_admin(const skep_ctx *ctx, const metastore *m, const char *sql) {
  skep_db *db = NULL;
  skep_err err = {0};
  assert_ok(skep_db_open(ctx, m->admin, NULL, &db, &err), err);
  assert_ok(metastore_try_admin(db, sql, &err), err);
  skep_db_close(db);
}

/* Its place, where nothing is yet; `shm`: SQLite's in memory where there is a place for that. */
static inline void metastore_place(metastore *m, bool shm) {
  static int n;
  *m = (metastore){.is_postgres = metastore_is_postgres()};
  if (m->is_postgres) {
    char pattern[256];
    assert_true(metastore_pattern(pattern, sizeof pattern));
    snprintf(m->name, sizeof m->name, "t_%d_%d", (int)getpid(), ++n);
    metastore_url(pattern, m->name, m->url, sizeof m->url);
    metastore_url(pattern, "postgres", m->admin, sizeof m->admin);
    return;
  }
  snprintf(m->dir, sizeof m->dir, "%s/skep_db_XXXXXX", shm ? "/dev/shm" : "/tmp");
  if (mkdtemp(m->dir) == NULL) {
    snprintf(m->dir, sizeof m->dir, "/tmp/skep_db_XXXXXX");
    assert_non_null(mkdtemp(m->dir));
  }
  snprintf(m->url, sizeof m->url, "sqlite:%s/m.sqlite", m->dir);
}

/* An empty database. */
static inline void metastore_new(metastore *m, const skep_ctx *ctx, bool shm) {
  char sql[128];
  metastore_place(m, shm);
  if (!m->is_postgres) return;
  snprintf(sql, sizeof sql, "CREATE DATABASE %s", m->name);
  metastore_admin(ctx, m, sql);
}

/* The template of databases with Hive's schema: made once a server, by whoever comes first. */
static inline void metastore_template(const skep_ctx *ctx, const metastore *m, const char *pattern) {
  char name[64], url[256], sql[200];
  skep_db *db = NULL;
  skep_err err = {0};
  snprintf(name, sizeof name, "skep_hive_%d", (int)getpid());
  snprintf(sql, sizeof sql, "CREATE DATABASE %s", name);
  metastore_admin(ctx, m, sql);
  metastore_url(pattern, name, url, sizeof url);
  assert_ok(skep_db_open(ctx, url, NULL, &db, &err), err);
  assert_ok(skep_schema_init(db, "file:/warehouse", &err), err);
  skep_db_close(db);
  assert_ok(skep_db_open(ctx, m->admin, NULL, &db, &err), err);
  snprintf(sql, sizeof sql, "ALTER DATABASE %s RENAME TO skep_hive", name);
  if (metastore_try_admin(db, sql, &err) != SKEP_OK) { /* somebody was faster */
    snprintf(sql, sizeof sql, "DROP DATABASE %s WITH (FORCE)", name);
    assert_ok(metastore_try_admin(db, sql, &err), err);
  }
  skep_db_close(db);
}

/* PostgreSQL only: a database with Hive's schema, as skep_schema_init makes it for the warehouse file:/warehouse. That
 * takes a second, and a copy of it a tenth. */
static inline void metastore_copy(metastore *m, const skep_ctx *ctx) {
  char pattern[256], sql[200];
  skep_db *db = NULL;
  skep_err err = {0};
  metastore_place(m, false);
  assert_true(metastore_pattern(pattern, sizeof pattern));
  assert_ok(skep_db_open(ctx, m->admin, NULL, &db, &err), err);
  snprintf(sql, sizeof sql, "CREATE DATABASE %s TEMPLATE skep_hive", m->name);
  if (metastore_try_admin(db, sql, &err) != SKEP_OK) {
    metastore_template(ctx, m, pattern);
    assert_ok(metastore_try_admin(db, sql, &err), err);
  }
  skep_db_close(db);
}

/* The clock of a server cannot be set: what stands in the metastore was written so much earlier instead. SQLite's clock
 * is the context's. */
static inline void metastore_age(skep_db *db, int64_t ms) {
  static const char *const updates[] = {
      "UPDATE \"TXNS\" SET \"TXN_STARTED\" = \"TXN_STARTED\" - ?, \"TXN_LAST_HEARTBEAT\" = \"TXN_LAST_HEARTBEAT\" - ?",
      "UPDATE \"HIVE_LOCKS\" SET \"HL_ACQUIRED_AT\" = \"HL_ACQUIRED_AT\" - ?, \"HL_LAST_HEARTBEAT\" = "
      "\"HL_LAST_HEARTBEAT\" - ?",
      "UPDATE \"COMPACTION_QUEUE\" SET \"CQ_ENQUEUE_TIME\" = \"CQ_ENQUEUE_TIME\" - ?, \"CQ_START\" = \"CQ_START\" - ?",
      "UPDATE \"COMPACTION_QUEUE\" SET \"CQ_COMMIT_TIME\" = \"CQ_COMMIT_TIME\" - ?, \"CQ_CLEANER_START\" = "
      "\"CQ_CLEANER_START\" - ?"};
  skep_err err = {0};
  for (size_t i = 0; i < sizeof updates / sizeof updates[0]; i++)
    assert_ok(skep_db_run(db, updates[i], SKEP_PARAMS(skep_p_i64(ms), skep_p_i64(ms)), NULL, &err), err);
}

/* PostgreSQL gives out numbers of transactions out of order: a young one may have an older neighbour yet to come. Now
 * none has. */
static inline void metastore_settle(skep_db *db) {
  skep_err err = {0};
  if (!metastore_is_postgres()) return;
  assert_ok(
      skep_db_run(db, "UPDATE \"TXNS\" SET \"TXN_STARTED\" = \"TXN_STARTED\" - 11000", SKEP_NO_PARAMS, NULL, &err),
      err);
}

/* SQLite's files, but not the directory. */
static inline void metastore_remove_files(const metastore *m) {
  const char *names[] = {"m.sqlite", "m.sqlite-wal", "m.sqlite-shm", "m.sqlite-queue", "m.sqlite-mutex"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char path[192];
    snprintf(path, sizeof path, "%s/%s", m->dir, names[i]);
    unlink(path);
  }
}

static inline void metastore_remove(const metastore *m, const skep_ctx *ctx) {
  if (m->is_postgres) {
    char sql[128];
    snprintf(sql, sizeof sql, "DROP DATABASE IF EXISTS %s WITH (FORCE)", m->name);
    metastore_admin(ctx, m, sql);
    return;
  }
  metastore_remove_files(m);
  rmdir(m->dir);
}

#endif
