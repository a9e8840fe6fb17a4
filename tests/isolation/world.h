/* One warehouse in memory and several sessions on it, each with a thread of its own, that move only when they are told
 * to. A statement that waits for a lock stands in the session's hook until world_settle lets it look again, so nothing
 * here depends on how fast anything is.
 *
 * Order of calls: world_open; for each run world_begin, then world_start / world_settle ..., world_end; world_close. */
#ifndef ISOLATION_WORLD_H
#define ISOLATION_WORLD_H

#include <pthread.h>

#include "db/db.h"
#include "spec.h"
#include "sql/session.h"
#include "support/metastore.h"

typedef enum world_state { WORLD_IDLE, WORLD_RUNNING, WORLD_WAITING } world_state;

typedef struct world_session {
  struct world *world;
  char name[2];
  skep_ctx ctx; /* with a clock that can stand still */
  bool stalled; /* the clock stands at stalled_ms, and so does the heartbeat */
  int64_t stalled_ms;
  skep_session *session;
  skep_result *open; /* half read: @open ... @rest */
  pthread_t thread;
  pthread_cond_t wake;
  /* under the world's lock */
  world_state state;
  char *text;          /* of the last statement; owned */
  const char *command; /* NULL: nothing to do */
  bool look;           /* the hook is to return */
  bool stop;
  uint64_t since; /* the order in which sessions began to wait */
  /* of the last statement */
  skep_status status;
  skep_err err;
  skep_buf rows; /* one line a row, sorted */
  /* of the last wait */
  char blocker[8]; /* the other session's name */
  char blocker_type;
} world_session;

typedef struct world {
  skep_ctx ctx;
  skep_fs *fs;
  skep_db *db;                /* the observer's */
  char dir[64];               /* where queries spill */
  metastore metastore;        /* on PostgreSQL where support/metastore.h says so */
  int64_t begun_ms, ahead_ms; /* by the real clock; @clock since then */
  pthread_mutex_t lock;
  pthread_cond_t changed;
  uint64_t n_waits;
  world_session sessions[SPEC_MAX_SESSIONS + 1]; /* A, B, ...; the last one: whoever sets up and looks in the end */
  char database[32];
  unsigned n_runs;
} world;

/* False: *message says why. */
bool world_open(world *w, char *message, size_t size);
void world_close(world *w);

/* A database of its own with the spec's tables; sessions with its settings. */
bool world_begin(world *w, const spec *s, char *message, size_t size);
/* Ends what is open, drops the database. */
bool world_end(world *w, char *message, size_t size);

/* Runs the statement (or "@word") on the session until it ends or waits. $D stands for the database's name. */
void world_start(world *w, world_session *s, const char *sql);
/* Lets those that wait look again, in the order in which they began to wait, until none of them comes further. */
void world_settle(world *w);

world_session *world_find(world *w, const char *name); /* "A" */
world_session *world_observer(world *w);

/* The text with the database's name instead of $D; the caller frees it. */
char *world_with_database(const world *w, const char *text);

#endif
