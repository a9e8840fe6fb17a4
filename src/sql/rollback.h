/* A metastore that was restored from a backup older than its warehouse: files are there of write ids that it is going
 * to give out again. Whoever wrote then would mix old and new rows, or remove files of its own directory's name.
 *
 * The warehouse remembers how far its metastore was: an empty file .skep-metastore/<id>.<n>.<ms> says that the
 * metastore with that id (METASTORE_DB_PROPERTIES, skep.metastore.id) had given out transaction n, durably, at that
 * time. When a session opens a metastore that has not come so far, it was rolled back: reading goes on, writing is
 * refused, and what a loss of power would have left is not looked for, until `skep metastore reseed`
 * (skep_session_reseed). */
#ifndef SQL_ROLLBACK_H
#define SQL_ROLLBACK_H

#include "sql/session_int.h"

/* What the warehouse remembers of this metastore. */
typedef struct skep_rollback_notes {
  const char *id; /* the metastore's, in session->arena */
  bool any;
  int64_t txn, at_ms; /* the furthest, and when it was noted */
  char old[10][100];  /* names of others */
  size_t n_old;
} skep_rollback_notes;

/* When a session opens, before anything is cleaned up: sets session->rolled_back. *notes: what was found. */
SKEP_NODISCARD skep_status skep_rollback_look(skep_session *session, skep_rollback_notes *notes, skep_err *err);
/* Now and then: notes how far the metastore is, when the last note is a minute old. Failures are logged.
 * notes  what skep_rollback_look has just found; NULL: it is read */
void skep_rollback_note(skep_session *session, const skep_rollback_notes *notes);
/* For who has a connection and no session, each time it was made: SKEP_ERR_CORRUPT when the metastore has not come as
 * far as it was. */
SKEP_NODISCARD skep_status skep_rollback_refuse(const skep_ctx *ctx, skep_fs *fs, const char *warehouse, skep_db *db,
                                                skep_err *err);
/* SKEP_ERR_CORRUPT when writing is refused. */
SKEP_NODISCARD skep_status skep_rollback_check(const skep_session *session, skep_err *err);

#endif
