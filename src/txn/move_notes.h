/* Notes about renames of directories that are on their way (sql/moves.h): rows of Hive's AUX_TABLE under the key
 * "skep.move", numbered. Hive uses that table for its mutexes and looks at its own keys only.
 *
 * A comment holds 255 characters: the text "from LF to" is cut into pieces, each with a letter before it: '+' more
 * follows, '.' the last one. (A row that begins with '/' is a whole one of an earlier version.) */
#ifndef TXN_MOVE_NOTES_H
#define TXN_MOVE_NOTES_H

#include "db/db.h"

typedef struct skep_txn_move {
  const char *from, *to;
} skep_txn_move;

/* Inside a write transaction. Their rows are [*first, *first + *n_rows).
 * SKEP_ERR_UNSUPPORTED: a line end in a name. */
SKEP_NODISCARD skep_status skep_txn_moves_add(skep_db *db, skep_arena *arena, const skep_txn_move *moves, size_t n,
                                              int64_t *first, int64_t *n_rows, skep_err *err);
/* *n_deleted (may be NULL) is less than n_rows when somebody else has taken care of them. */
SKEP_NODISCARD skep_status skep_txn_moves_delete(skep_db *db, int64_t first, int64_t n_rows, int64_t *n_deleted,
                                                 skep_err *err);
/* All, the latest first, in the arena. */
SKEP_NODISCARD skep_status skep_txn_moves_list(skep_db *db, skep_arena *arena, skep_txn_move **out, size_t *n,
                                               skep_err *err);
SKEP_NODISCARD skep_status skep_txn_moves_clear(skep_db *db, skep_err *err);

#endif
