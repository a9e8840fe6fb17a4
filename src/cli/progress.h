/* A progress bar on standard error: shown when that is a terminal, rows go elsewhere, and the work has taken a second.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "base/ctx.h"

typedef struct skep_cli_progress {
  const skep_ctx *ctx;
  bool enabled;
  bool shown; /* a bar stands on the line */
  int64_t start_ns, last_ns;
  uint64_t total; /* what `done` counts up to; 0: unknown, no bar */
} skep_cli_progress;

void skep_cli_progress_init(skep_cli_progress *p, const skep_ctx *ctx, uint64_t total, bool wanted);
/* Draws at most five times a second. */
void skep_cli_progress_show(skep_cli_progress *p, uint64_t done, uint64_t rows);
void skep_cli_progress_clear(skep_cli_progress *p);

/* The line without control sequences, for a terminal of `columns` columns; for tests. Returns out. */
const char *skep_cli_progress_line(char *out, size_t out_size, unsigned columns, uint64_t done, uint64_t total,
                                   uint64_t rows, double seconds);

#endif
