/* See tiers.h. */
#include "compact/tiers.h"

#include <stdlib.h>

static int by_min(const void *left, const void *right) {
  const skep_compact_range *a = left, *b = right;
  if (a->min != b->min) return a->min < b->min ? -1 : 1;
  return (a->max < b->max) - (a->max > b->max);
}

skep_status skep_compact_ranges(const skep_layout *layout, skep_arena *arena, skep_compact_range **out, uint32_t *n,
                                skep_err *err) {
  skep_compact_range *ranges = skep_arena_zero(arena, (size_t)layout->n_used + 1, sizeof *ranges);
  *n = 0;
  if (ranges == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a list of deltas");
  uint32_t found = 0;
  for (uint32_t i = 0; i < layout->n_used; i++) {
    const skep_layout_dir *d = &layout->dirs[i];
    if (d->parsed.kind != SKEP_DIR_DELTA && d->parsed.kind != SKEP_DIR_DELETE_DELTA) continue;
    skep_compact_range *r = &ranges[found++];
    *r = (skep_compact_range){
        .min = d->parsed.min_write_id, .max = d->parsed.max_write_id, .bytes = skep_layout_dir_bytes(d), .n_dirs = 1};
  }
  if (found > 1) qsort(ranges, found, sizeof *ranges, by_min);
  for (uint32_t i = 0; i < found; i++) {
    skep_compact_range *last = *n > 0 ? &ranges[*n - 1] : NULL;
    if (last == NULL || ranges[i].min > last->max) {
      ranges[(*n)++] = ranges[i];
      continue;
    }
    if (ranges[i].max > last->max) last->max = ranges[i].max;
    last->bytes += ranges[i].bytes;
    last->n_dirs += ranges[i].n_dirs;
  }
  *out = ranges;
  return SKEP_OK;
}

/* Levels of size: each `fan` times the one below. Tiny ones are all of the lowest: what counts there is the file. */
static uint32_t level_of(uint64_t bytes, uint32_t fan) {
  enum { LOWEST = 1 << 20 };
  uint32_t level = 0;
  for (uint64_t most = LOWEST; bytes > most && level < 64; level++) {
    if (most > UINT64_MAX / fan) break;
    most *= fan;
  }
  return level;
}

/* From one range on, as far as nothing is of a higher level: worth it when `fan` of them are of that level, so that
 * what is large is not written again for the sake of a few small ones. */
skep_compact_run_of skep_compact_choose_run(const skep_compact_range *ranges, uint32_t n, uint32_t fan) {
  skep_compact_run_of best = {0};
  uint32_t best_level = UINT32_MAX, last_level = UINT32_MAX, last_end = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t level = level_of(ranges[i].bytes, fan), end = i + 1, of_level = 1;
    if (i < last_end && level >= last_level) continue; /* part of what was looked at */
    for (; end < n; end++) {
      uint32_t other = level_of(ranges[end].bytes, fan);
      if (other > level) break;
      of_level += other == level ? 1 : 0;
    }
    last_level = level;
    last_end = end;
    if (of_level < fan || level > best_level || (level == best_level && end - i <= best.n)) continue;
    best = (skep_compact_run_of){.first = i, .n = end - i};
    best_level = level;
  }
  return best;
}
