/* Which stripes and row groups can hold a row that satisfies the predicate. Inside orc only. */
#ifndef ORC_ROW_GROUPS_H
#define ORC_ROW_GROUPS_H

#include "orc/stripe.h"

typedef struct skep_orc_chooser {
  const skep_orc_tail *tail;
  const skep_orc_mapping *mapping;
  const skep_pred *predicate; /* NULL: everything is wanted */
  const skep_type *root;      /* the type the predicate is bound to: the target or a child of it */
  bool hybrid;                /* calendar of the file */
} skep_orc_chooser;

/* By the statistics of the stripe (or of the file, when it has one stripe). */
bool skep_orc_choose_stripe(const skep_orc_chooser *ch, uint32_t stripe);

/* Marks in chosen[0..n_groups) the row groups of a stripe that may hold such a row; *n_chosen counts them. chosen is
 * NULL on return when all are wanted. Row indexes and bloom filters of the predicate's columns are read; those that are
 * missing say nothing. Lives in arena. */
SKEP_NODISCARD skep_status skep_orc_choose_groups(const skep_orc_chooser *ch, skep_orc_access *a, skep_arena *arena,
                                                  skep_orc_stripe_dir *dir, bool **chosen, uint64_t *n_chosen,
                                                  skep_err *err);

#endif
