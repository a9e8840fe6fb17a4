/* Work that is stopped everywhere. A child works on a copy of a prepared warehouse and ends at its n-th call that
 * changes a file or the database, for every n until it comes through; another child then looks at what is there.
 *
 *   static const stopped_plan plan = {.prepare = prepare, .play = play, .look = look, .judge = judge, ...};
 *   uint64_t calls = stopped_everywhere(&plan, "a first base", &scenario, false, SKEP_DB_FAULT_EXIT_BEFORE);
 *
 * The bodies get a stopped_job. `play` does its work between stopped_arm and its return. With SKEP_TEST_POSTGRES in the
 * environment (metastore.h) the metastore is a database there, copied like the directory. */
#ifndef SUPPORT_STOPPED_H
#define SUPPORT_STOPPED_H

#include <inttypes.h>

#include "db/faults.h"
#include "io/faulty.h"
#include "support/child.h"
#include "support/metastore.h"
#include "support/warehouse.h"

typedef struct stopped_job {
  const char *name;
  const void *what; /* the caller's */
  const char *dir;  /* of the warehouse */
  bool in_files;    /* stop at a change of a file, else of the database */
  skep_db_fault_kind kind;
  uint64_t at; /* the call, from 1 */
} stopped_job;

typedef struct stopped_plan {
  uint64_t stride;                                                       /* every which call is tried */
  uint64_t most;                                                         /* more calls than this are a mistake */
  child_body *prepare;                                                   /* makes the warehouse */
  child_body *play;                                                      /* 0: it came through */
  child_body *look;                                                      /* must return 0 */
  void (*judge)(const stopped_job *job, const char *played, char *seen); /* what `play` and `look` said */
} stopped_plan;

/* A warehouse whose files and database can stop a child. */
typedef struct stopped_child {
  warehouse w;
  skep_fs *posix;
  skep_db_faults faults;
} stopped_child;

/* On PostgreSQL: the database of the run, and the one that it is a copy of. Children inherit them. */
static metastore stopped_run, stopped_kept;

/* All but the session, which is to be given the faults or not. */
static inline skep_status stopped_open(stopped_child *c, const char *dir) {
  memset(c, 0, sizeof *c);
  SKEP_TRY(warehouse_init(&c->w, dir));
  if (stopped_run.is_postgres) c->w.opts.metastore_url = stopped_run.url;
  c->posix = c->w.fs;
  SKEP_TRY(skep_fs_faulty_new(&c->w.ctx, c->posix, &c->w.fs, &c->w.err));
  c->w.opts.fs = c->w.fs;
  return SKEP_OK;
}

/* From here on calls are counted. */
static inline void stopped_arm(stopped_child *c, const stopped_job *job) {
  if (job->in_files) {
    skep_fs_faulty_stop_nth(c->w.fs, job->at);
  } else {
    c->faults.kind = job->kind;
    c->faults.at = c->faults.calls + job->at;
  }
}

/* Databases of the children that were stopped: their sessions may still be ending. */
static inline void stopped_admin(const char *format, const char *a, const char *b) {
  char sql[200];
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  snprintf(sql, sizeof sql, format, a, b);
  metastore_admin(&ctx, &stopped_run, sql);
}

static inline void stopped_prepare_database(void) {
  skep_ctx ctx;
  if (!metastore_is_postgres()) return;
  skep_ctx_init(&ctx);
  metastore_place(&stopped_kept, false);
  metastore_copy(&stopped_run, &ctx);
}

static inline void stopped_keep_database(void) {
  if (stopped_run.is_postgres) stopped_admin("ALTER DATABASE %s RENAME TO %s", stopped_run.name, stopped_kept.name);
}

static inline void stopped_copy_database(void) {
  if (!stopped_run.is_postgres) return;
  stopped_admin("DROP DATABASE IF EXISTS %s WITH (FORCE)", stopped_run.name, "");
  stopped_admin("CREATE DATABASE %s TEMPLATE %s", stopped_run.name, stopped_kept.name);
}

static inline void stopped_remove_databases(void) {
  if (!stopped_run.is_postgres) return;
  stopped_admin("DROP DATABASE IF EXISTS %s WITH (FORCE)", stopped_run.name, "");
  stopped_admin("DROP DATABASE IF EXISTS %s WITH (FORCE)", stopped_kept.name, "");
}

/* The number of calls that the work makes, or a little less. */
static inline uint64_t stopped_everywhere(const stopped_plan *plan, const char *name, const void *what, bool in_files,
                                          skep_db_fault_kind kind) {
  char kept[256], dir[256], played[1 << 14], seen[1 << 14];
  int code;
  snprintf(kept, sizeof kept, "%s/skep-crash-%d-kept", temp_dir_memory(), (int)getpid());
  snprintf(dir, sizeof dir, "%s/skep-crash-%d-run", temp_dir_memory(), (int)getpid());
  child_shell("rm -rf %s %s", kept, dir);
  stopped_job job = {.name = name,
                     .what = what,
                     .dir = dir,
                     .in_files = in_files,
                     .kind = kind,
                     .at = 1 + (uint64_t)getpid() % plan->stride};
  stopped_prepare_database();
  assert_int_equal(child_run(plan->prepare, &job, played, sizeof played), 0);
  stopped_keep_database();
  child_shell("mv %s %s", dir, kept); /* the metastore holds the path: copies go back to it */
  do {
    assert_true(job.at < plan->most);
    child_shell("rm -rf %s && cp -r %s %s", dir, kept, dir);
    stopped_copy_database();
    code = child_run(plan->play, &job, played, sizeof played);
    if (code != 0 && code != SKEP_DB_FAULT_CODE && code != SKEP_FS_FAULT_CODE)
      fail_msg("%s: stopped at %s call %" PRIu64 ": exit status %d", name, in_files ? "file" : "database", job.at,
               code);
    assert_int_equal(child_run(plan->look, &job, seen, sizeof seen), 0);
    plan->judge(&job, played, seen);
    job.at += plan->stride;
  } while (code != 0);
  child_shell("rm -rf %s %s", kept, dir);
  stopped_remove_databases();
  return job.at - plan->stride;
}

#endif
