/* The inside of `skep compact`: what compact.c (options), compact_run.c (roles) and compact_metrics.c share. */
#ifndef CLI_COMPACT_INT_H
#define CLI_COMPACT_INT_H

#include "cli/warehouse.h"
#include "compact/env.h"
#include "compact/metrics.h"

enum skep_compact_role {
  SKEP_ROLE_INITIATOR = 1,
  SKEP_ROLE_WORKER = 2,
  SKEP_ROLE_CLEANER = 4,
  SKEP_ROLE_HOUSEKEEPER = 8,
  SKEP_ROLE_ALL = 15
};

typedef struct skep_compact_args {
  skep_cli_warehouse warehouse;
  const char *conf, *metrics, *pool;
  skep_cli_words settings; /* K=V */
  unsigned roles;          /* 0: not given */
  unsigned n_workers;      /* 0: not given */
  bool once, daemon, dry_run, silent;
} skep_compact_args;

int skep_compact_main(const skep_cli_env *env, const skep_compact_args *args, skep_arena *arena);

/* Options of `skep compact`; `skep housekeeper` takes some of them. */
enum skep_compact_option {
  SKEP_COMPACT_WAREHOUSE,
  SKEP_COMPACT_METASTORE,
  SKEP_COMPACT_CONF,
  SKEP_COMPACT_HIVECONF,
  SKEP_COMPACT_ONCE,
  SKEP_COMPACT_DAEMON,
  SKEP_COMPACT_ROLES,
  SKEP_COMPACT_DRY_RUN,
  SKEP_COMPACT_METRICS,
  SKEP_COMPACT_WORKERS,
  SKEP_COMPACT_POOL,
  SKEP_COMPACT_SILENT
};

/* Reads the command's options and runs. roles: those that run when --roles does not say; 0: as the settings have it.
 * hint: what else to tell somebody who names a thing without an option ("" or "; ..."). */
int skep_compact_command(const skep_cli_command *command, const skep_cli_env *env, int argc, char **argv,
                         unsigned roles, const char *hint);

/* A connection of one thread, and the environment over it. */
typedef struct skep_compact_seat {
  skep_db *db;
  skep_catalog *catalog;
  skep_compact_env env;
  char worker_id[160];
  void *owner; /* who opened it */
  int number;  /* below 100 */
} skep_compact_seat;

/* Serves metrics from a thread of its own until it is stopped; asks for them over a seat of its own. */
typedef struct skep_compact_exporter skep_compact_exporter;
typedef skep_status skep_compact_seat_open(void *self, skep_compact_seat *seat, skep_err *err);
/* where: a path, or a number: the port. */
SKEP_NODISCARD skep_status skep_compact_exporter_start(const skep_ctx *ctx, const char *where,
                                                       const skep_compact_counters *counters,
                                                       skep_compact_seat_open *open, void *self,
                                                       skep_compact_exporter **out, skep_err *err);
void skep_compact_exporter_stop(skep_compact_exporter *exporter); /* accepts NULL */
/* One writing of a file: for --once. */
SKEP_NODISCARD skep_status skep_compact_export_file(const skep_compact_env *env, const skep_compact_counters *counters,
                                                    const char *path, skep_err *err);

void skep_compact_seat_close(skep_compact_seat *seat);

#endif
