/* The inside of `skep compact`: what compact.c (options), compact_run.c (roles) and compact_metrics.c share. */
#ifndef CLI_COMPACT_INT_H
#define CLI_COMPACT_INT_H

#include "base/config.h"
#include "cli/cli.h"
#include "cli/common.h"
#include "compact/env.h"

enum skep_compact_role {
  SKEP_ROLE_INITIATOR = 1,
  SKEP_ROLE_WORKER = 2,
  SKEP_ROLE_CLEANER = 4,
  SKEP_ROLE_HOUSEKEEPER = 8,
  SKEP_ROLE_ALL = 15
};

typedef struct skep_compact_args {
  const char *warehouse, *metastore, *conf, *metrics, *pool;
  skep_cli_words settings; /* K=V */
  unsigned roles;          /* 0: not given */
  unsigned n_workers;      /* 0: not given */
  bool once, daemon, dry_run, silent;
} skep_compact_args;

int skep_compact_main(const skep_cli_env *env, const skep_compact_args *args, skep_arena *arena);

/* A connection of one thread, and the environment over it. */
typedef struct skep_compact_seat {
  skep_db *db;
  skep_catalog *catalog;
  skep_compact_env env;
  char worker_id[160];
} skep_compact_seat;

/* Serves metrics from a thread of its own until it is stopped; asks for them over a seat of its own. */
typedef struct skep_compact_exporter skep_compact_exporter;
typedef skep_status skep_compact_seat_open(void *self, skep_compact_seat *seat, skep_err *err);
/* where: a path, or a number: the port. */
SKEP_NODISCARD skep_status skep_compact_exporter_start(const skep_ctx *ctx, const char *where,
                                                       skep_compact_seat_open *open, void *self,
                                                       skep_compact_exporter **out, skep_err *err);
void skep_compact_exporter_stop(skep_compact_exporter *exporter); /* accepts NULL */
/* One writing of a file: for --once. */
SKEP_NODISCARD skep_status skep_compact_export_file(const skep_compact_env *env, const char *path, skep_err *err);

void skep_compact_seat_close(skep_compact_seat *seat);

#endif
