/* Renaming directories and files together with rows: what ALTER TABLE RENAME, RENAME PARTITION and conversions need.
 *
 * No file system renames under a database's commit. So the renames are written down first, in a database transaction of
 * their own; the rows are changed, the directories renamed and the notes removed in a second one. A process that ends
 * in between leaves notes: whoever opens the warehouse next renames back what was renamed (skep_moves_recover). Notes
 * that are there while the second transaction runs are not touched: it holds the database's write lock.
 *
 * How the notes are stored: txn/move_notes.h. */
#ifndef SQL_MOVES_H
#define SQL_MOVES_H

#include "sql/session_int.h"

typedef struct skep_move {
  const char *from, *to; /* paths; in the session's arena */
  bool done;
} skep_move;

typedef struct skep_moves {
  skep_move *items; /* renamed in this order */
  size_t n, capacity;
  size_t n_noted;
  int64_t first, n_rows; /* the notes in the database */
} skep_moves;

SKEP_NODISCARD skep_status skep_moves_add(skep_session *session, skep_moves *moves, const char *from, const char *to,
                                          skep_err *err);
/* Writes them down. Outside a database transaction. */
SKEP_NODISCARD skep_status skep_moves_note(skep_session *session, skep_moves *moves, skep_err *err);
/* Inside the second database transaction, as the last before its commit: removes the notes and renames. What is not
 * there stays (nothing was written yet). SKEP_ERR_EXISTS names a place that is taken; SKEP_ERR_BUSY: the notes are
 * gone, because somebody opened the warehouse between the two transactions: note again. */
SKEP_NODISCARD skep_status skep_moves_do(skep_session *session, skep_moves *moves, skep_err *err);
/* After the second transaction failed (not when it is in doubt): renames back and removes the notes. */
void skep_moves_undo(skep_session *session, skep_moves *moves);

/* When a warehouse is opened. */
SKEP_NODISCARD skep_status skep_moves_recover(skep_session *session, skep_err *err);

#endif
