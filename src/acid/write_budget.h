/* The memory that all branches of one statement share, and where what does not fit is spilled.
 *
 * Two things of a statement's writers grow with its rows: stripes being gathered, which end earlier the less is left
 * for them (orc/writer.h), and the keys of deleted rows, which can only be sorted when all are there. The keys of all
 * writers have half of the budget (the stripes have all of it while nothing is deleted); beyond that the writer that
 * holds most sorts its keys into a file of the spill directory (acid/key_runs.h), and reads them back when it finishes.
 *
 * One statement, one thread. Spilled files are scratch: never synced, gone at the latest with _fini; what a killed
 * process leaves is its directory, whose name is the caller's. */
#ifndef ACID_WRITE_BUDGET_H
#define ACID_WRITE_BUDGET_H

#include "io/fs.h"
#include "orc/writer.h"

struct skep_key_runs;

typedef struct skep_write_budget {
  const skep_ctx *ctx;
  skep_fs *fs;
  const char *spill_dir;         /* NULL: nothing is spilled, and keys have no limit */
  skep_orc_write_memory stripes; /* for skep_delta_writer_opts.memory */
  uint64_t *written_rows;        /* or NULL; atomic (__atomic builtins): rows given to writers are added to it */
  uint64_t max_bytes;
  uint64_t key_bytes;          /* that key_runs hold now, with what sorting them will take */
  struct skep_key_runs *first; /* those that hold keys */
  uint64_t n_spilled;          /* files so far: their names */
  bool has_deletes, is_made;   /* the directory */
} skep_write_budget;

/* spill_dir: borrowed until _fini; it need not exist, but its parent. max_bytes: 0 is 512 MiB. */
void skep_write_budget_init(skep_write_budget *budget, const skep_ctx *ctx, skep_fs *fs, const char *spill_dir,
                            uint64_t max_bytes);
/* Removes the directory when it was made. Safe on a zeroed one. All writers are freed before. */
void skep_write_budget_fini(skep_write_budget *budget);

#endif
