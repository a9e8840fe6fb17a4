/* Schema evolution on read: which column of a file feeds which node of the type that the reader wants.
 *
 * Source: ORC Java SchemaEvolution and HiveConf (orc.force.positional.evolution): acid-format facts 5.7 and what was
 * seen in Hive 4.0.1. Widenings that Hive allows are listed in src/orc/README.md. */
#ifndef ORC_EVOLUTION_H
#define ORC_EVOLUTION_H

#include "orc/tail.h"

typedef struct skep_orc_evolution {
  /* Struct levels matched by position, counted from the root: 0 = by name everywhere, 1 = top-level columns by
   * position, deeper structs by name. A level whose file names are all _col<N> is matched by position in any case. */
  unsigned positional_levels;
  bool match_case;      /* names compared exactly; else ignoring ASCII case */
  bool old_conversions; /* values converted as ORC Java before 1.6 does (Hive 1 to 3), see convert.h */
  bool is_acid; /* the file's root is the six ACID columns, always matched by name ignoring case; the levels above are
                   counted from the struct `row` */
  /* All columns of the table, when the target (its `row` for ACID files) is a projection of them: positions are counted
     here, and target columns are found in it by name, ignoring case. NULL: the target is whole. */
  const skep_type *table;
} skep_orc_evolution;

enum { SKEP_ORC_MISSING = UINT32_MAX };

typedef struct skep_orc_mapping {
  const skep_type *target;     /* what batches will have */
  const uint32_t *file_column; /* by target id: ORC column id, or SKEP_ORC_MISSING (all NULL) */
  const bool *converts;        /* by target id: file and target type differ and values are converted */
  bool old_conversions;        /* as in skep_orc_evolution */
  bool *wanted;                /* by file column id: read it (ancestors of wanted columns included) */
} skep_orc_mapping;

/* Maps a target type to a file. target NULL: the file's own type. SKEP_ERR_ARGUMENT names a pair of types that Hive
 * does not convert; SKEP_ERR_UNSUPPORTED an encrypted column that is asked for. Lives in `arena`. */
SKEP_NODISCARD skep_status skep_orc_mapping_make(skep_arena *arena, const skep_orc_tail *tail, const skep_type *target,
                                                 const skep_orc_evolution *how, const skep_orc_mapping **out,
                                                 skep_err *err);

/* The file's type pruned to the given columns ("a", "b.c": paths of field names, ignoring case; a nested path keeps its
 * ancestors; inside lists and maps path steps are "element", "key", "value"). SKEP_ERR_ARGUMENT names the unknown one.
 */
SKEP_NODISCARD skep_status skep_type_prune(skep_arena *arena, const skep_type *type, const char *const *paths,
                                           uint32_t n_paths, const skep_type **out, skep_err *err);

#endif
