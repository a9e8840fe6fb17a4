/* See warehouse.h. */
#include "cli/warehouse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/posix.h"
#include "io/site_file.h"
#include "sql/metastore_place.h"

skep_status skep_cli_warehouse_find(const skep_cli_env *env, skep_arena *arena, const skep_cli_warehouse *w,
                                    const char **dir, const char **url, skep_err *err) {
  SKEP_TRY(skep_posix_absolute(arena, w->dir == NULL ? "warehouse" : w->dir, dir, err));
  *url = w->url;
  return w->url != NULL ? SKEP_OK : skep_metastore_default(env->ctx, env->fs, arena, *dir, url, err);
}

skep_status skep_cli_read_settings(const skep_cli_env *env, skep_arena *arena, const char *conf,
                                   const skep_cli_words *settings, skep_config *config, skep_err *err) {
  if (conf != NULL) {
    skep_status status = skep_site_file_read(env->fs, env->ctx, conf, config, err);
    if (status != SKEP_OK) return skep_wrap(err, status, "--conf");
  }
  for (uint32_t i = 0; i < settings->n; i++) {
    const char *pair = settings->items[i], *equals = strchr(pair, '=');
    const char *name = skep_arena_strndup(arena, pair, (size_t)(equals - pair));
    if (name == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "out of memory");
    skep_status status = skep_config_set(config, name, equals + 1, err);
    if (status != SKEP_OK) return skep_wrap(err, status, "--hiveconf");
  }
  return SKEP_OK;
}

const char *skep_cli_user(void) {
  static const char *const variables[] = {"HADOOP_USER_NAME", "USER", "LOGNAME"};
  for (size_t i = 0; i < 3; i++) {
    const char *name = getenv(variables[i]);
    if (name != NULL && name[0] != '\0') return name;
  }
  return NULL;
}
