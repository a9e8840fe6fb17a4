/* Where a warehouse's metastore is when nobody says so: in the warehouse, metastore.sqlite, unless it was opened with
 * another one. That one's URL, without passwords, stands in the newest file .skep-metastore/where-<ms> of the
 * warehouse, and who then names no metastore is refused, and told, instead of being given an empty one.
 *
 * It is told and not taken: whoever may write into the directory could send others' passwords (PGPASSWORD, password
 * files) to a server of his own. */
#ifndef SQL_METASTORE_PLACE_H
#define SQL_METASTORE_PLACE_H

#include "base/arena.h"
#include "db/db.h"
#include "io/fs.h"

/* The URL of a warehouse's metastore when nobody names one, in the arena.
 * SKEP_ERR_ARGUMENT: it was opened with another one last; the message says which, and that it is to be named. */
SKEP_NODISCARD skep_status skep_metastore_default(const skep_ctx *ctx, skep_fs *fs, skep_arena *arena,
                                                  const char *warehouse, const char **url, skep_err *err);
/* After a metastore that the caller named was opened for writing: remembers it. Failures are logged; a warehouse that
 * cannot be written remembers nothing. */
void skep_metastore_remember(const skep_ctx *ctx, skep_fs *fs, const char *warehouse, skep_db *db);

#endif
