/* The directories of writes (base_, delta_, delete_delta_) at a location: what is attached to a table, and what a loss
 * of power left there. */
#ifndef SQL_ACID_DIRS_H
#define SQL_ACID_DIRS_H

#include "acid/name.h"
#include "sql/session_int.h"

typedef struct skep_acid_dir {
  const char *parent; /* the directory it lies in */
  const char *path;
  skep_dir_name name; /* base, delta or delete delta */
} skep_acid_dir;

/* A status other than SKEP_OK ends the walk and is passed on. The texts live in the arena. */
typedef skep_status skep_acid_dir_visitor(void *self, const skep_acid_dir *dir, skep_err *err);

/* Calls `visit` for each of them in `dir` and in the directories `levels` below it (of partitions, whether the catalog
 * knows them or not). A directory that is not there has none. */
SKEP_NODISCARD skep_status skep_acid_dirs(skep_session *session, skep_arena *arena, const char *dir, uint32_t levels,
                                          skep_acid_dir_visitor *visit, void *self, skep_err *err);

/* The same for a whole table: what is below its location, and in partitions that lie where that walk does not come: in
 * other places, or deeper. Places on other file systems are passed over: nothing of ours is there. */
SKEP_NODISCARD skep_status skep_acid_dirs_of_table(skep_session *session, skep_arena *arena,
                                                   const skep_catalog_table *t, skep_acid_dir_visitor *visit,
                                                   void *self, skep_err *err);

#endif
