/* Runs on disk of what does not fit in memory, or in open files, while it is sorted or merged: their names, and which
 * of them are merged before the others. */
#include <inttypes.h>
#include <stdio.h>

#include "compact/compact_int.h"

uint32_t skep_compact_run_number(skep_compact_run_state *run) {
  return __atomic_fetch_add(&run->n_runs, 1, __ATOMIC_RELAXED);
}

skep_status skep_compact_run_path(skep_arena *arena, const char *dir, uint32_t number, const char **out,
                                  skep_err *err) {
  char name[32];
  snprintf(name, sizeof name, "_sort_%05" PRIu32, number);
  return skep_compact_path(arena, dir, name, out, err);
}

skep_status skep_compact_run_remove(skep_compact_run_state *run, const char *dir, uint32_t number, skep_err *err) {
  const char *path;
  skep_arena arena;
  skep_arena_init(&arena, run->ctx, SIZE_MAX);
  skep_status status = skep_compact_run_path(&arena, dir, number, &path, err);
  if (status == SKEP_OK) status = skep_fs_remove_file(run->job->fs, path, err);
  skep_arena_fini(&arena);
  return status;
}

void skep_compact_runs_add(skep_compact_runs *runs, uint32_t number) {
  runs->numbers[runs->n] = number;
  runs->levels[runs->n++] = 0;
}

uint32_t skep_compact_runs_due(const skep_compact_runs *runs, bool is_last) {
  uint32_t n = runs->n, fan_in = runs->fan_in, k = 1;
  if (is_last) {
    if (n <= fan_in) return 0;
    k = n - fan_in + 1;
    return k < fan_in ? k : fan_in;
  }
  if (n == 0) return 0;
  while (k < n && runs->levels[n - 1 - k] == runs->levels[n - 1]) k++;
  return k < fan_in ? 0 : k;
}

void skep_compact_runs_replace(skep_compact_runs *runs, uint32_t k, uint32_t number) {
  uint32_t first = runs->n - k;
  runs->levels[first]++; /* the oldest has the highest level */
  runs->numbers[first] = number;
  runs->n = first + 1;
}
