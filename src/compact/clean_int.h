/* What the files of the cleaner share. Module-private. */
#ifndef COMPACT_CLEAN_INT_H
#define COMPACT_CLEAN_INT_H

#include "acid/layout.h"
#include "compact/cleaner.h"
#include "txn/mutex.h"
#include "txn/watermark.h"

/* What is renamed to a name like this is nobody's any more. */
#define SKEP_CLEAN_TRASH ".skep_removed_"

typedef struct skep_cleaner {
  const skep_compact_env *env;
  bool dry_run;
  skep_txn_mutex *mutex; /* NULL in a dry run */
  skep_compact_cleaning *out;
  int64_t failed[64]; /* entries that failed already: not again in this call */
  uint32_t n_failed;
} skep_cleaner;

/* One directory (of a table or partition) that is being cleaned, and what must still be true when something goes. */
typedef struct skep_clean_place {
  skep_cleaner *cleaner;
  const skep_compaction *job; /* whose claim must hold; NULL: aborted transactions */
  const char *database, *table, *partition;
  int64_t table_id;
  const char *root;       /* where something is removed */
  const char *table_root; /* what the catalog must still say; NULL: root */
} skep_clean_place;

/* Adds a directory that goes; "" of original files counts as none. */
void skep_clean_count(skep_compact_cleaning *out, const skep_layout_dir *dir);

/* Classifies the directory. SKEP_ERR_NOT_FOUND: it is not there. */
SKEP_NODISCARD skep_status skep_clean_layout(const skep_clean_place *place, const skep_snapshot *snapshot,
                                             bool insert_only, skep_layout **out, skep_err *err);

/* Removes these names in the root: looked at again, renamed, deleted. sizes are for the count.
 * SKEP_ERR_CONFLICT: the claim, the mutex, the table or its place is not what it was: nothing more was removed. */
SKEP_NODISCARD skep_status skep_clean_remove(const skep_clean_place *place, skep_arena *arena, const char *const *names,
                                             uint32_t n, skep_err *err);
/* Deletes what an earlier cleaner had renamed. */
SKEP_NODISCARD skep_status skep_clean_trash(const skep_clean_place *place, skep_arena *arena, skep_err *err);

/* Names to remove, growing in an arena. */
typedef struct skep_clean_list {
  const char **names;
  size_t n, capacity;
} skep_clean_list;
SKEP_NODISCARD skep_status skep_clean_add(skep_arena *arena, skep_clean_list *list, const char *name, skep_err *err);

/* Resources with many or old aborted transactions. */
SKEP_NODISCARD skep_status skep_clean_aborts(skep_cleaner *cleaner, skep_err *err);
/* Forgets those components of aborted transactions of a resource of which no file is left: write ids lowest..highest,
 * and workers' (any). layout: what is there now. own: the job whose result may be trusted, or NULL. */
SKEP_NODISCARD skep_status skep_clean_forget(const skep_clean_place *place, skep_arena *arena,
                                             const skep_layout *layout, int64_t lowest, int64_t highest, skep_err *err);

#endif
