/* A statement's memory: see write_budget.h. What spills is in key_runs.c. */
#include "acid/write_budget.h"

#define DEFAULT_BYTES (UINT64_C(512) << 20)

void skep_write_budget_init(skep_write_budget *budget, const skep_ctx *ctx, skep_fs *fs, const char *spill_dir,
                            uint64_t max_bytes) {
  if (max_bytes == 0) max_bytes = DEFAULT_BYTES;
  *budget = (skep_write_budget){
      .ctx = ctx, .fs = fs, .spill_dir = spill_dir, .stripes = {.max_bytes = max_bytes}, .max_bytes = max_bytes};
}

void skep_write_budget_fini(skep_write_budget *budget) {
  skep_err why = {0};
  if (budget->is_made && skep_fs_remove_dir(budget->fs, budget->spill_dir, &why) != SKEP_OK)
    skep_log(budget->ctx, SKEP_LOG_WARN, "what a statement spilled stays behind: %s", why.text);
  *budget = (skep_write_budget){0};
}
