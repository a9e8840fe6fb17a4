/* Runs on disk of what does not fit in memory while it is sorted: their names, and their end. */
#include <inttypes.h>
#include <stdio.h>

#include "compact/compact_int.h"

skep_status skep_compact_sort_path(skep_compact_run_state *run, const char *dir, uint32_t number, const char **out,
                                   skep_err *err) {
  char name[32];
  snprintf(name, sizeof name, "_sort_%05" PRIu32, number);
  return skep_compact_path(run->arena, dir, name, out, err);
}

skep_status skep_compact_sort_remove(skep_compact_run_state *run, const char *dir, uint32_t n, skep_err *err) {
  for (uint32_t i = 0; i < n; i++) {
    const char *path;
    SKEP_TRY(skep_compact_sort_path(run, dir, i, &path, err));
    SKEP_TRY(skep_fs_remove_file(run->job->fs, path, err));
  }
  return SKEP_OK;
}
