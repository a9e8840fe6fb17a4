/* The warehouse that a command works on: where it and its metastore are (-w, --metastore), the settings given for it
 * (--conf, --hiveconf), and who asks. */
#ifndef CLI_WAREHOUSE_H
#define CLI_WAREHOUSE_H

#include "base/config.h"
#include "cli/common.h"

typedef struct skep_cli_warehouse {
  const char *dir; /* as given, or NULL: ./warehouse */
  const char *url; /* of the metastore; NULL: in the directory, if it was never opened with another one */
} skep_cli_warehouse;

/* The absolute directory and the metastore's URL (skep_metastore_default), in the arena or as given. */
SKEP_NODISCARD skep_status skep_cli_warehouse_find(const skep_cli_env *env, skep_arena *arena,
                                                   const skep_cli_warehouse *warehouse, const char **dir,
                                                   const char **url, skep_err *err);

/* --conf FILE (or NULL), then the pairs K=V of --hiveconf, into config. */
SKEP_NODISCARD skep_status skep_cli_read_settings(const skep_cli_env *env, skep_arena *arena, const char *conf,
                                                  const skep_cli_words *settings, skep_config *config, skep_err *err);

/* HADOOP_USER_NAME, or the system's name of the user; NULL: none is known. */
const char *skep_cli_user(void);

#endif
